// SPDX-License-Identifier: Apache-2.0
// Response files: `@file` in a command stands for the words in the file.
#pragma once

#include <string>
#include <vector>

namespace rollforward {

// The command with the words of its response files in place of their names, as GCC and clang read them. A name
// of no file stays as it is. Throws std::runtime_error for files that name each other without end.
std::vector<std::string> with_response_files(const std::vector<std::string>& command);

}  // namespace rollforward
