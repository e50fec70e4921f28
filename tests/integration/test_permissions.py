"""Users, vhosts and permissions of the configuration file; `limited` may do little."""
import pytest
from amqp_codec import ids
from daemon import CONFIG

REFUSED = "ACCESS_REFUSED - access to {} '{}' in vhost '/' refused for user 'limited'"

pytestmark = pytest.mark.usefixtures("configured")


@pytest.fixture
def guest(connect):
    return connect().channel()


@pytest.fixture
def limited(connect):
    return connect(user="limited", password="secret").channel()


@pytest.fixture
def objects(guest, name):
    """Queues and exchanges that `limited` may configure, write, read, or nothing; lim-r-q is a configured one."""
    for right in ("c", "w", "r", "no"):
        for kind in ("q", "x"):
            object_name = f"lim-{right}-{kind}" if right != "no" else f"none-{kind}"
            if object_name == "lim-r-q":
                continue
            name.also(object_name)
            guest.queue(object_name) if kind == "q" else guest.exchange(object_name)


def test_a_user_logs_in_with_the_configured_password(connect):
    connect(user="limited", password="secret").check()
    connection = connect(user="limited", password="guest", until="start-ok")
    assert connection.wait(0, "connection.close").reply_code == 403


def test_a_vhost_without_permission_entry_is_refused(connect):
    connection = connect(user="limited", password="secret", vhost="other", until="open-sent")
    connection.closed_with(530, "NOT_ALLOWED - access to vhost 'other' refused for user 'limited'", "connection.open")


def test_a_missing_vhost_is_told_as_such_to_everyone(connect):
    connection = connect(user="limited", password="secret", vhost="nowhere", until="open-sent")
    connection.closed_with(530, "NOT_ALLOWED - vhost nowhere not found", "connection.open")


def test_vhosts_are_separate(connect, name):
    queue = name("q")
    here, there = connect(), connect(vhost="other")
    here.channel().queue(queue)
    assert not there.channel().exists("queue", queue)
    there.channel().refused("queue.purge", 404, f"NOT_FOUND - no queue '{queue}' in vhost 'other'", queue=queue)
    for exchange in ("amq.direct", "amq.topic", "amq.fanout", "amq.headers", "amq.match"):
        assert there.channel().exists("exchange", exchange)
    channel = there.channel()
    channel.publish("", queue, b"x", mandatory=True)
    assert channel.wait("basic.return").reply_code == 312


def test_configured_objects_exist(guest):
    guest.exchange("lim-w-topic", "topic", durable=True)
    guest.queue("lim-r-q", durable=True)
    guest.call("queue.purge", queue="lim-r-q")
    guest.publish("lim-w-topic", "a.b.c", b"x")
    assert guest.get_soon("lim-r-q").routing_key == "a.b.c"


@pytest.mark.parametrize("kind,method,arguments", [
    ("queue", "queue.declare", {"queue": "none-q2"}), ("exchange", "exchange.declare",
                                                       {"exchange": "none-x2", "type": "direct"}),
    ("queue", "queue.delete", {"queue": "none-q2"}), ("exchange", "exchange.delete", {"exchange": "none-x2"}),
], ids=["declare queue", "declare exchange", "delete queue", "delete exchange"])
def test_configure_is_needed_to_declare_and_delete(limited, kind, method, arguments):
    limited.refused(method, 403, REFUSED.format(kind, arguments[kind]), **arguments)


def test_configure_is_enough_to_declare_and_delete(limited, name):
    name.also("lim-c-own")
    limited.queue("lim-c-own")
    limited.exchange("lim-c-own")
    limited.call("queue.delete", queue="lim-c-own")
    limited.call("exchange.delete", exchange="lim-c-own")


@pytest.mark.parametrize("method", ["basic.get", "basic.consume", "queue.purge"])
def test_read_is_needed_to_take_messages(limited, objects, method):
    limited.refused(method, 403, REFUSED.format("queue", "lim-w-q"), queue="lim-w-q")


def test_read_is_enough_to_take_messages(limited, guest):
    guest.call("queue.purge", queue="lim-r-q")
    guest.publish("", "lim-r-q", b"1")
    assert limited.get_soon("lim-r-q").body == b"1"
    limited.cancel(limited.consume("lim-r-q"))
    limited.call("queue.purge", queue="lim-r-q")


def test_write_is_needed_to_publish(limited, objects):
    limited.publish("lim-r-x", "k", b"x")
    limited.closed_with(403, REFUSED.format("exchange", "lim-r-x"), "basic.publish")


def test_write_is_enough_to_publish(limited, guest, objects):
    guest.bind("none-q", "lim-w-x", "k")
    limited.publish("lim-w-x", "k", b"x")
    assert guest.get_soon("none-q").body == b"x"


def test_the_default_exchange_is_checked_as_amq_default(limited):
    limited.publish("", "lim-r-q", b"x")
    limited.closed_with(403, REFUSED.format("exchange", "amq.default"), "basic.publish")


@pytest.mark.parametrize("method", ["queue.bind", "queue.unbind"])
@pytest.mark.parametrize("queue,exchange,kind,refused", [
    ("lim-r-q", "lim-r-x", "queue", "lim-r-q"), ("lim-w-q", "lim-w-x", "exchange", "lim-w-x"),
    ("none-q", "none-x", "queue", "none-q"),
])
def test_binding_needs_write_on_the_queue_and_read_on_the_exchange(limited, objects, method, queue, exchange, kind,
                                                                   refused):
    limited.refused(method, 403, REFUSED.format(kind, refused), queue=queue, exchange=exchange, routing_key="k")


@pytest.mark.parametrize("method", ["exchange.bind", "exchange.unbind"])
@pytest.mark.parametrize("destination,source,refused", [
    ("lim-r-x", "lim-r-x", "lim-r-x"), ("lim-w-x", "lim-w-x", "lim-w-x"),
])
def test_binding_exchanges_needs_write_on_the_destination_and_read_on_the_source(limited, objects, method,
                                                                                destination, source, refused):
    limited.refused(method, 403, REFUSED.format("exchange", refused), destination=destination, source=source)


def test_write_and_read_are_enough_to_bind(limited, objects):
    limited.bind("lim-w-q", "lim-r-x", "k")
    limited.unbind("lim-w-q", "lim-r-x", "k")
    limited.bind_exchange("lim-w-x", "lim-r-x", "k")
    limited.call("exchange.unbind", destination="lim-w-x", source="lim-r-x", routing_key="k")


def test_an_alternate_exchange_needs_read_on_the_exchange_too(limited):
    limited.refused("exchange.declare", 403, REFUSED.format("exchange", "lim-c-x3"), exchange="lim-c-x3",
                    type="direct", arguments={"alternate-exchange": "lim-w-x"})


def test_a_dead_letter_exchange_needs_read_on_the_queue_too(limited):
    limited.refused("queue.declare", 403, REFUSED.format("queue", "lim-c-q3"), queue="lim-c-q3",
                    arguments={"x-dead-letter-exchange": "lim-w-x"})


def test_what_one_may_not_use_is_refused_before_it_is_missed(limited):
    limited.refused("basic.get", 403, REFUSED.format("queue", "none-such"), queue="none-such")


def test_what_one_may_use_is_missed(limited):
    limited.refused("basic.get", 404, "NOT_FOUND - no queue 'lim-r-none' in vhost '/'", queue="lim-r-none")


def test_passive_declares_need_no_permission(limited, objects):
    assert limited.queue("none-q", passive=True) == "none-q"
    limited.exchange("none-x", passive=True)


def test_server_made_names_are_checked_too(limited):
    limited.send("queue.declare", exclusive=True)
    close = limited.wait("channel.close")
    assert (close.reply_code, close.class_id, close.method_id) == (403, *ids("queue.declare"))
    assert close.reply_text.startswith("ACCESS_REFUSED - access to queue 'amq.gen-")
    limited.send("channel.close-ok")


def test_topic_permissions_limit_the_routing_keys_of_publishes(limited, guest):
    guest.call("queue.purge", queue="lim-r-q")
    limited.publish("lim-w-topic", "a.b", b"x")
    assert limited.get_soon("lim-r-q").routing_key == "a.b"
    limited.publish("lim-w-topic", "b.a", b"x")
    limited.closed_with(403, "ACCESS_REFUSED - access to topic 'b.a' in exchange 'lim-w-topic' in vhost '/' refused "
                        "for user 'limited'", "basic.publish")


@pytest.mark.better
@pytest.mark.parametrize("header", ["CC", "BCC"])
def test_topic_permissions_apply_to_extra_keys(limited, header):
    limited.publish("lim-w-topic", "a.b", b"x", headers={header: ["a.c", "b.c"]})
    limited.closed_with(403, "ACCESS_REFUSED - access to topic 'b.c' in exchange 'lim-w-topic' in vhost '/' refused "
                        "for user 'limited'", "basic.publish")


def test_users_without_topic_permissions_may_use_every_key(guest):
    guest.publish("lim-w-topic", "z.z", b"x")
    guest.sync()


def test_a_user_id_is_compared_with_the_user_of_the_connection(limited):
    limited.publish("lim-w-topic", "a.b", b"x", user_id="guest")
    limited.closed_with(406, "PRECONDITION_FAILED - user_id property set to 'guest' but authenticated user was "
                        "'limited'", "basic.publish")


def test_a_policy_sets_the_alternate_exchange_of_matching_exchanges(guest, name):
    for item in ("pol-ae", "pol-x", "x-pol-"):
        name.also(item)
    guest.exchange("pol-ae", "fanout")
    guest.exchange("pol-x")
    guest.exchange("x-pol-")
    queue = guest.queue(exclusive=True)
    guest.bind(queue, "pol-ae")
    guest.publish("pol-x", "nowhere", b"caught")
    assert guest.get_soon(queue).exchange == "pol-x"
    guest.publish("x-pol-", "nowhere", b"lost", mandatory=True)
    assert guest.wait("basic.return").exchange == "x-pol-"


def test_an_argument_wins_over_a_policy(guest, name):
    for item in ("pol-ae", "pol-y"):
        name.also(item)
    own = guest.exchange(name("own"), "fanout")
    first, second = guest.queue(exclusive=True), guest.queue(exclusive=True)
    guest.exchange("pol-ae", "fanout")
    guest.exchange("pol-y", arguments={"alternate-exchange": own})
    guest.bind(first, "pol-ae")
    guest.bind(second, own)
    guest.publish("pol-y", "nowhere", b"x")
    guest.sync()
    assert (len(guest.empty(first)), len(guest.empty(second))) == (0, 1)


@pytest.mark.parametrize("method,arguments", [
    ("queue.bind", {"queue": "lim-r-q", "exchange": "lim-w-topic"}),
    ("queue.unbind", {"queue": "lim-r-q", "exchange": "lim-w-topic"}),
    ("exchange.bind", {"destination": "amq.fanout", "source": "lim-w-topic"}),
])
def test_topic_permissions_limit_the_routing_keys_of_bindings(start_daemon, connect, method, arguments):
    daemon = start_daemon(CONFIG.replace('write: "^lim-w", read: "^lim-r"', 'write: ".*", read: ".*"'))
    channel = connect(daemon.address, user="limited", password="secret").channel()
    channel.call(method, routing_key="b.x", **arguments)
    channel.refused(method, 403, "ACCESS_REFUSED - access to topic 'a.x' in exchange 'lim-w-topic' in vhost '/' "
                    "refused for user 'limited'", routing_key="a.x", **arguments)


def test_an_empty_expression_allows_nothing(start_daemon, connect):
    daemon = start_daemon(CONFIG.replace('configure: "^lim-c"', 'configure: ""'))
    channel = connect(daemon.address, user="limited", password="secret").channel()
    channel.refused("queue.declare", 403, REFUSED.format("queue", "lim-c-q"), queue="lim-c-q")


def test_an_impersonator_may_set_any_user_id(start_daemon, connect):
    daemon = start_daemon(CONFIG.replace("    password: secret\n", "    password: secret\n    tags: [impersonator]\n"))
    connect(daemon.address).channel().call("queue.purge", queue="lim-r-q")
    channel = connect(daemon.address, user="limited", password="secret").channel()
    channel.publish("lim-w-topic", "a.b", b"x", user_id="somebody")
    assert channel.get_soon("lim-r-q").properties == {"user_id": "somebody"}
