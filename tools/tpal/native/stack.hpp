// SPDX-License-Identifier: Apache-2.0
// A task's stack in native code, with its promotion-ready marks.
#include <algorithm>
#include <cstdint>
#include <memory>

namespace tpal_native {
namespace {

// The newest cell, from which older ones follow, and the end of the list of marks. The code of a task keeps them in variables of
// its own: in registers of the machine.
struct stack_top {
  number* sp;
  std::uintptr_t* marks;
};

inline std::uintptr_t address(const number* cell) { return reinterpret_cast<std::uintptr_t>(cell); }

// In the middle of the cell. So no mark is the address of a cell, nor the end of the stack a mark.
inline std::uintptr_t mark_of(const number* cell) { return address(cell) + sizeof(number) / 2; }

// Before the marks that are left, there is the end of the stack, which is older than all cells: the code compares with the newest
// mark without asking whether there is one. If the newest mark is older than a cell's address, the stack has this cell,
// and no mark is newer. The list has more room than there can be marks.
class stack {
 public:
  number* limit = nullptr;            // the stack can grow down to here
  number* end = nullptr;              // and has all cells before here
  std::uintptr_t* first = none_ + 1;  // the oldest mark that is left, or where the next one will be

  stack() = default;
  stack(const stack&) = delete;
  stack& operator=(const stack&) = delete;

  [[gnu::noinline]] stack_top renew(std::uintptr_t* marks, int line) {
    if (marks != first) fail(line, "a new stack would drop promotion-ready marks");
    if (!cells_) make_room(512);
    return {end, first};
  }

  void require(int line) const {
    if (!cells_) [[unlikely]]
      no_stack(line);
  }

  // For so many more cells. A task without a stack has no room at all.
  bool has_room(const number* sp, number count) const {
    return static_cast<number>(address(sp)) - count * number{sizeof(number)} >=
           static_cast<number>(address(limit));
  }

  // Makes room for so many more cells.
  [[gnu::cold, gnu::noinline]] stack_top grow(stack_top top, number count, int line) {
    if (!cells_) no_stack(line);
    const number used = end - top.sp;
    if (count < 0 || count > most - used) fail(line, "stack overflow");
    const std::uintptr_t old_end = address(end);
    std::uintptr_t* const old_first = first;
    const std::unique_ptr<number[]> old_cells = std::move(cells_);
    const std::unique_ptr<std::uintptr_t[]> old_marks = std::move(marks_);
    make_room(std::min(std::max(2 * capacity_, used + count), most));
    std::copy(top.sp, top.sp + used, end - used);
    std::uintptr_t* const marks = std::transform(
        old_first, top.marks, first, [&](std::uintptr_t mark) { return address(end) - (old_end - mark); });
    return {end - used, marks};
  }

  number& at(number* sp, number offset, int line) const {
    if (static_cast<std::uint64_t>(offset) >= static_cast<std::uint64_t>(end - sp)) [[unlikely]]
      outside(line);
    return sp[offset];
  }
  [[noreturn, gnu::cold, gnu::noinline]] static void no_stack(int line) {
    fail(line, "the task has no stack; make one by 'sp := snew'");
  }
  [[noreturn, gnu::cold, gnu::noinline]] static void outside(int line) {
    fail(line, "mem[sp + ...] is outside the stack");
  }

  number* free(stack_top top, number count, int line) const {
    if (count < 0 || count > end - top.sp || top.marks[-1] < address(top.sp + count)) [[unlikely]]
      bad_free(top, count, line);
    return top.sp + count;
  }
  [[noreturn, gnu::cold, gnu::noinline]] void bad_free(stack_top top, number count, int line) const {
    fail(line, count < 0 || count > end - top.sp ? "stack underflow" : "sfree of a promotion-ready mark");
  }

  struct split {
    number offset;
    std::uintptr_t* marks;
  };
  [[gnu::noinline]] split split_mark(stack_top top, int line) {
    if (top.marks == first) fail(line, "prmsplit, and there is no mark");
    number* const cell = end - (address(end) - *first) / sizeof(number) - 1;
    *cell = 0;
    *first++ = address(end);
    std::uintptr_t* const begin = marks_.get() + 1;
    // So the places before those that are left are never more than these.
    if (first - begin > top.marks - first) {
      top.marks = std::copy(first, top.marks, begin);
      first = begin;
    }
    return {cell - top.sp, top.marks};
  }

 private:
  static constexpr number most = number{1} << 24;

  void make_room(number capacity) {
    capacity_ = capacity;
    cells_ = std::make_unique_for_overwrite<number[]>(static_cast<std::size_t>(capacity));
    marks_ = std::make_unique_for_overwrite<std::uintptr_t[]>(static_cast<std::size_t>(2 * capacity + 2));
    limit = cells_.get();
    end = limit + capacity;
    marks_[0] = address(end);
    first = marks_.get() + 1;
  }

  number capacity_ = 0;
  std::unique_ptr<number[]> cells_;
  std::unique_ptr<std::uintptr_t[]> marks_;
  std::uintptr_t none_[1] = {0};
};

}  // namespace
}  // namespace tpal_native
