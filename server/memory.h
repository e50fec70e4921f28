#pragma once

#include <cstdint>

namespace leveret::server {

// Bytes of RAM this process may use: the smallest limit of its cgroup (v2 or v1) and the machine.
std::uint64_t available_memory();

// Bytes of RAM it uses now.
std::uint64_t resident_memory();

}  // namespace leveret::server
