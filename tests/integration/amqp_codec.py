"""AMQP 0-9-1 on the wire: the methods, and values, tables and frames as octets."""
import struct

FRAME_METHOD, FRAME_HEADER, FRAME_BODY, FRAME_HEARTBEAT = 1, 2, 3, 8
FRAME_END = b"\xce"
PROTOCOL_HEADER = b"AMQP\x00\x00\x09\x01"

# Arguments are written "name type"; a bare name is a bit.
CLASSES = {
    "connection": (10, {
        "start": (10, "version_major octet, version_minor octet, server_properties table, "
                      "mechanisms longstr, locales longstr"),
        "start-ok": (11, "client_properties table, mechanism shortstr, response longstr, locale shortstr"),
        "secure": (20, "challenge longstr"),
        "secure-ok": (21, "response longstr"),
        "tune": (30, "channel_max short, frame_max long, heartbeat short"),
        "tune-ok": (31, "channel_max short, frame_max long, heartbeat short"),
        "open": (40, "virtual_host shortstr, capabilities shortstr, insist"),
        "open-ok": (41, "known_hosts shortstr"),
        "close": (50, "reply_code short, reply_text shortstr, class_id short, method_id short"),
        "close-ok": (51, ""),
        "blocked": (60, "reason shortstr"),
        "unblocked": (61, ""),
        "update-secret": (70, "new_secret longstr, reason shortstr"),
        "update-secret-ok": (71, ""),
    }),
    "channel": (20, {
        "open": (10, "out_of_band shortstr"),
        "open-ok": (11, "channel_id longstr"),
        "flow": (20, "active"),
        "flow-ok": (21, "active"),
        "close": (40, "reply_code short, reply_text shortstr, class_id short, method_id short"),
        "close-ok": (41, ""),
    }),
    "access": (30, {
        "request": (10, "realm shortstr, exclusive, passive, active, write, read"),
        "request-ok": (11, "ticket short"),
    }),
    "exchange": (40, {
        "declare": (10, "ticket short, exchange shortstr, type shortstr, passive, durable, "
                        "auto_delete, internal, nowait, arguments table"),
        "declare-ok": (11, ""),
        "delete": (20, "ticket short, exchange shortstr, if_unused, nowait"),
        "delete-ok": (21, ""),
        "bind": (30, "ticket short, destination shortstr, source shortstr, routing_key shortstr, "
                     "nowait, arguments table"),
        "bind-ok": (31, ""),
        "unbind": (40, "ticket short, destination shortstr, source shortstr, routing_key shortstr, "
                       "nowait, arguments table"),
        "unbind-ok": (51, ""),
    }),
    "queue": (50, {
        "declare": (10, "ticket short, queue shortstr, passive, durable, exclusive, "
                        "auto_delete, nowait, arguments table"),
        "declare-ok": (11, "queue shortstr, message_count long, consumer_count long"),
        "bind": (20, "ticket short, queue shortstr, exchange shortstr, routing_key shortstr, nowait, arguments table"),
        "bind-ok": (21, ""),
        "purge": (30, "ticket short, queue shortstr, nowait"),
        "purge-ok": (31, "message_count long"),
        "delete": (40, "ticket short, queue shortstr, if_unused, if_empty, nowait"),
        "delete-ok": (41, "message_count long"),
        "unbind": (50, "ticket short, queue shortstr, exchange shortstr, routing_key shortstr, arguments table"),
        "unbind-ok": (51, ""),
    }),
    "basic": (60, {
        "qos": (10, "prefetch_size long, prefetch_count short, global"),
        "qos-ok": (11, ""),
        "consume": (20, "ticket short, queue shortstr, consumer_tag shortstr, no_local, no_ack, "
                        "exclusive, nowait, arguments table"),
        "consume-ok": (21, "consumer_tag shortstr"),
        "cancel": (30, "consumer_tag shortstr, nowait"),
        "cancel-ok": (31, "consumer_tag shortstr"),
        "publish": (40, "ticket short, exchange shortstr, routing_key shortstr, mandatory, immediate"),
        "return": (50, "reply_code short, reply_text shortstr, exchange shortstr, routing_key shortstr"),
        "deliver": (60, "consumer_tag shortstr, delivery_tag longlong, redelivered, "
                        "exchange shortstr, routing_key shortstr"),
        "get": (70, "ticket short, queue shortstr, no_ack"),
        "get-ok": (71, "delivery_tag longlong, redelivered, exchange shortstr, "
                       "routing_key shortstr, message_count long"),
        "get-empty": (72, "cluster_id shortstr"),
        "ack": (80, "delivery_tag longlong, multiple"),
        "reject": (90, "delivery_tag longlong, requeue"),
        "recover-async": (100, "requeue"),
        "recover": (110, "requeue"),
        "recover-ok": (111, ""),
        "nack": (120, "delivery_tag longlong, multiple, requeue"),
    }),
    "confirm": (85, {"select": (10, "nowait"), "select-ok": (11, "")}),
    "tx": (90, {
        "select": (10, ""), "select-ok": (11, ""),
        "commit": (20, ""), "commit-ok": (21, ""),
        "rollback": (30, ""), "rollback-ok": (31, ""),
    }),
}

SPEC = {}
NAMES = {}
for _class, (_class_id, _methods) in CLASSES.items():
    for _method, (_method_id, _text) in _methods.items():
        _args = [tuple(part.split()) if " " in part.strip() else (part.strip(), "bit")
                 for part in _text.split(",") if part.strip()]
        SPEC[f"{_class}.{_method}"] = (_class_id, _method_id, _args)
        NAMES[_class_id, _method_id] = f"{_class}.{_method}"

WITH_CONTENT = {"basic.publish", "basic.return", "basic.deliver", "basic.get-ok"}

# In the order of the property flags, highest bit (15) first.
PROPERTIES = [
    ("content_type", "shortstr"), ("content_encoding", "shortstr"), ("headers", "table"),
    ("delivery_mode", "octet"), ("priority", "octet"), ("correlation_id", "shortstr"),
    ("reply_to", "shortstr"), ("expiration", "shortstr"), ("message_id", "shortstr"),
    ("timestamp", "longlong"), ("type", "shortstr"), ("user_id", "shortstr"),
    ("app_id", "shortstr"), ("cluster_id", "shortstr"),
]


class Typed:
    """A field value given by its type letter and its payload."""

    def __init__(self, letter, payload):
        self.encoded = letter.encode() + payload


def ids(method):
    """Class and method id of a method name; None stands for (0, 0)."""
    return SPEC[method][:2] if method else (0, 0)


def octets(value):
    return value.encode() if isinstance(value, str) else bytes(value)


def shortstr(value):
    value = octets(value)
    return bytes([len(value)]) + value


def longstr(value):
    value = octets(value)
    return struct.pack(">I", len(value)) + value


def field(value):
    """Encode one field value, type letter included."""
    match value:
        case Typed():
            return value.encoded
        case bool():
            return b"t" + bytes([value])
        case int():
            small = -2**31 <= value < 2**31
            return struct.pack(">ci", b"I", value) if small else struct.pack(">cq", b"l", value)
        case float():
            return struct.pack(">cd", b"d", value)
        case str():
            return b"S" + longstr(value)
        case bytes():
            return b"x" + longstr(value)
        case list():
            return b"A" + longstr(b"".join(map(field, value)))
        case dict():
            return b"F" + table(value)
        case None:
            return b"V"
    raise TypeError(value)


def table_body(values):
    return b"".join(shortstr(key) + field(value) for key, value in values.items())


def table(values):
    """Encode a table; bytes are taken as an already encoded table body."""
    return longstr(values if isinstance(values, bytes) else table_body(values or {}))


class Reader:
    """Takes AMQP values one after the other from a byte string."""
    FIXED = {"t": "?", "b": "b", "B": "B", "s": "h", "u": "H", "I": "i", "i": "I",
             "l": "q", "L": "q", "f": "f", "d": "d", "T": "Q"}

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        if self.at + count > len(self.data):
            raise AssertionError("the broker sent a frame that ends too early")
        self.at += count
        return self.data[self.at - count:self.at]

    def number(self, code):
        return struct.unpack(">" + code, self.take(struct.calcsize(">" + code)))[0]

    def value(self, kind):
        match kind:
            case "octet":
                return self.number("B")
            case "short":
                return self.number("H")
            case "long":
                return self.number("I")
            case "longlong":
                return self.number("Q")
            case "shortstr":
                return self.take(self.number("B")).decode("utf-8", "surrogateescape")
            case "longstr":
                return self.take(self.number("I"))
            case "table":
                return self.fields()
        raise TypeError(kind)

    def fields(self):
        inner, result = Reader(self.value("longstr")), {}
        while inner.at < len(inner.data):
            key = inner.value("shortstr")
            result[key] = inner.field()
        return result

    def field(self):
        letter = chr(self.number("B"))
        if letter in self.FIXED:
            return self.number(self.FIXED[letter])
        match letter:
            case "S":
                return self.value("longstr").decode("utf-8", "surrogateescape")
            case "x":
                return self.value("longstr")
            case "F":
                return self.fields()
            case "A":
                inner, result = Reader(self.value("longstr")), []
                while inner.at < len(inner.data):
                    result.append(inner.field())
                return result
            case "D":
                scale, unscaled = self.number("B"), self.number("i")
                return unscaled / 10 ** scale
            case "V":
                return None
        raise AssertionError(f"the broker sent a field of the unknown type {letter!r}")

    def arguments(self, spec):
        result, bits, used = {}, 0, 8
        for key, kind in spec:
            if kind == "bit":
                if used == 8:
                    bits, used = self.number("B"), 0
                result[key] = bool(bits >> used & 1)
                used += 1
            else:
                used = 8
                result[key] = self.value(kind)
        return result


def scalar(kind, value):
    match kind:
        case "octet":
            return struct.pack(">B", value or 0)
        case "short":
            return struct.pack(">H", value or 0)
        case "long":
            return struct.pack(">I", value or 0)
        case "longlong":
            return struct.pack(">Q", value or 0)
        case "shortstr":
            return shortstr(value or b"")
        case "longstr":
            return longstr(value or b"")
        case "table":
            return table(value)
    raise TypeError(kind)


def method_payload(name, **arguments):
    """The payload of a method frame. Arguments left out are zero, empty or false."""
    class_id, method_id, spec = SPEC[name]
    unknown = set(arguments) - {key for key, _ in spec}
    if unknown:
        raise TypeError(f"{name} has no argument {unknown}")
    out, bits = struct.pack(">HH", class_id, method_id), []
    for key, kind in [*spec, (None, None)]:
        if kind == "bit":
            bits.append(bool(arguments.get(key)))
            continue
        if bits:
            out += bytes([sum(bit << place for place, bit in enumerate(bits))])
            bits = []
        if kind:
            out += scalar(kind, arguments.get(key))
    return out


def header_payload(body_size, properties=None, class_id=60, weight=0):
    """The payload of a content header frame; properties may be raw bytes from the flags on."""
    if not isinstance(properties, bytes):
        flags, rest, properties = 0, b"", properties or {}
        for place, (key, kind) in enumerate(PROPERTIES):
            if properties.get(key) is not None:
                flags |= 1 << 15 - place
                rest += scalar(kind, properties[key])
        properties = struct.pack(">H", flags) + rest
    return struct.pack(">HHQ", class_id, weight, body_size) + properties


def frame(kind, channel, payload, end=FRAME_END, size=None):
    return struct.pack(">BHI", kind, channel, len(payload) if size is None else size) + payload + end
