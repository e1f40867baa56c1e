// SPDX-License-Identifier: Apache-2.0
// Where what is left of a loop is cut for a thief.
#pragma once

#include <sennit/detail/position.hpp>

namespace sennit::detail {

// Where to end a chunk of about `size` iterations, or to begin a piece, instead of at `where`: vectors of elements that
// are taken one a position, up to 64 bytes long, lie in lines of the cache as they do in the plain loop.
constexpr position in_lines(position where, position size) noexcept {
  constexpr position elements = 8;
  return size < 2 * elements ? where : where - where % elements;
}

// Of what nobody has claimed. Below is the owner's, and the rest is the thief's: a single iteration, too.
constexpr position middle_of(position start, position end) noexcept {
  const position half = (end - start) / 2;
  return in_lines(start + half, half);
}

}  // namespace sennit::detail
