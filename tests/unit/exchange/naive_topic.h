#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace leveret::exchange::naive {

inline std::vector<std::string> split_words(std::string_view key) {
  std::vector<std::string> words;
  if (key.empty()) return words;
  words.emplace_back();
  for (const char c : key) {
    if (c == '.') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

// Straight from the definition: reach[j] says whether the pattern's words so far can take exactly
// the first j words of the key.
inline bool topic_matches(std::string_view pattern, std::string_view key) {
  const std::vector<std::string> words = split_words(key);
  std::vector<bool> reach(words.size() + 1, false);
  reach[0] = true;
  for (const std::string& wanted : split_words(pattern)) {
    std::vector<bool> next(words.size() + 1, false);
    if (wanted == "#") {
      bool any = false;
      for (std::size_t j = 0; j <= words.size(); ++j) next[j] = any = any || reach[j];
    } else {
      for (std::size_t j = 0; j < words.size(); ++j) {
        next[j + 1] = reach[j] && (wanted == "*" || wanted == words[j]);
      }
    }
    reach = next;
  }
  return reach[words.size()];
}

}  // namespace leveret::exchange::naive
