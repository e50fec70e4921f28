#include <cstddef>
#include <cstdint>
#include <string>

#include "config/yaml_loader.h"

// Any bytes either load or throw ConfigError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    leveret::config::load_yaml(std::string(reinterpret_cast<const char*>(data), size), "fuzz");
  } catch (const leveret::config::ConfigError&) {
  }
  return 0;
}
