// The thread contract: a strand holds no lock across a construct, because it may come out on another thread.
#pragma once

namespace sennit::detail {

// Whether this build of the library can see the program's locks: debug builds without sanitizers count them.
bool can_check_contract() noexcept;

// Ends the program with a message if the calling thread holds a pthread mutex (a std::mutex is one).
void check_contract() noexcept;

}  // namespace sennit::detail
