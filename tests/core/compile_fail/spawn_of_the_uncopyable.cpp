// SPDX-License-Identifier: Apache-2.0
// What cannot be copied is to be moved.
#include <sennit/sennit.hpp>

#include <memory>

void spawned(sennit::task_group& group) {
  auto child = [p = std::make_unique<int>(1)] {};
  group.spawn(child);
}
