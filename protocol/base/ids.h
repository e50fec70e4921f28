#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace leveret {

// A number that only mixes with its own kind.
template <typename Tag, typename Rep>
struct StrongId {
  Rep value{};

  constexpr StrongId() = default;
  constexpr explicit StrongId(Rep v) : value(v) {}
  friend constexpr auto operator<=>(StrongId, StrongId) = default;
};

using ChannelId = StrongId<struct ChannelIdTag, std::uint16_t>;
// Counts deliveries of one channel, from 1 (AMQP 0-9-1 delivery-tag).
using DeliveryTag = StrongId<struct DeliveryTagTag, std::uint64_t>;
// Order of a message within one queue, from 1; never reused.
using MessageSeq = StrongId<struct MessageSeqTag, std::uint64_t>;
using ConnectionId = StrongId<struct ConnectionIdTag, std::uint64_t>;
// A consumer of one queue; unique within that queue for the life of the process.
using ConsumerId = StrongId<struct ConsumerIdTag, std::uint64_t>;

// Names a queue without a pointer: its home loop, a slot there, and the generation of that slot,
// so that an id kept after the queue's deletion is recognised as stale.
struct QueueId {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;
  std::uint16_t loop = 0;

  friend constexpr auto operator<=>(const QueueId&, const QueueId&) = default;
};

}  // namespace leveret

template <typename Tag, typename Rep>
struct std::hash<leveret::StrongId<Tag, Rep>> {
  std::size_t operator()(leveret::StrongId<Tag, Rep> id) const noexcept {
    return std::hash<Rep>{}(id.value);
  }
};

template <>
struct std::hash<leveret::QueueId> {
  std::size_t operator()(const leveret::QueueId& id) const noexcept {
    return (static_cast<std::size_t>(id.generation) << 32 | id.index) * 0x9E3779B97F4A7C15u +
           id.loop;
  }
};
