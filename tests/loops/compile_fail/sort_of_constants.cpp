// What is constant stays where it is.
#include <sennit/sennit.hpp>

#include <vector>

void sort(const std::vector<int>& numbers) { sennit::parallel_sort(numbers); }
