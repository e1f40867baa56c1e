// When a thief insists on work of its own color: Maglalang, Krishnamoorthy and Agrawal, 2016, section III,
// "Colored steals".
#pragma once

namespace sennit::policy {

class colored_steals {
 public:
  struct constants {
    // The first steal of a run is of the thief's own color, unless so many attempts at that were in vain. The
    // paper has no bound, and waits for ever where a color does not occur.
    unsigned first = 20'000;
    // From then on, so many attempts are before one that takes anything.
    unsigned others = 400;
  };

  // A run begins.
  void begin(const constants& given) noexcept {
    left_ = given.first;
    others_ = given.others;
  }
  // Whether the next attempt takes only work of the thief's color.
  [[nodiscard]] bool next_is_colored() noexcept {
    if (left_ == 0) {
      left_ = others_;
      return false;
    }
    --left_;
    return true;
  }
  // It has work. The next time it has none is no first one any more.
  void found_work() noexcept { left_ = others_; }

 private:
  unsigned left_ = 0;
  unsigned others_ = 0;
};

}  // namespace sennit::policy
