#include "queue/message.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "protocol/base/assert.h"
#include "protocol/frame.h"
#include "protocol/limits.h"
#include "queue/memory_count.h"

namespace leveret::queue {
namespace {

using protocol::kFrameEnd;
using protocol::kFrameHeaderBytes;

// class, weight, body size: what a header frame's payload has before the properties.
constexpr std::size_t kHeaderFixed = 12;
// A larger body gets room for this much at first and more as it arrives.
constexpr std::size_t kBodyRoomFirst = 1024 * 1024;

char* put(char* at, std::uint64_t value, int bytes) {
  for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8)
    *at++ = static_cast<char>(value >> shift);
  return at;
}

char* put_short_string(char* at, std::string_view text) {
  *at++ = static_cast<char>(text.size());
  return at + text.copy(at, text.size());
}

char* put_frame_header(char* at, protocol::FrameType type, std::uint64_t size) {
  *at++ = static_cast<char>(type);
  at = put(at, 0, 2);
  return put(at, size, 4);
}

}  // namespace

std::int64_t Message::bytes_alive() {
  return MemoryCount::total();
}

Message* Message::allocate(std::size_t capacity) {
  void* memory = std::malloc(capacity);
  if (memory == nullptr) throw std::bad_alloc();
  auto* message = new (memory) Message();
  message->capacity_ = capacity;
  MemoryCount::add(static_cast<std::int64_t>(capacity));
  return message;
}

void Message::destroy(Message* message) noexcept {
  MemoryCount::add(-static_cast<std::int64_t>(message->capacity_));
  message->~Message();
  std::free(message);
}

MessageRef Message::create(const Parts& parts) {
  const std::size_t start = 1 + parts.exchange.size() + 1 + parts.routing_key.size() + 1;
  const std::size_t header = kFrameHeaderBytes + kHeaderFixed + parts.properties.size() + 1;
  const std::size_t body_room = std::min<std::uint64_t>(parts.body_size, kBodyRoomFirst);
  const std::size_t body = parts.body_size == 0 ? 0 : kFrameHeaderBytes + body_room + 1;
  Message* message = allocate(sizeof(Message) + start + header + body);
  message->persistent_ = parts.persistent;
  message->priority_ = parts.priority;
  message->expiration_ms_ = parts.expiration_ms;
  message->exchange_size_ = static_cast<std::uint8_t>(parts.exchange.size());
  message->key_size_ = static_cast<std::uint8_t>(parts.routing_key.size());
  message->header_at_ = static_cast<std::uint32_t>(start);
  message->body_at_ = static_cast<std::uint32_t>(start + header);
  message->body_size_ = parts.body_size;

  char* at = put_short_string(message->bytes(), parts.exchange);
  at = put_short_string(at, parts.routing_key);
  *at++ = kFrameEnd;
  at = put_frame_header(at, protocol::FrameType::kHeader, kHeaderFixed + parts.properties.size());
  at = put(at, 60, 2);  // class basic
  at = put(at, 0, 2);   // weight
  at = put(at, parts.body_size, 8);
  at += parts.properties.copy(at, parts.properties.size());
  *at++ = kFrameEnd;
  if (parts.body_size > 0) {
    at = put_frame_header(at, protocol::FrameType::kBody, parts.body_size);
  }
  message->image_size_ = static_cast<std::uint64_t>(at - message->bytes());
  return MessageRef(message);
}

void Message::append_body(MessageRef& message, std::string_view bytes) {
  Message* m = message.get();
  const std::uint64_t whole = sizeof(Message) + m->body_at_ + kFrameHeaderBytes + m->body_size_ + 1;
  const std::uint64_t needed = sizeof(Message) + m->image_size_ + bytes.size() + 1;
  LEVERET_ASSERT(needed <= whole);
  if (needed > m->capacity_) {
    const std::uint64_t capacity = std::min(std::max(m->capacity_ * 2, needed), whole);
    message.detach();
    void* moved = std::realloc(static_cast<void*>(m), capacity);
    if (moved == nullptr) {
      message = MessageRef(m, false);
      throw std::bad_alloc();
    }
    m = static_cast<Message*>(moved);
    MemoryCount::add(static_cast<std::int64_t>(capacity - m->capacity_));
    m->capacity_ = capacity;
    message = MessageRef(m, false);
  }
  m->image_size_ += bytes.copy(m->bytes() + m->image_size_, bytes.size());
  if (m->image_size_ == m->body_at_ + kFrameHeaderBytes + m->body_size_) {
    m->bytes()[m->image_size_++] = kFrameEnd;
  }
}

MessageRef Message::create(const Parts& parts, std::string_view body) {
  Parts complete = parts;
  complete.body_size = body.size();
  MessageRef message = create(complete);
  if (!body.empty()) append_body(message, body);
  return message;
}

MessageRef Message::copy_with(const Message& from, const Parts& parts) {
  return create(parts, from.body());
}

std::string_view Message::exchange() const {
  return {bytes() + 1, exchange_size_};
}

std::string_view Message::routing_key() const {
  return {bytes() + 1 + exchange_size_ + 1, key_size_};
}

std::string_view Message::properties() const {
  const std::size_t begin = header_at_ + kFrameHeaderBytes + kHeaderFixed;
  return {bytes() + begin, body_at_ - 1 - begin};
}

std::string_view Message::body() const {
  if (body_size_ == 0) return {};
  return {bytes() + body_at_ + kFrameHeaderBytes, body_size_};
}

}  // namespace leveret::queue
