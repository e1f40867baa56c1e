// SPDX-License-Identifier: Apache-2.0
// The assembler: from text to a program.
#pragma once

#include "tools/tpal/program.hpp"

#include <string>
#include <string_view>

namespace tpal {

// `file` is what errors call the text. Throws program_error with all that the grammar and the checks find wrong.
program assemble(std::string_view text, const std::string& file);

// Reads the file. Throws as assemble(), and std::runtime_error that names a file that cannot be read.
program assemble_file(const std::string& path);

}  // namespace tpal
