#pragma once

#include "config/settings.h"

namespace leveret::server {

// Throws std::runtime_error when the file cannot be opened.
void set_up_logging(const config::LogSettings& settings);

}  // namespace leveret::server
