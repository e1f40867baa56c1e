// SPDX-License-Identifier: Apache-2.0
#include "observe/trace_cursor.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace sennit::detail {

bool trace_cursor::grow() noexcept {
  if (beyond_ != 0) return false;
  cursor_level* const begin = more_ ? more_.get() : first_.data();
  const auto levels = static_cast<std::size_t>(end_ - begin) + 1;
  std::unique_ptr<cursor_level[]> larger(new (std::nothrow) cursor_level[2 * levels]);
  if (!larger) return false;
  std::copy_n(begin, levels, larger.get());
  top_ = larger.get() + (top_ - begin);
  end_ = larger.get() + 2 * levels - 1;
  more_ = std::move(larger);
  return true;
}

}  // namespace sennit::detail
