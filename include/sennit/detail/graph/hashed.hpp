// Nodes that are found by hashing their keys.
#pragma once

#include <sennit/detail/graph/growing.hpp>
#include <sennit/detail/graph/keys.hpp>
#include <sennit/detail/graph/node.hpp>

#if __has_include(<boost/unordered/concurrent_flat_map.hpp>)
#include <boost/unordered/concurrent_flat_map.hpp>
#define SENNIT_GRAPH_MAP 2
#elif __has_include(<libcuckoo/cuckoohash_map.hh>)
#include <libcuckoo/cuckoohash_map.hh>
#define SENNIT_GRAPH_MAP 1
#else
#define SENNIT_GRAPH_MAP 0
#endif

#include <cstddef>
#include <cstdint>
#include <functional>
#include <tuple>
#include <type_traits>

namespace sennit::detail {

#if SENNIT_GRAPH_MAP == 2

template <class Key, class Hash>
class concurrent_map {
 public:
  // The number of the key. If the key has none, it gets `made`, which is returned.
  node_number find_or_insert(const Key& k, node_number made) {
    node_number found = made;
    map_.emplace_or_cvisit(k, made, [&](const auto& entry) { found = entry.second; });
    return found;
  }
  // The number of the key, or `nobody` if the key has none.
  node_number find(const Key& k) const {
    node_number found = nobody;
    map_.cvisit(k, [&](const auto& entry) { found = entry.second; });
    return found;
  }

 private:
  boost::concurrent_flat_map<Key, node_number, Hash> map_;
};

#elif SENNIT_GRAPH_MAP == 1

template <class Key, class Hash>
class concurrent_map {
 public:
  // The number of the key. If the key has none, it gets `made`, which is returned.
  node_number find_or_insert(const Key& k, node_number made) {
    node_number found = made;
    map_.upsert(k, [&](const node_number& n) { found = n; }, made);
    return found;
  }
  // The number of the key, or `nobody` if the key has none.
  node_number find(const Key& k) const {
    node_number found = nobody;
    map_.find_fn(k, [&](const node_number& n) { found = n; });
    return found;
  }

 private:
  // The map's default size, although clearing it takes some 2 ms. Below 2^16 buckets libcuckoo adds locks
  // later, while other threads read them (a data race in libcuckoo, which tests/graph show to TSan).
  libcuckoo::cuckoohash_map<Key, node_number, Hash> map_;
};

#else

template <class Key, class>
class concurrent_map {
  static_assert(!std::is_same_v<Key, Key>, "hashed keys need a concurrent map: install libcuckoo-dev, or "
                                           "Boost 1.83 or later; or give .keys = dense(...)");
};

#endif

// The final steps of MurmurHash3: all bits of the key affect all bits of the hash.
constexpr std::uint64_t mix(std::uint64_t h) noexcept {
  h = (h ^ h >> 33) * 0xff51afd7ed558ccd;
  h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53;
  return h ^ h >> 33;
}

// Tuples of integers have no std::hash. The std::hash of integers and pointers does not mix bits, which the
// maps need.
template <class Key>
struct key_hash {
  using is_avalanching = void;  // otherwise Boost would mix the bits again
  std::size_t operator()(const Key& k) const noexcept(noexcept(std::hash<Key>()(k))) {
    return mix(std::hash<Key>()(k));
  }
};
template <class Key>
  requires(integral_key<Key>)
struct key_hash<Key> {
  using is_avalanching = void;
  std::size_t operator()(Key k) const noexcept { return mix(static_cast<std::uint64_t>(k)); }
};
template <class Key>
  requires(tuple_key<Key>)
struct key_hash<Key> {
  using is_avalanching = void;
  std::size_t operator()(const Key& k) const noexcept {
    std::uint64_t h = 0;
    std::apply(
        [&](const auto&... parts) {
          ((h = mix(h ^ key_hash<std::remove_cvref_t<decltype(parts)>>()(parts))), ...);
        },
        k);
    return h;
  }
};

template <class Key, class Hash = key_hash<Key>>
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

  node_number find_or_make(const Key& k, supply& mine) {
    if (mine.spare_ == 0) {
      mine.spare_ = mine.numbers_.next(all_, [this](node_number n) {
        states_.ensure(n);
        keys_.ensure(n);
      });
    }
    // Set before other strands can find the node.
    keys_.set(mine.spare_, k);
    const node_number n = map_.find_or_insert(k, mine.spare_);
    if (n == mine.spare_) mine.spare_ = 0;
    return n;
  }
  // The node with that key, or `nobody` if there is none.
  node_number find(const Key& k) const { return map_.find(k); }
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
  class boxed_keys {
   public:
    boxed_keys() = default;
    boxed_keys(const boxed_keys&) = delete;
    boxed_keys& operator=(const boxed_keys&) = delete;
    ~boxed_keys() {
      keys_.for_each([](Key*& k) { delete k; });
    }
    void ensure(node_number n) { keys_.ensure(n); }
    void set(node_number n, const Key& k) {
      if (keys_[n] == nullptr) {
        keys_[n] = new Key(k);
      } else {
        *keys_[n] = k;
      }
    }
    const Key& get(node_number n) { return *keys_[n]; }

   private:
    growing<Key*> keys_;
  };
  using stored_keys =
      std::conditional_t<std::is_trivially_copyable_v<Key> && std::is_trivially_destructible_v<Key>,
                         plain_keys, boxed_keys>;

  concurrent_map<Key, Hash> map_;
  numbering all_;
  growing<node_state> states_;
  stored_keys keys_;
};

}  // namespace sennit::detail
