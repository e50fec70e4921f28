"""A small AMQP 0-9-1 client on a raw socket.

It can build every frame, right or wrong, byte by byte, and it never waits without a limit:
a reply that does not come within the timeout raises NoReply.
"""
import socket
import struct
import time
from collections import deque

from amqp_codec import (FRAME_BODY, FRAME_END, FRAME_HEADER, FRAME_HEARTBEAT, FRAME_METHOD, NAMES, PROPERTIES,
                        PROTOCOL_HEADER, SPEC, WITH_CONTENT, Reader, frame, header_payload, ids, method_payload,
                        octets)

TIMEOUT = 5.0
ALL_CAPABILITIES = {
    "publisher_confirms": True, "exchange_exchange_bindings": True, "basic.nack": True,
    "consumer_cancel_notify": True, "connection.blocked": True, "authentication_failure_close": True,
}


class ClosedByBroker(Exception):
    """The broker sent channel.close or connection.close where another reply was awaited."""

    def __init__(self, method):
        super().__init__(f"{method.name} {method.reply_code} {method.reply_text!r} "
                         f"({method.class_id},{method.method_id})")
        self.method = method


class SocketClosed(Exception):
    """The TCP connection ended."""


class NoReply(Exception):
    """Nothing fitting came within the time allowed."""


class Method:
    """A method from the broker, with its content when it carries one."""

    def __init__(self, name, arguments):
        self.name = name
        self.arguments = arguments
        self.body = None
        self.properties = None
        self.header_bytes = None
        self.body_size = None

    def __getattr__(self, key):
        try:
            return self.__dict__["arguments"][key]
        except KeyError:
            raise AttributeError(key) from None

    def __repr__(self):
        return f"{self.name}{self.arguments}" + ("" if self.body is None else f" {self.body[:60]!r}")


class Connection:
    """One TCP connection; most tests get it through the fixture `connect`."""

    def __init__(self, address, timeout=TIMEOUT):
        self.socket = socket.create_connection(address, timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.received = b""
        self.ended = False
        self.opened = False
        self.closing = False
        self.inbox = deque()
        self.frames = []
        self.heartbeats = 0
        self.unfinished = {}
        self.last_channel = 0
        self.frame_max = 131072
        self.start = self.tune = None

    def handshake(self, user="guest", password="guest", vhost="/", mechanism="PLAIN", response=None,
                  capabilities=None, client_properties=None, channel_max=None, frame_max=None,
                  heartbeat=0, until="open"):
        """Log in. `until` stops after the broker's start or tune, or before its answer to open."""
        self.send(PROTOCOL_HEADER)
        self.start = self.wait(0, "connection.start")
        if until == "start":
            return self
        properties = {"product": "wire test",
                      "capabilities": ALL_CAPABILITIES if capabilities is None else capabilities}
        if response is None:
            response = b"\0" + octets(user) + b"\0" + octets(password)
        self.method(0, "connection.start-ok", client_properties=properties | (client_properties or {}),
                    mechanism=mechanism, response=response, locale="en_US")
        if until == "start-ok":
            return self
        self.tune = self.wait(0, "connection.tune")
        if until == "tune":
            return self
        self.frame_max = self.tune.frame_max if frame_max is None else frame_max
        self.method(0, "connection.tune-ok", frame_max=self.frame_max, heartbeat=heartbeat,
                    channel_max=self.tune.channel_max if channel_max is None else channel_max)
        if until == "tune-ok":
            return self
        self.method(0, "connection.open", virtual_host=vhost)
        if until == "open-sent":
            return self
        self.wait(0, "connection.open-ok")
        self.opened = True
        return self

    def send(self, data, timeout=TIMEOUT):
        self.socket.settimeout(timeout)
        try:
            self.socket.sendall(data)
        except TimeoutError:
            raise NoReply("the broker does not read") from None
        except OSError as error:
            raise SocketClosed(str(error)) from None

    def frame(self, kind, channel, payload, **options):
        self.send(frame(kind, channel, payload, **options))

    def method(self, channel, name, **arguments):
        self.frame(FRAME_METHOD, channel, method_payload(name, **arguments))

    def read(self, timeout):
        """Take in what the socket has within the timeout; false when nothing came."""
        if self.ended:
            return False
        self.socket.settimeout(max(timeout, 0.001))
        try:
            data = self.socket.recv(262144)
        except (TimeoutError, BlockingIOError):
            return False
        except OSError:
            data = b""
        if not data:
            self.ended = True
            return False
        self.received += data
        self._parse()
        return True

    def _parse(self):
        at = 0
        while len(self.received) - at >= 8:
            if self.received.startswith(b"AMQP", at):
                self.inbox.append((0, Method("protocol header", {"data": self.received[at:at + 8]})))
                at += 8
                continue
            kind, channel, size = struct.unpack_from(">BHI", self.received, at)
            end = at + 7 + size
            if len(self.received) <= end:
                break
            assert self.received[end:end + 1] == FRAME_END, "a frame of the broker has no end octet"
            self.frames.append((kind, channel, size))
            self._frame(kind, channel, self.received[at + 7:end])
            at = end + 1
        self.received = self.received[at:]

    def _frame(self, kind, channel, payload):
        if kind == FRAME_HEARTBEAT:
            assert (channel, payload) == (0, b""), "a heartbeat is empty and on channel 0"
            self.heartbeats += 1
        elif kind == FRAME_METHOD:
            assert channel not in self.unfinished, "a method came inside a content"
            reader = Reader(payload)
            name = NAMES[reader.number("H"), reader.number("H")]
            method = Method(name, reader.arguments(SPEC[name][2]))
            assert reader.at == len(payload), f"{name} has surplus octets"
            if name in WITH_CONTENT:
                self.unfinished[channel] = method
            else:
                self.inbox.append((channel, method))
        elif kind == FRAME_HEADER:
            method = self.unfinished[channel]
            assert method.body is None, "a second content header came"
            reader = Reader(payload)
            assert (reader.number("H"), reader.number("H")) == (60, 0)
            method.body_size, method.body, method.properties = reader.number("Q"), b"", {}
            flags = reader.number("H")
            for place, (key, type_) in enumerate(PROPERTIES):
                if flags >> 15 - place & 1:
                    begin = reader.at
                    method.properties[key] = reader.value(type_)
                    if key == "headers":
                        method.header_bytes = payload[begin + 4:reader.at]
            self._finish(channel, method)
        elif kind == FRAME_BODY:
            method = self.unfinished[channel]
            method.body += payload
            assert len(method.body) <= method.body_size, "more body came than announced"
            self._finish(channel, method)
        else:
            raise AssertionError(f"the broker sent a frame of type {kind}")

    def _finish(self, channel, method):
        if len(method.body) == method.body_size:
            del self.unfinished[channel]
            self.inbox.append((channel, method))

    def _find(self, channel, names, condition):
        for place, (number, method) in enumerate(self.inbox):
            if number == channel and method.name in names and (condition is None or condition(method)):
                del self.inbox[place]
                return method
            if number in (0, channel) and method.name in ("connection.close", "channel.close") \
                    and method.name not in names:
                del self.inbox[place]
                self.answer_close(number, method)
                raise ClosedByBroker(method)
        return None

    def answer_close(self, channel, method):
        self.closing = self.closing or method.name == "connection.close"
        try:
            self.method(channel, method.name + "-ok")
        except SocketClosed:
            pass

    def wait(self, channel, *names, timeout=TIMEOUT, condition=None):
        """The next method of one of these names on the channel; others keep their place."""
        limit = time.monotonic() + timeout
        while True:
            found = self._find(channel, names, condition)
            if found:
                return found
            if self.ended:
                raise SocketClosed(f"while waiting for {names}")
            left = limit - time.monotonic()
            if left <= 0:
                raise NoReply(f"no {' or '.join(names)} within {timeout} s; have {list(self.inbox)[:10]}")
            self.read(left)

    def next(self, channel, timeout=TIMEOUT):
        """The next method on the channel, whatever it is."""
        return self.wait(channel, *SPEC, timeout=timeout)

    def collect(self, seconds):
        """Read for this long, or until the broker closes."""
        limit = time.monotonic() + seconds
        while not self.ended and (left := limit - time.monotonic()) > 0:
            self.read(left)

    def drain(self, channel, name, settle=0.15):
        """All methods of this name on the channel that came, or come within `settle` seconds."""
        self.collect(settle)
        found = [method for number, method in self.inbox if (number, method.name) == (channel, name)]
        self.inbox = deque(item for item in self.inbox if (item[0], item[1].name) != (channel, name))
        return found

    def closed_with(self, code, text=None, method=None, timeout=TIMEOUT):
        """The broker closes the connection for this reason; `method` is the one it blames."""
        close = self.wait(0, "connection.close", timeout=timeout)
        self.answer_close(0, close)
        got = (close.reply_code, close.reply_text, (close.class_id, close.method_id))
        assert got == (code, close.reply_text if text is None else text, ids(method))
        return close

    def wait_end(self, timeout=TIMEOUT):
        """Seconds until the broker ends the TCP connection."""
        begin = time.monotonic()
        while not self.ended:
            left = begin + timeout - time.monotonic()
            if left <= 0:
                raise NoReply(f"the TCP connection is still open after {timeout} s")
            self.read(left)
        return time.monotonic() - begin

    def channel(self, number=None):
        """Open a channel."""
        if number is None:
            number = self.last_channel + 1
        self.last_channel = max(self.last_channel, number)
        self.method(number, "channel.open")
        self.wait(number, "channel.open-ok")
        return Channel(self, number)

    def check(self):
        """The connection still answers."""
        self.channel().close()

    def close(self):
        """Close in the orderly way and wait for close-ok."""
        self.method(0, "connection.close", reply_code=200, reply_text="bye")
        self.wait(0, "connection.close-ok")
        self.socket.close()
        self.ended = True

    def reset(self):
        """Break the TCP connection off with RST, as a client that crashed does."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()
        self.ended = True

    def drop(self):
        """Close the socket without a word."""
        self.socket.close()
        self.ended = True


class Channel:
    """An open channel."""

    def __init__(self, connection, number):
        self.connection, self.number = connection, number

    def send(self, name, **arguments):
        self.connection.method(self.number, name, **arguments)

    def call(self, name, **arguments):
        """Send a method and wait for its -ok."""
        self.send(name, **arguments)
        return self.wait(name + "-ok")

    def wait(self, *names, **options):
        return self.connection.wait(self.number, *names, **options)

    def next(self, timeout=TIMEOUT):
        return self.connection.next(self.number, timeout)

    def drain(self, name, settle=0.15):
        return self.connection.drain(self.number, name, settle)

    def sync(self):
        """A round trip without effect: everything sent before has been handled."""
        self.call("channel.flow", active=True)

    def closed_with(self, code, text=None, method=None, timeout=TIMEOUT):
        """The broker closes this channel for this reason, and the connection lives on."""
        close = self.wait("channel.close", timeout=timeout)
        self.connection.answer_close(self.number, close)
        got = (close.reply_code, close.reply_text, (close.class_id, close.method_id))
        assert got == (code, close.reply_text if text is None else text, ids(method))
        self.connection.check()
        return close

    def refused(self, name, code, text=None, **arguments):
        """Send a method that the broker answers by closing the channel."""
        self.send(name, **arguments)
        return self.closed_with(code, text, name)

    def close(self):
        self.call("channel.close", reply_code=200, reply_text="bye")

    def header(self, body_size, properties=None, **options):
        self.connection.frame(FRAME_HEADER, self.number, header_payload(body_size, properties, **options))

    def body(self, data):
        self.connection.frame(FRAME_BODY, self.number, data)

    def publish(self, exchange, routing_key, body=b"", mandatory=False, immediate=False, **properties):
        """Publish in one write: method, header, and body frames of the negotiated size."""
        body = octets(body)
        payload = method_payload("basic.publish", exchange=exchange, routing_key=routing_key,
                                 mandatory=mandatory, immediate=immediate)
        step = self.connection.frame_max - 8
        parts = [frame(FRAME_METHOD, self.number, payload),
                 frame(FRAME_HEADER, self.number, header_payload(len(body), properties))]
        parts += [frame(FRAME_BODY, self.number, body[at:at + step]) for at in range(0, len(body), step)]
        self.connection.send(b"".join(parts), timeout=20)

    def queue(self, name="", **options):
        """Declare a queue and return its name."""
        return self.call("queue.declare", queue=name, **options).queue

    def exchange(self, name, type_="direct", **options):
        """Declare an exchange and return its name."""
        self.call("exchange.declare", exchange=name, type=type_, **options)
        return name

    def bind(self, queue, exchange, routing_key="", arguments=None):
        self.call("queue.bind", queue=queue, exchange=exchange, routing_key=routing_key,
                  arguments=arguments)

    def unbind(self, queue, exchange, routing_key="", arguments=None):
        self.call("queue.unbind", queue=queue, exchange=exchange, routing_key=routing_key,
                  arguments=arguments)

    def bind_exchange(self, destination, source, routing_key="", arguments=None):
        self.call("exchange.bind", destination=destination, source=source, routing_key=routing_key,
                  arguments=arguments)

    def get(self, queue, no_ack=True):
        """The next message of the queue, or None."""
        self.send("basic.get", queue=queue, no_ack=no_ack)
        reply = self.wait("basic.get-ok", "basic.get-empty")
        return reply if reply.name == "basic.get-ok" else None

    def get_soon(self, queue, no_ack=True, timeout=TIMEOUT):
        """Like get, but waits for a message to come."""
        limit = time.monotonic() + timeout
        while (message := self.get(queue, no_ack)) is None:
            if time.monotonic() > limit:
                raise NoReply(f"no message in {queue} within {timeout} s")
            time.sleep(0.01)
        return message

    def empty(self, queue):
        """Take every ready message of the queue."""
        messages = []
        while (message := self.get(queue)) is not None:
            messages.append(message)
        return messages

    def bodies(self, queue):
        return [message.body.decode() for message in self.empty(queue)]

    def ready(self, queue):
        """How many messages are ready, by passive declare."""
        return self.call("queue.declare", queue=queue, passive=True).message_count

    def await_ready(self, queue, count, timeout=TIMEOUT):
        """Wait until this many messages are ready; requeues may take a moment to show."""
        limit = time.monotonic() + timeout
        while (now := self.ready(queue)) != count:
            assert time.monotonic() < limit, f"{now} messages are ready, not {count}"
            time.sleep(0.01)

    def consume(self, queue, tag="", **options):
        """Start a consumer and return its tag."""
        return self.call("basic.consume", queue=queue, consumer_tag=tag, **options).consumer_tag

    def delivery(self, timeout=TIMEOUT, **options):
        return self.wait("basic.deliver", timeout=timeout, **options)

    def deliveries(self, count, timeout=TIMEOUT):
        return [self.delivery(timeout) for _ in range(count)]

    def cancel(self, tag):
        self.call("basic.cancel", consumer_tag=tag)

    def ack(self, tag, multiple=False):
        self.send("basic.ack", delivery_tag=tag, multiple=multiple)

    def nack(self, tag, multiple=False, requeue=True):
        self.send("basic.nack", delivery_tag=tag, multiple=multiple, requeue=requeue)

    def reject(self, tag, requeue=True):
        self.send("basic.reject", delivery_tag=tag, requeue=requeue)

    def exists(self, kind, name):
        """Whether a queue or exchange exists, asked on a channel of its own."""
        probe = self.connection.channel()
        try:
            probe.call(f"{kind}.declare", **{kind: name, "passive": True})
        except ClosedByBroker as closed:
            assert closed.method.reply_code == 404, closed
            return False
        probe.close()
        return True


def connect(address, **options):
    """Open a connection and run the handshake."""
    connection = Connection(address)
    try:
        return connection.handshake(**options)
    except BaseException:
        connection.drop()
        raise
