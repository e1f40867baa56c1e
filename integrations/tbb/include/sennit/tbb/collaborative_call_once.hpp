// SPDX-License-Identifier: Apache-2.0
// collaborative_call_once: a function that is called once, by the first who needs it.
#pragma once

#include <sennit/limit.hpp>
#include <sennit/tbb/entering.hpp>
#include <sennit/tbb/setting.hpp>

#include <atomic>
#include <functional>
#include <utility>

namespace tbb {
namespace on_sennit {

class collaborative_once_flag {
 public:
  collaborative_once_flag() = default;
  collaborative_once_flag(const collaborative_once_flag&) = delete;
  collaborative_once_flag& operator=(const collaborative_once_flag&) = delete;

 private:
  template <class F, class... A>
  friend void collaborative_call_once(collaborative_once_flag& flag, F&& f, A&&... arguments);

  std::atomic<bool> done_{false};
  sennit::limit one_{1};
};

// Those who come while another one calls f wait, and their workers do other work: also that of f. If f throws, the next one
// calls it.
template <class F, class... A>
void collaborative_call_once(collaborative_once_flag& flag, F&& f, A&&... arguments) {
  if (flag.done_.load()) return;
  const sennit::limit::permit mine(flag.one_);
  if (flag.done_.load()) return;
  std::invoke(std::forward<F>(f), std::forward<A>(arguments)...);
  flag.done_.store(true);
}

}  // namespace on_sennit
inline namespace v1 {
using on_sennit::collaborative_call_once;
using on_sennit::collaborative_once_flag;
}  // namespace v1
}  // namespace tbb
