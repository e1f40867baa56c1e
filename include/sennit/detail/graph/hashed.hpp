// SPDX-License-Identifier: Apache-2.0
// Nodes that are found by hashing their keys.
#pragma once

#include <sennit/detail/graph/failed_call.hpp>
#include <sennit/detail/graph/growing.hpp>
#include <sennit/detail/graph/key_hash.hpp>
#include <sennit/detail/graph/node.hpp>
#include <sennit/detail/graph/number_table.hpp>

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace sennit::detail {

template <class Key, class Hash = void>
class hashed_nodes {
 public:
  using key = Key;

  // A strand's supply of numbers that no key has yet.
  class supply {
   private:
    friend class hashed_nodes;
    numbering::supply numbers_;
    node_number spare_ = 0;  // 0: none
  };

  hashed_nodes() = default;
  hashed_nodes(const hashed_nodes&) = delete;
  hashed_nodes& operator=(const hashed_nodes&) = delete;

  SENNIT_INLINE node_number find_or_make(const Key& k, supply& mine) {
    const std::uint64_t h = hash_of(k);
    const number_table::found seen = look(k, h);
    return seen.number != 0 ? seen.number : make(k, h, seen, mine);
  }
  // The node with that key, or `nobody` if there is none.
  node_number find(const Key& k) {
    const number_table::found seen = look(k, hash_of(k));
    return seen.number != 0 ? seen.number : nobody;
  }
  const Key& key_of(node_number n) { return keys_.get(n); }
  node_state& state(node_number n) noexcept { return states_[n]; }

 private:
  class plain_keys {
   public:
    void ensure(node_number n) { keys_.ensure(n); }
    void set(node_number n, const Key& k) { keys_[n] = k; }
    const Key& get(node_number n) { return keys_[n]; }

   private:
    growing<Key> keys_;
  };
  class owned_keys {
   public:
    owned_keys() = default;
    owned_keys(const owned_keys&) = delete;
    owned_keys& operator=(const owned_keys&) = delete;
    ~owned_keys() {
      keys_.for_each([](place& p) { clear(p); });
    }
    void ensure(node_number n) { keys_.ensure(n); }
    void set(node_number n, const Key& k) {
      place& p = keys_[n];
      clear(p);
      std::construct_at(p.key(), k);
      p.is_full = true;
    }
    const Key& get(node_number n) { return *keys_[n].key(); }

   private:
    // Zero until a key is made there.
    struct place {
      alignas(Key) unsigned char memory[sizeof(Key)];
      bool is_full;

      Key* key() noexcept { return reinterpret_cast<Key*>(memory); }
    };
    static void clear(place& p) noexcept {
      if (p.is_full) std::destroy_at(p.key());
      p.is_full = false;
    }

    growing<place> keys_;
  };
  // Plain keys are assigned to memory where none has been made.
  static constexpr bool plain = std::is_trivially_copyable_v<Key> && std::is_trivially_destructible_v<Key> &&
                                std::is_copy_assignable_v<Key>;
  using stored_keys = std::conditional_t<plain, plain_keys, owned_keys>;

  SENNIT_INLINE static std::uint64_t hash_of(const Key& k) {
    return call_for_key("hashing ", k, [&] { return hash_of_graph<Key, Hash>()(k); });
  }
  SENNIT_INLINE number_table::found look(const Key& k, std::uint64_t h) {
    return call_for_key("comparing ", k,
                        [&] { return numbers_.find(h, [&](node_number n) { return keys_.get(n) == k; }); });
  }
  SENNIT_HOT node_number make(const Key& k, std::uint64_t h, number_table::found seen, supply& mine) {
    if (mine.spare_ == 0) {
      mine.spare_ = mine.numbers_.next(all_, [this](node_number n) {
        states_.ensure(n);
        keys_.ensure(n);
      });
    }
    // Set before other strands can find the node.
    call_for_key("copying ", k, [&] { keys_.set(mine.spare_, k); });
    while (!numbers_.add(h, mine.spare_, seen)) {
      seen = look(k, h);
      if (seen.number != 0) return seen.number;
    }
    return std::exchange(mine.spare_, 0);
  }

  number_table numbers_;
  numbering all_;
  growing<node_state> states_;
  stored_keys keys_;
};

}  // namespace sennit::detail
