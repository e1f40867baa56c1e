// Latent calls: what is called next can be given away although nothing has been stored for it.
// docs/design/rollforward.md.
#pragma once

#include <sennit/detail/config.hpp>

#include <exception>

namespace sennit::detail {

class given_part;

// Asks a frame for the call that is to come next there.
struct latent_request {
  given_part* given = nullptr;
  std::exception_ptr failure;
  void* way_back = nullptr;
};

// Of the strand's latent calls whose frames are above the address, the oldest is given away. False if there is none. Throws as
// task_group::spawn().
SENNIT_EXPORT bool give_oldest_call(const void* above = nullptr);

// Called where a frame goes on behind a latent call, or is asked to meanwhile. Then there is a request, once.
SENNIT_EXPORT latent_request* take_latent_request() noexcept;
// Goes back to who asked.
SENNIT_EXPORT [[noreturn]] void answer_latent_request(latent_request& request) noexcept;
// What the frame has given away, if anything; once.
SENNIT_EXPORT given_part* take_given(const void* frame) noexcept;

}  // namespace sennit::detail
