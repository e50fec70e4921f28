#include "server/message_frames.h"

#include <cstring>

#include "protocol/frame.h"
#include "protocol/limits.h"
#include "protocol/methods.h"

namespace leveret::server {
namespace {

using protocol::kFrameHeaderBytes;

char* put16(char* at, std::uint16_t v) {
  at[0] = static_cast<char>(v >> 8);
  at[1] = static_cast<char>(v);
  return at + 2;
}

char* put32(char* at, std::uint32_t v) {
  return put16(put16(at, static_cast<std::uint16_t>(v >> 16)), static_cast<std::uint16_t>(v));
}

char* put64(char* at, std::uint64_t v) {
  return put32(put32(at, static_cast<std::uint32_t>(v >> 32)), static_cast<std::uint32_t>(v));
}

bool body_fits(const queue::Message& message, std::uint32_t frame_max) {
  return message.body_size() <= frame_max - protocol::kFrameOverhead;
}

// Body frames for a body that is larger than a frame, or that is borrowed.
void write_body_frames(OutputQueue& output, std::uint32_t frame_max, ChannelId channel,
                       const queue::MessageRef& message) {
  std::string_view body = message->body();
  const std::size_t piece_max = frame_max - protocol::kFrameOverhead;
  while (!body.empty()) {
    const std::string_view piece = body.substr(0, piece_max);
    body.remove_prefix(piece.size());
    Buffer& out = output.buffer();
    char* at = out.prepare(kFrameHeaderBytes);
    *at = static_cast<char>(protocol::FrameType::kBody);
    put32(put16(at + 1, channel.value), static_cast<std::uint32_t>(piece.size()));
    out.commit(kFrameHeaderBytes);
    if (piece.size() >= OutputQueue::kBorrowFrom) {
      output.borrow(message, piece);
    } else {
      out.append(piece);
    }
    out.append(&protocol::kFrameEnd, 1);
  }
}

}  // namespace

void write_message_frames(OutputQueue& output, std::uint32_t frame_max, ChannelId channel,
                          const queue::MessageRef& message, const DeliverStart& start) {
  const std::string_view image = message->image();
  const std::uint32_t header_at = message->header_frame_at();
  const std::uint32_t body_at = message->body_frame_at();
  const bool whole =
      message->body_size() < OutputQueue::kBorrowFrom && body_fits(*message, frame_max);
  const std::size_t copied = whole ? image.size() : body_at;
  // class, method, consumer tag, delivery tag, redelivered; exchange, key and frame end follow.
  const std::size_t fixed = 4 + 1 + start.consumer_tag.size() + 8 + 1;

  Buffer& out = output.buffer();
  char* at = out.prepare(kFrameHeaderBytes + fixed + copied);
  *at++ = static_cast<char>(protocol::FrameType::kMethod);
  at = put16(at, channel.value);
  at = put32(at, static_cast<std::uint32_t>(fixed + header_at - 1));
  at = put16(at, protocol::BasicDeliver::class_id);
  at = put16(at, protocol::BasicDeliver::method_id);
  *at++ = static_cast<char>(start.consumer_tag.size());
  std::memcpy(at, start.consumer_tag.data(), start.consumer_tag.size());
  at = put64(at + start.consumer_tag.size(), start.delivery_tag);
  *at++ = start.redelivered ? 1 : 0;
  std::memcpy(at, image.data(), copied);
  put16(at + header_at + 1, channel.value);
  if (whole && body_at < image.size()) put16(at + body_at + 1, channel.value);
  out.commit(kFrameHeaderBytes + fixed + copied);
  if (!whole) write_body_frames(output, frame_max, channel, message);
}

void write_content_frames(OutputQueue& output, std::uint32_t frame_max, ChannelId channel,
                          const queue::MessageRef& message) {
  const std::string_view image = message->image();
  const std::uint32_t header_at = message->header_frame_at();
  const std::size_t header_size = message->body_frame_at() - header_at;
  Buffer& out = output.buffer();
  char* at = out.prepare(header_size);
  std::memcpy(at, image.data() + header_at, header_size);
  put16(at + 1, channel.value);
  out.commit(header_size);
  write_body_frames(output, frame_max, channel, message);
}

}  // namespace leveret::server
