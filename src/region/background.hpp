// SPDX-License-Identifier: Apache-2.0
// Work for workers of a runtime that no strand has to wait for.
#pragma once

#include <sennit/detail/action.hpp>
#include <sennit/detail/fork/frame.hpp>
#include <sennit/region.hpp>

#include <memory>

namespace sennit::detail {

class view;
class worker;

// Made by make_unique and handed to begin(). It ends itself when it has run.
class background : public frame_with_state {
 public:
  // All its strands are in `inside`, which lasts as long as they do.
  explicit background(region_state& inside) noexcept;
  virtual ~background() = default;

  // Lets the workers of the calling strand's runtime, or outside any runtime of the default one, have it.
  // Throws what run_region() throws.
  static void begin(std::unique_ptr<background> work);
  // Returns true if nobody has begun it: then it is the caller's, who ends it.
  bool take_back() noexcept;

 protected:
  virtual void run() noexcept = 0;

 private:
  static fiber* run_elsewhere(frame& base) noexcept;

  region_state& region_;
};

// Calls the body, which throws nothing, and returns what it has added to reducers.
view* run_apart(action body) noexcept;

// Makes a region for background work.
void prepare_background(region_state& inside) noexcept;

// While it lives, the thread of the calling strand also takes work of that region, if the thread is a guest.
class helps_region {
 public:
  explicit helps_region(const region_state& other) noexcept;
  helps_region(const helps_region&) = delete;
  helps_region& operator=(const helps_region&) = delete;
  ~helps_region();

 private:
  worker& seat_;
};

}  // namespace sennit::detail
