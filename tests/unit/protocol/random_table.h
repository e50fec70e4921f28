#pragma once

#include <rapidcheck.h>
#include <string>

namespace leveret::protocol::test {

// Entries of a well-formed table with every field type, nested up to a few levels.
rc::Gen<std::string> random_table();
// A name as short strings in methods carry it: UTF-8, at most 255 bytes.
rc::Gen<std::string> random_name();
// Any bytes, at most 255.
rc::Gen<std::string> random_short_bytes();

}  // namespace leveret::protocol::test
