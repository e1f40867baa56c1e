// SPDX-License-Identifier: Apache-2.0
// Latent calls: what is called next can be given away although nothing has been stored for it.
// docs/design/rollforward.md.
#pragma once

#include <sennit/detail/config.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>

namespace sennit::detail {

// Of the closure of a latent call.
inline constexpr std::size_t most_of_closure = 512;
inline constexpr std::size_t largest_alignment = 16;

// Asks a frame for the call that is to come next there.
//
// The frame's code runs in a copy of the frame, so that it can change nothing that the call uses which goes on meanwhile.
struct latent_request {
  bool given = false;
  std::exception_ptr failure;
  void* way_back = nullptr;
  std::uintptr_t begin = 0;  // of the frame
  std::uintptr_t bytes = 0;
  std::uintptr_t copy = 0;  // where the copy begins
  alignas(largest_alignment) unsigned char closure[most_of_closure];

  // An address in the copy is that of the same place in the frame.
  std::uintptr_t in_frame(std::uintptr_t word) const noexcept {
    return word - copy < bytes ? word - copy + begin : word;
  }
  // The same for the words of the closure.
  void words_in_frame(std::size_t size) noexcept {
    std::uintptr_t word = 0;
    for (std::size_t at = 0; at + sizeof(word) <= size; at += sizeof(word)) {
      std::memcpy(&word, closure + at, sizeof(word));
      word = in_frame(word);
      std::memcpy(closure + at, &word, sizeof(word));
    }
  }
};

// What has become latent inside of the calling strand's innermost region has its frames below this address. Further out nothing
// may be given away from here: the child would belong to this region, and nobody waits for it before the region ends.
SENNIT_EXPORT std::uintptr_t region_frame() noexcept;

// Of the strand's latent calls in its innermost region whose frames are above the address, the oldest is given away. False if there is none. Throws as
// task_group::spawn().
SENNIT_EXPORT bool give_oldest_call(const void* above = nullptr);

// Called where a frame goes on behind a latent call, or is asked to meanwhile. Then there is a request, once.
SENNIT_EXPORT latent_request* take_latent_request() noexcept;
// Goes back to who asked.
SENNIT_EXPORT [[noreturn]] void answer_latent_request(latent_request& request) noexcept;

}  // namespace sennit::detail
