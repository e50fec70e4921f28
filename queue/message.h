#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <boost/smart_ptr/intrusive_ptr.hpp>

// A message in memory is one block that holds the frames of its delivery as they go on the wire:
//
//   exchange (short string)  routing key (short string)  0xCE      end of the deliver method frame
//   0x02 channel size  class weight body-size properties  0xCE     header frame
//   0x03 channel size  body  0xCE                                  body frame; none if the body is
//                                                                  empty
//
// A delivery writes the beginning of its method frame, then this image, and patches the channel
// into both frames. Only a body that is larger than the receiver's frame_max is cut into frames
// anew.
namespace leveret::queue {

class Message;
using MessageRef = boost::intrusive_ptr<Message>;

// Immutable once complete; shared by all queues that hold it, on any loop.
class Message {
 public:
  struct Parts {
    std::string_view exchange;     // at most 255 bytes
    std::string_view routing_key;  // at most 255 bytes
    std::string_view properties;   // property-flags and property-list, encoded
    std::uint64_t body_size = 0;   // bytes that append_body() will bring
    bool persistent = false;       // delivery_mode 2
    std::uint8_t priority = 0;
    std::int64_t expiration_ms = -1;  // the expiration property; -1: none
  };

  // Room for a large body grows as its bytes arrive: what a peer merely announces costs nothing.
  static MessageRef create(const Parts& parts);
  // REQUIRES: `message` has no other reference, and the body's announced size is not exceeded.
  // May move the message.
  static void append_body(MessageRef& message, std::string_view bytes);
  // A complete message.
  static MessageRef create(const Parts& parts, std::string_view body);
  // The same properties and body under other exchange, key or properties.
  static MessageRef copy_with(const Message& from, const Parts& parts);

  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;

  std::string_view exchange() const;
  std::string_view routing_key() const;
  std::string_view properties() const;
  std::string_view body() const;
  std::uint64_t body_size() const { return body_size_; }
  bool persistent() const { return persistent_; }
  std::uint8_t priority() const { return priority_; }
  std::int64_t expiration_ms() const { return expiration_ms_; }

  // Exchange, key and frame end, header frame, body frame: see above.
  std::string_view image() const { return {bytes(), image_size_}; }
  // Where in image() the frames begin. body_frame_at() equals image().size() for an empty body.
  std::uint32_t header_frame_at() const { return header_at_; }
  std::uint32_t body_frame_at() const { return body_at_; }
  // Memory it takes, for accounting.
  std::size_t footprint() const { return capacity_; }

  // Bytes of all messages alive in this process, on all threads.
  static std::int64_t bytes_alive();

  friend void intrusive_ptr_add_ref(Message* m) noexcept {
    m->references_.fetch_add(1, std::memory_order_relaxed);
  }
  friend void intrusive_ptr_release(Message* m) noexcept {
    if (m->references_.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy(m);
  }

 private:
  Message() = default;
  static Message* allocate(std::size_t capacity);
  static void destroy(Message* message) noexcept;
  char* bytes() { return reinterpret_cast<char*>(this + 1); }
  const char* bytes() const { return reinterpret_cast<const char*>(this + 1); }

  std::atomic<std::uint32_t> references_{0};
  bool persistent_ = false;
  std::uint8_t priority_ = 0;
  std::uint8_t exchange_size_ = 0;
  std::uint8_t key_size_ = 0;
  std::uint32_t header_at_ = 0;
  std::uint32_t body_at_ = 0;
  std::uint64_t body_size_ = 0;
  std::uint64_t image_size_ = 0;
  std::uint64_t capacity_ = 0;  // bytes allocated, this object included
  std::int64_t expiration_ms_ = -1;
};

}  // namespace leveret::queue
