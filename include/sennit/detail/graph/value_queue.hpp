// Where items wait of a graph whose nodes have values.
#pragma once

#include <mutex>
#include <utility>
#include <vector>

namespace sennit::detail {

// What is ready, while too many values wait for the end of the exploration. Whoever finds that end takes it.
template <class Item>
class ready_later {
 public:
  // Takes the items, unless `is_over()`: then it returns false without any effect.
  template <class Over>
  bool put(std::vector<Item>& items, const Over& is_over) {
    const std::lock_guard guard(mutex_);
    if (is_over()) return false;
    items_.insert(items_.end(), items.begin(), items.end());
    items.clear();
    return true;
  }
  // Called after is_over() has become true. What it returns is nobody else's.
  std::vector<Item> take() {
    const std::lock_guard guard(mutex_);
    return std::exchange(items_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<Item> items_;
};

}  // namespace sennit::detail
