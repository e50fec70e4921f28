#include "server/memory.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <unistd.h>

namespace leveret::server {
namespace {

// "max" or a missing file means no limit.
std::uint64_t read_limit(const std::string& path, std::uint64_t otherwise) {
  std::ifstream file(path);
  std::uint64_t bytes = 0;
  return file >> bytes ? bytes : otherwise;
}

}  // namespace

std::uint64_t available_memory() {
  const std::uint64_t machine = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                                static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  // Inside a container the root of the mount is the container's own group; outside, the line in
  // /proc/self/cgroup leads to it.
  std::uint64_t limit =
      std::min(read_limit("/sys/fs/cgroup/memory.max", machine),
               read_limit("/sys/fs/cgroup/memory/memory.limit_in_bytes", machine));
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (!line.starts_with("0::/")) continue;
    // A limit may be set on any group above this one, too.
    std::string group = line.substr(3);
    while (group.size() > 1) {
      limit = std::min(limit, read_limit("/sys/fs/cgroup" + group + "/memory.max", machine));
      group.resize(group.rfind('/'));
    }
  }
  return std::min(limit, machine);
}

std::uint64_t resident_memory() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  statm >> total >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace leveret::server
