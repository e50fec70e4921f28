#include "config/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <array>
#include <cstdint>
#include <pcre2.h>

namespace leveret::config {

namespace {

// Subjects are names and routing keys of at most 255 bytes. 100,000 backtracks are far more than an
// honest pattern needs on so short a text and end within a few milliseconds.
constexpr std::uint32_t kMatchLimit = 100000;
constexpr std::uint32_t kDepthLimit = 10000;
// Bounds what the depth limit may cost: 10,000 frames of a simple pattern take 1.5 MiB.
constexpr std::uint32_t kHeapLimitKib = 4096;
constexpr std::size_t kPatternBytesMax = 65536;

// Read only after construction, so that all threads may share it.
const pcre2_match_context* match_limits() {
  static const pcre2_match_context* const kContext = [] {
    pcre2_match_context* context = pcre2_match_context_create(nullptr);
    pcre2_set_match_limit(context, kMatchLimit);
    pcre2_set_depth_limit(context, kDepthLimit);
    pcre2_set_heap_limit(context, kHeapLimitKib);
    return context;
  }();
  return kContext;
}

struct FreeMatchData {
  void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
};

// Match data is scratch space that two threads must not share. Keeping one a thread spares every
// permission check an allocation.
pcre2_match_data* thread_match_data() {
  thread_local const std::unique_ptr<pcre2_match_data, FreeMatchData> kData(
      pcre2_match_data_create(1, nullptr));
  return kData.get();
}

std::string message_of(int code, std::size_t offset) {
  std::array<PCRE2_UCHAR, 256> text{};
  pcre2_get_error_message(code, text.data(), text.size());
  return std::string(reinterpret_cast<const char*>(text.data())) + " at offset " +
         std::to_string(offset);
}

}  // namespace

struct Pattern::Code {
  enum class Kind : std::uint8_t { kEmptyOnly, kEverything, kCompiled };

  explicit Code(Kind k, pcre2_code* c = nullptr) : kind(k), compiled(c) {}
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;
  ~Code() { pcre2_code_free(compiled); }

  const Kind kind;
  pcre2_code* const compiled;
};

Pattern::Pattern() = default;
Pattern::~Pattern() = default;
Pattern::Pattern(const Pattern&) = default;
Pattern& Pattern::operator=(const Pattern&) = default;

std::optional<Pattern> Pattern::compile(const std::string& pattern, std::string* error) {
  Pattern result;
  if (pattern.empty()) {
    result.code_ = std::make_shared<const Code>(Code::Kind::kEmptyOnly);
    return result;
  }
  // What nearly every user may do; worth not asking PCRE on each publish.
  if (pattern == ".*") {
    result.code_ = std::make_shared<const Code>(Code::Kind::kEverything);
    return result;
  }
  if (pattern.size() > kPatternBytesMax) {
    *error = "pattern is longer than " + std::to_string(kPatternBytesMax) + " bytes";
    return std::nullopt;
  }
  int code = 0;
  std::size_t offset = 0;
  pcre2_code* compiled = pcre2_compile(
      reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
      PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C, &code, &offset, nullptr);
  if (compiled == nullptr) {
    *error = message_of(code, offset);
    return std::nullopt;
  }
  // Where the machine has no JIT, or it may not map executable memory, matching is only slower.
  pcre2_jit_compile(compiled, PCRE2_JIT_COMPLETE);
  result.code_ = std::make_shared<const Code>(Code::Kind::kCompiled, compiled);
  return result;
}

bool Pattern::matches(std::string_view subject) const {
  if (!code_) return false;
  if (code_->kind == Code::Kind::kEmptyOnly) return subject.empty();
  if (code_->kind == Code::Kind::kEverything) return true;
  const auto run = [&](std::uint32_t options) {
    return pcre2_match(code_->compiled, reinterpret_cast<PCRE2_SPTR>(subject.data()),
                       subject.size(), 0, options, thread_match_data(),
                       const_cast<pcre2_match_context*>(match_limits()));
  };
  int result = run(0);
  // JIT code has a fixed stack of 32 KiB; the interpreter has the limits above.
  if (result == PCRE2_ERROR_JIT_STACKLIMIT) result = run(PCRE2_NO_JIT);
  return result >= 0;
}

}  // namespace leveret::config
