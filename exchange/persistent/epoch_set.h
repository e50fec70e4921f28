#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace leveret::exchange {

// A set that is emptied at no cost and keeps its memory: each place remembers in which epoch it was
// taken. Hash: T -> well mixed 64 bits.
template <typename T, typename Hash>
class EpochSet {
 public:
  void clear() {
    size_ = 0;
    if (++epoch_ != 0) return;
    // After 2^32 epochs the marks of the first ones would look new.
    std::ranges::fill(places_, Place{});
    epoch_ = 1;
  }

  // False if it was there already.
  bool insert(const T& item) {
    if ((size_ + 1) * 2 > places_.size()) grow();
    if (!take(item)) return false;
    ++size_;
    return true;
  }

  std::size_t size() const { return size_; }

 private:
  struct Place {
    T item{};
    std::uint32_t epoch = 0;
  };

  bool take(const T& item) {
    const std::size_t mask = places_.size() - 1;
    std::size_t at = Hash{}(item)&mask;
    while (places_[at].epoch == epoch_) {
      if (places_[at].item == item) return false;
      at = (at + 1) & mask;
    }
    places_[at] = {item, epoch_};
    return true;
  }

  void grow() {
    constexpr std::size_t kPlacesMin = 64;
    std::vector<Place> old(std::max(kPlacesMin, places_.size() * 2));
    old.swap(places_);
    for (const Place& place : old) {
      if (place.epoch == epoch_) take(place.item);
    }
  }

  // Open addressing; the size is zero or a power of two.
  std::vector<Place> places_;
  std::size_t size_ = 0;
  std::uint32_t epoch_ = 1;
};

}  // namespace leveret::exchange
