"""What the broker says and accepts before a connection is open."""
import re
import time

import pytest
from amqp_codec import longstr, shortstr
from amqp_wire import ClosedByBroker, SocketClosed

SERVER_CAPABILITIES = {
    "publisher_confirms", "exchange_exchange_bindings", "basic.nack", "consumer_cancel_notify",
    "connection.blocked", "consumer_priorities", "authentication_failure_close",
    "per_consumer_qos", "direct_reply_to",
}
LOGIN_REFUSED = ("ACCESS_REFUSED - Login was refused using authentication mechanism {}. "
                 "For details see the broker logfile.")


def test_start_offers_version_0_9_with_plain_and_amqplain(connect):
    start = connect(until="start").start
    assert (start.version_major, start.version_minor) == (0, 9)
    assert {b"PLAIN", b"AMQPLAIN"} <= set(start.mechanisms.split())
    assert start.locales.split() == [b"en_US"]


def test_server_properties_name_product_and_a_3_x_version(connect):
    properties = connect(until="start").start.server_properties
    assert isinstance(properties["product"], str) and properties["product"]
    assert re.fullmatch(r"3\.\d+(\.\d+)?([-+.].*)?", properties["version"])


def test_server_properties_declare_the_nine_capabilities(connect):
    capabilities = connect(until="start").start.server_properties["capabilities"]
    assert {key for key, value in capabilities.items() if value is True} >= SERVER_CAPABILITIES


def test_tune_offers_2047_channels_and_128_kib_frames_and_a_60_s_heartbeat(connect):
    tune = connect(until="tune").tune
    assert (tune.channel_max, tune.frame_max, tune.heartbeat) == (2047, 131072, 60)


def test_open_ok_has_empty_known_hosts(connect):
    connection = connect(until="open-sent")
    assert connection.wait(0, "connection.open-ok").known_hosts == ""


def test_the_0_9_protocol_header_is_accepted(connect):
    connection = connect.socket()
    connection.send(b"AMQP\x01\x01\x00\x09")
    assert connection.wait(0, "connection.start").version_minor == 9


@pytest.mark.parametrize("data", [
    b"AMQP\x00\x00\x09\x02", b"AMQP\x00\x00\x0a\x01", b"AMQP\x03\x01\x00\x00", b"AMQP\x02\x01\x00\x00",
    b"AMQP\x00\x01\x00\x00", b"AMQPxxxx", b"GET / HTTP/1.1\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"\x00" * 16, b"\xff" * 64,
], ids=["0-9-2", "0-10-1", "sasl-1-0", "tls-1-0", "plain-1-0", "letters", "http", "tls", "zeros", "ones"])
def test_a_bad_protocol_header_is_answered_with_the_right_one_and_close(connect, data):
    connection = connect.socket()
    connection.send(data)
    assert connection.wait(0, "protocol header").data == b"AMQP\x00\x00\x09\x01"
    assert connection.wait_end() < 1


def test_a_protocol_header_may_arrive_in_pieces(connect):
    connection = connect.socket()
    for octet in b"AMQP\x00\x00\x09\x01":
        connection.send(bytes([octet]))
        time.sleep(0.01)
    connection.wait(0, "connection.start")


def test_frames_may_arrive_octet_by_octet(connect):
    connection = connect()
    for octet in b"\x01\x00\x01\x00\x00\x00\x05\x00\x14\x00\x0a\x00\xce":
        connection.send(bytes([octet]))
        time.sleep(0.005)
    connection.wait(1, "channel.open-ok")


def test_amqplain_logs_in(connect):
    response = shortstr("LOGIN") + b"S" + longstr("guest") + shortstr("PASSWORD") + b"S" + longstr("guest")
    connect(mechanism="AMQPLAIN", response=response).check()


@pytest.mark.parametrize("user,password", [("guest", "wrong"), ("nobody-of-this-name", "guest"), ("guest", "")])
def test_wrong_credentials_are_refused_with_the_same_text(connect, user, password):
    connection = connect(user=user, password=password, until="start-ok")
    connection.closed_with(403, LOGIN_REFUSED.format("PLAIN"))


def test_wrong_amqplain_credentials_name_that_mechanism(connect):
    response = shortstr("LOGIN") + b"S" + longstr("guest") + shortstr("PASSWORD") + b"S" + longstr("no")
    connection = connect(mechanism="AMQPLAIN", response=response, until="start-ok")
    connection.closed_with(403, LOGIN_REFUSED.format("AMQPLAIN"))


@pytest.mark.better
def test_a_refused_login_is_answered_within_about_a_second(connect):
    begin = time.monotonic()
    connection = connect(password="wrong", capabilities={}, until="start-ok")
    try:
        connection.wait(0, "connection.close", timeout=2)
    except SocketClosed:
        pass
    assert time.monotonic() - begin < 1.6


def test_a_client_without_the_capability_loses_the_connection_when_refused(connect):
    connection = connect(password="wrong", capabilities={}, until="start-ok")
    try:
        connection.wait(0, "connection.tune")
        raise AssertionError("logged in with a wrong password")
    except (SocketClosed, ClosedByBroker):
        pass


@pytest.mark.better
@pytest.mark.parametrize("mechanism", ["EXTERNAL", "NO-SUCH-MECHANISM", "", "plain"])
def test_a_mechanism_that_is_not_offered_is_refused_at_once(connect, mechanism):
    connection = connect(mechanism=mechanism, until="start-ok")
    close = connection.wait(0, "connection.close", timeout=1.6)
    assert 500 <= close.reply_code < 600
    connection.answer_close(0, close)
    assert connection.wait_end() < 1


@pytest.mark.better
@pytest.mark.parametrize("mechanism,response", [
    ("PLAIN", b""), ("PLAIN", b"guest"), ("PLAIN", b"\0guest"), ("PLAIN", b"admin\0guest\0guest"),
    ("AMQPLAIN", b"\x05LOGINS\xff\xff\xff\xff"), ("AMQPLAIN", b"garbage"), ("AMQPLAIN", b""),
], ids=["empty", "no zero", "one zero", "authorization id", "string past the end", "no table", "empty table"])
def test_a_malformed_login_response_is_refused_at_once(connect, mechanism, response):
    connection = connect(mechanism=mechanism, response=response, until="start-ok")
    close = connection.wait(0, "connection.close", timeout=1.6)
    assert close.reply_code == 403 or 500 <= close.reply_code < 600
    connection.answer_close(0, close)
    assert connection.wait_end() < 1


def test_a_missing_vhost_is_not_allowed(connect):
    connection = connect(vhost="no-such-vhost", until="open-sent")
    connection.closed_with(530, "NOT_ALLOWED - vhost no-such-vhost not found", "connection.open")


def test_connection_close_is_answered_and_the_tcp_connection_can_end(connect):
    connection = connect()
    connection.method(0, "connection.close", reply_code=200)
    connection.wait(0, "connection.close-ok")
    connection.socket.shutdown(1)
    assert connection.wait_end() < 2


def test_frames_after_connection_close_are_ignored(connect):
    connection = connect()
    connection.channel()
    connection.send(b"".join([
        b"\x01\x00\x00\x00\x00\x00\x0b\x00\x0a\x00\x32\x00\xc8\x00\x00\x00\x00\x00\xce",
        b"\x01\x00\x01\x00\x00\x00\x05\x00\x14\x00\x0a\x00\xce"]))
    connection.wait(0, "connection.close-ok")


def test_a_client_may_name_itself_and_send_any_client_properties(connect):
    connect(client_properties={"connection_name": "wire", "number": 5, "nested": {"list": [1, "a", None]}}).check()


@pytest.mark.slow
def test_a_connection_that_sends_nothing_is_closed_after_the_handshake_timeout(connect):
    silent, partial, started = connect.socket(), connect.socket(), connect(until="start")
    partial.send(b"AMQP\x00")
    begin = time.monotonic()
    silent.wait_end(14)
    assert 8 <= time.monotonic() - begin
    partial.wait_end(3)
    started.wait_end(3)
