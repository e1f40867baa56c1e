// A list cannot be cut in the middle.
#include <sennit/sennit.hpp>

#include <list>

int sum(const std::list<int>& numbers) { return sennit::parallel_reduce(numbers, 0); }
