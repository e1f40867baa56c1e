// Which frames have given their next call away.
#pragma once

namespace sennit::detail {

class given_part;

// False if there is no room. A frame is known by its address, which only its own strand asks for.
bool reserve_given(const void* frame) noexcept;
void set_given(const void* frame, given_part* given) noexcept;  // null: the room is free again

}  // namespace sennit::detail
