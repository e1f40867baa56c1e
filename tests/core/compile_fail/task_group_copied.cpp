// SPDX-License-Identifier: Apache-2.0
// Two groups would wait for the same children, one of them after they are gone.
#include <sennit/sennit.hpp>

sennit::task_group copied(const sennit::task_group& group) { return group; }
