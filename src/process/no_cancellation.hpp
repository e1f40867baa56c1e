// SPDX-License-Identifier: Apache-2.0
// pthread_cancel: a thread that waits for another one is not to end there.
#pragma once

#include <pthread.h>

namespace sennit::detail {

// While it lives, a cancellation of the calling thread stays pending. Where nothing may be thrown, a cancellation
// would end the program.
class no_cancellation {
 public:
  no_cancellation() noexcept { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~no_cancellation() { pthread_setcancelstate(before_, nullptr); }
  no_cancellation(const no_cancellation&) = delete;
  no_cancellation& operator=(const no_cancellation&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

}  // namespace sennit::detail
