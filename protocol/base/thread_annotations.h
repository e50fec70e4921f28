#pragma once

// Clang's thread-safety analysis; empty for other compilers.
#if defined(__clang__)
#define LV_CAPABILITY(x) __attribute__((capability(x)))
#define LV_GUARDED_BY(x) __attribute__((guarded_by(x)))
#define LV_REQUIRES(...) __attribute__((requires_capability(__VA_ARGS__)))
#define LV_ASSERT_CAPABILITY(x) __attribute__((assert_capability(x)))
#else
#define LV_CAPABILITY(x)
#define LV_GUARDED_BY(x)
#define LV_REQUIRES(...)
#define LV_ASSERT_CAPABILITY(x)
#endif
