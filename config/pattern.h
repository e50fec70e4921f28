#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace leveret::config {

// An unanchored regular expression as RabbitMQ uses them (PCRE) in permissions and policies, with a
// bound on backtracking. The empty pattern matches only the empty string, as in RabbitMQ's
// permissions. Immutable: may be used from several threads.
class Pattern {
 public:
  // Matches nothing.
  Pattern();
  ~Pattern();
  Pattern(const Pattern&);
  Pattern& operator=(const Pattern&);

  // Empty and *error ("missing closing parenthesis at offset 3") when it does not compile.
  static std::optional<Pattern> compile(const std::string& pattern, std::string* error);

  // A match that exceeds the bound counts as none, so a permission that is too costly to decide is
  // refused. Bytes that are not UTF-8 match nothing in the pattern.
  bool matches(std::string_view subject) const;

 private:
  struct Code;
  std::shared_ptr<const Code> code_;
};

}  // namespace leveret::config
