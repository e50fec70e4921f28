#include "protocol/frame_encoder.h"

#include "protocol/frame.h"
#include "protocol/limits.h"
#include "protocol/wire_writer.h"

namespace leveret::protocol {

namespace {

constexpr std::uint16_t kBasicClass = 60;
// class-id, weight and body-size.
constexpr std::uint32_t kContentFixedBytes = 12;
// "No limit" still has to fit the frame's size field.
constexpr std::size_t kPayloadBytesMax = 0x7FFFFFFF;

void write_frame_header(WireCursor& cursor, FrameType type, ChannelId channel,
                        std::size_t payload_bytes) {
  cursor.octet(static_cast<std::uint8_t>(type));
  cursor.short_uint(channel.value);
  cursor.long_uint(static_cast<std::uint32_t>(payload_bytes));
}

}  // namespace

void write_content_header(Buffer& out, ChannelId channel, std::uint64_t body_size,
                          std::string_view properties) {
  const std::size_t payload_bytes = kContentFixedBytes + properties.size();
  WireCursor cursor(out.prepare(payload_bytes + kFrameOverhead));
  write_frame_header(cursor, FrameType::kHeader, channel, payload_bytes);
  cursor.short_uint(kBasicClass);
  cursor.short_uint(0);
  cursor.longlong_uint(body_size);
  cursor.raw(properties);
  cursor.octet(static_cast<std::uint8_t>(kFrameEnd));
  out.commit(payload_bytes + kFrameOverhead);
}

void write_body(Buffer& out, ChannelId channel, std::string_view body, std::uint32_t frame_max) {
  const std::size_t payload_max = frame_max == 0 ? kPayloadBytesMax : frame_max - kFrameOverhead;
  while (!body.empty()) {
    const std::string_view piece = body.substr(0, payload_max);
    WireCursor cursor(out.prepare(piece.size() + kFrameOverhead));
    write_frame_header(cursor, FrameType::kBody, channel, piece.size());
    cursor.raw(piece);
    cursor.octet(static_cast<std::uint8_t>(kFrameEnd));
    out.commit(piece.size() + kFrameOverhead);
    body.remove_prefix(piece.size());
  }
}

void write_heartbeat(Buffer& out) {
  WireCursor cursor(out.prepare(kFrameOverhead));
  write_frame_header(cursor, FrameType::kHeartbeat, ChannelId(0), 0);
  cursor.octet(static_cast<std::uint8_t>(kFrameEnd));
  out.commit(kFrameOverhead);
}

}  // namespace leveret::protocol
