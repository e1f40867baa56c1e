// What is constant stays where it is.
#include <sennit/algorithm/pack.hpp>

#include <vector>

void remove(const std::vector<int>& numbers) {
  sennit::parallel_remove_if(numbers, [](int number) { return number > 0; });
}
