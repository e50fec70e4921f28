#pragma once

#include <cstdio>
#include <cstdlib>

// Checks a programmer's invariant, in release builds too. Never for what a peer or a disk sends:
// that gets an error reply or a report.
#define LEVERET_ASSERT(condition)                                                            \
  do {                                                                                       \
    if (!(condition)) [[unlikely]] {                                                         \
      std::fprintf(stderr, "%s:%d: assertion failed: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                          \
    }                                                                                        \
  } while (false)
