#include <sennit/per_worker.hpp>

int main() {
  sennit::per_worker seeds([next = 0]() mutable { return ++next; });
  return seeds.local();
}
