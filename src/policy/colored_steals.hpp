// When a thief takes only work of its own color: Maglalang, Krishnamoorthy and Agrawal, 2016, section III,
// "Colored steals".
#pragma once

namespace sennit::policy {

class colored_steals {
 public:
  struct constants {
    // The first steal of a run takes only the thief's color, until this number of attempts has failed. The
    // paper has no bound, so its thieves wait for ever if their color does not occur.
    unsigned first = 20'000;
    // After the first steal, the number of colored attempts before one that takes any color.
    unsigned others = 400;
  };

  // A run begins.
  void begin(const constants& given) noexcept {
    left_ = given.first;
    others_ = given.others;
  }
  // Whether the next attempt takes only the thief's own color.
  [[nodiscard]] bool next_is_colored() noexcept {
    if (left_ == 0) {
      left_ = others_;
      return false;
    }
    --left_;
    return true;
  }
  // The thief has work. Later searches are not the first one of the run.
  void found_work() noexcept { left_ = others_; }

 private:
  unsigned left_ = 0;
  unsigned others_ = 0;
};

}  // namespace sennit::policy
