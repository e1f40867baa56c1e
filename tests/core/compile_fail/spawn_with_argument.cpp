// SPDX-License-Identifier: Apache-2.0
// A child takes no arguments: it would have to be asked which, long after spawn() returned.
#include <sennit/sennit.hpp>

void spawned(sennit::task_group& group) {
  group.spawn([](int) {});
}
