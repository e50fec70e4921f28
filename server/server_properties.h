#pragma once

#include <string>

namespace leveret::server {

// Entries of the table that connection.start carries.
std::string server_properties();

}  // namespace leveret::server
