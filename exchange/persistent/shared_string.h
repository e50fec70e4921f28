#pragma once

#include <cstdint>
#include <cstring>
#include <new>
#include <string_view>

#include "exchange/persistent/ref_counted.h"

namespace leveret::exchange {

// Immutable bytes with a shared owner count; a pointer wide. The empty string owns nothing.
class SharedString {
 public:
  SharedString() = default;
  explicit SharedString(std::string_view bytes) {
    if (!bytes.empty()) block_ = Block::make(bytes);
  }

  std::string_view view() const {
    return block_ ? std::string_view(block_->bytes(), block_->size) : std::string_view();
  }
  bool empty() const { return !block_; }

 private:
  struct Block : RefCounted {
    explicit Block(std::uint32_t bytes_size) : size(bytes_size) {}

    static Ref<Block> make(std::string_view bytes) {
      void* memory = ::operator new(sizeof(Block) + bytes.size());
      auto* block = new (memory) Block(static_cast<std::uint32_t>(bytes.size()));
      std::memcpy(static_cast<char*>(memory) + sizeof(Block), bytes.data(), bytes.size());
      return Ref<Block>(block);
    }
    const char* bytes() const { return reinterpret_cast<const char*>(this + 1); }

    friend void intrusive_ptr_add_ref(const Block* block) { block->acquire(); }
    friend void intrusive_ptr_release(const Block* block) {
      if (!block->release()) return;
      block->~Block();
      ::operator delete(const_cast<Block*>(block));
    }

    const std::uint32_t size;
  };

  Ref<Block> block_;
};

}  // namespace leveret::exchange
