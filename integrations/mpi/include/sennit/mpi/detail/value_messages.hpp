// SPDX-License-Identifier: Apache-2.0
// Values of nodes on their way between ranks: what a graph and its transport have of them.
#pragma once

#include <sennit/mpi/detail/packing.hpp>

#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit::mpi::detail {

// A rank that reads a node's value, and the number that this rank gave the value.
struct reader {
  int rank;
  int number;
};

// Who reads the value of a node that other ranks read.
struct readers_of_value {
  std::vector<reader> others;
  bool here = false;  // nodes of its own rank, too
};

// Of all nodes of a rank that other ranks read.
using all_readers = std::vector<const std::vector<reader>*>;

// Who gets the values of other ranks, by the numbers that this rank gave them. Any thread may call it.
class value_receiver {
 public:
  // Memory for a value of so many bytes, until has_come(). Throws what its allocation throws.
  virtual std::byte* room(int number, std::size_t size) = 0;
  virtual void has_come(int number) noexcept = 0;

 protected:
  ~value_receiver() = default;
};

inline void receive_copy(value_receiver& to, int number, std::span<const std::byte> bytes) {
  std::byte* const room = to.room(number, bytes.size());
  if (!bytes.empty()) std::memcpy(room, bytes.data(), bytes.size());
  to.has_come(number);
}

// The bytes of shared values are those of what they point to. So many bytes are no pointer's: they are no whole number of elements.
inline constexpr std::size_t size_of_null = 1;

template <class Value>
inline constexpr bool is_shared_in_place = false;
template <class T>
inline constexpr bool is_shared_in_place<std::shared_ptr<T>> = [] {
  if constexpr (sent_in_place<std::remove_const_t<T>>)
    return sizeof(typename std::remove_const_t<T>::value_type) > size_of_null;
  else
    return false;
}();

// A value that other ranks read, and its bytes, which stay where they are.
template <class Value>
class sent_value {
 public:
  explicit sent_value(Value made) : made_(std::move(made)) {
    if constexpr (!sent_in_place<Value> && !is_shared_in_place<Value>) put(packed_, made_);
  }
  sent_value(const sent_value&) = delete;
  sent_value& operator=(const sent_value&) = delete;

  const Value& value() const noexcept { return made_; }
  std::span<const std::byte> bytes() const noexcept {
    static constexpr std::byte null[size_of_null]{};
    if constexpr (sent_in_place<Value>)
      return std::as_bytes(std::span(made_));
    else if constexpr (is_shared_in_place<Value>)
      return made_ == nullptr ? std::span<const std::byte>(null) : std::as_bytes(std::span(*made_));
    else
      return packed_.bytes();
  }

 private:
  Value made_;
  packed_bytes packed_;
};

// A value of another rank, while it comes.
template <class Value>
class received_value {
 public:
  std::byte* room(std::size_t size) {
    packed_.bytes().resize(size);
    return packed_.bytes().data();
  }
  // Throws std::runtime_error if the message had another size than the value has.
  Value take() { return get<Value>(packed_); }

 private:
  packed_bytes packed_;
};

template <class T>
std::size_t elements_in(std::size_t bytes) {
  if (bytes % sizeof(T) == 0) return bytes / sizeof(T);
  throw std::runtime_error("sennit::mpi: a message is not a whole number of the elements of its value; the "
                           "types of the value differ between ranks");
}

template <sent_in_place Value>
class received_value<Value> {
 public:
  std::byte* room(std::size_t size) {
    came_.resize(elements_in<typename Value::value_type>(size));
    return std::as_writable_bytes(std::span(came_)).data();
  }
  Value take() noexcept { return std::move(came_); }

 private:
  Value came_;
};

template <class T>
  requires is_shared_in_place<std::shared_ptr<T>>
class received_value<std::shared_ptr<T>> {
  using sequence = std::remove_const_t<T>;

 public:
  std::byte* room(std::size_t size) {
    if (size == size_of_null) return &null_;
    came_ = std::make_shared<sequence>();
    came_->resize(elements_in<typename sequence::value_type>(size));
    return std::as_writable_bytes(std::span(*came_)).data();
  }
  std::shared_ptr<T> take() noexcept { return std::move(came_); }

 private:
  std::shared_ptr<sequence> came_;
  std::byte null_{};
};

}  // namespace sennit::mpi::detail
