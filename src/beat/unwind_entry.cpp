// SPDX-License-Identifier: Apache-2.0
#include "beat/unwind_entry.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstring>
#include <string_view>

namespace sennit::detail {

#if defined(__x86_64__) && defined(DLFO_STRUCT_HAS_EH_DBASE)

namespace {

// Pointer encodings of .eh_frame (Linux Standard Base, 10.5.1).
constexpr unsigned absolute = 0x00;
constexpr unsigned unsigned_4 = 0x03;
constexpr unsigned unsigned_8 = 0x04;
constexpr unsigned signed_4 = 0x0b;
constexpr unsigned signed_8 = 0x0c;
constexpr unsigned format_mask = 0x0f;
constexpr unsigned base_mask = 0x70;
constexpr unsigned to_itself = 0x10;
constexpr unsigned to_section = 0x30;
constexpr unsigned indirect = 0x80;

// The number as it is there. Fails for formats that no x86-64 compiler writes.
bool read_number(byte_reader& in, unsigned encoding, std::uintptr_t& value) noexcept {
  switch (encoding & format_mask) {
    case absolute:
    case unsigned_8:
    case signed_8: value = in.fixed<std::uintptr_t>(); break;
    case unsigned_4: value = in.fixed<std::uint32_t>(); break;
    case signed_4: value = static_cast<std::uintptr_t>(std::intptr_t{in.fixed<std::int32_t>()}); break;
    default: return false;
  }
  return !in.failed();
}

bool read_address(byte_reader& in, unsigned encoding, std::uintptr_t& value) noexcept {
  const auto place = reinterpret_cast<std::uintptr_t>(in.at());
  const unsigned base = encoding & base_mask;
  if ((encoding & indirect) != 0 || (base != 0 && base != to_itself)) return false;
  if (!read_number(in, encoding, value)) return false;
  if (base == to_itself) value += place;
  return true;
}

// The contents of an entry of .eh_frame. Empty where it is none, or in the 64-bit format.
byte_reader contents_at(const unsigned char* entry) noexcept {
  std::uint32_t length = 0;
  std::memcpy(&length, entry, sizeof length);
  constexpr std::uint32_t longest = 0xffff'fff0;
  if (length >= longest) return {};
  return {entry + sizeof length, entry + sizeof length + length};
}

// What the augmentation of a common information entry (CIE) says, letter by letter. False for letters that
// are not known.
bool read_augmentation(std::string_view letters, byte_reader& data, unwind_entry& into) noexcept {
  std::uintptr_t personality = 0;
  for (const char letter : letters) {
    switch (letter) {
      case 'L': data.fixed<unsigned char>(); break;
      case 'P':
        if (!read_number(data, data.fixed<unsigned char>(), personality)) return false;
        break;
      case 'R': into.address_encoding = data.fixed<unsigned char>(); break;
      case 'S': into.signal_frame = true; break;
      default: return false;
    }
  }
  return !data.failed();
}

bool read_common(const unsigned char* entry, unwind_entry& into) noexcept {
  byte_reader in = contents_at(entry);
  const auto id = in.fixed<std::uint32_t>();
  const auto version = in.fixed<unsigned char>();
  if (id != 0 || (version != 1 && version != 3)) return false;
  const auto* const text = reinterpret_cast<const char*>(in.at());
  const std::string_view augmentation(text, strnlen(text, static_cast<std::size_t>(in.end() - in.at())));
  in.block(augmentation.size() + 1);
  into.code_factor = in.unsigned_leb128();
  into.data_factor = in.signed_leb128();
  constexpr std::uint64_t return_address = 16;
  const std::uint64_t column = version == 1 ? in.fixed<unsigned char>() : in.unsigned_leb128();
  if (column != return_address || !augmentation.starts_with('z')) return false;
  byte_reader data = in.block(in.unsigned_leb128());
  if (!read_augmentation(augmentation.substr(1), data, into) || in.failed()) return false;
  into.initial = in;
  return true;
}

bool read_entry(const unsigned char* entry, unwind_entry& into) noexcept {
  byte_reader in = contents_at(entry);
  const unsigned char* const at = in.at();
  const auto to_common = in.fixed<std::uint32_t>();
  if (to_common == 0 || in.failed() || !read_common(at - to_common, into)) return false;
  std::uintptr_t length = 0;
  if (!read_address(in, into.address_encoding, into.begin)) return false;
  if (!read_number(in, into.address_encoding, length)) return false;
  into.end = into.begin + length;
  in.block(in.unsigned_leb128());  // its augmentation: the exception table
  into.own = in;
  return !in.failed();
}

// .eh_frame_hdr has a table of functions, sorted by address; all in it is relative to the section itself.
const unsigned char* search(const unsigned char* header, std::uintptr_t address) noexcept {
  struct row {
    std::int32_t begin;
    std::int32_t entry;
  };
  constexpr unsigned char expected[] = {1, to_itself | signed_4, unsigned_4, to_section | signed_4};
  if (std::memcmp(header, expected, sizeof expected) != 0) return nullptr;
  std::uint32_t count = 0;
  std::memcpy(&count, header + 8, sizeof count);
  const auto* const rows = reinterpret_cast<const row*>(header + 12);
  const auto offset = static_cast<std::intptr_t>(address - reinterpret_cast<std::uintptr_t>(header));
  std::uint32_t low = 0;
  std::uint32_t high = count;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (rows[middle].begin <= offset) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low == 0 ? nullptr : header + rows[low - 1].entry;
}

unwind_trust trust_in(const link_map* module) noexcept {
  if (module == nullptr || module->l_name == nullptr) return unwind_trust::never;
  std::string_view name(module->l_name);
  name.remove_prefix(name.rfind('/') + 1);
  if (name.starts_with("libc.so")) return unwind_trust::at_calls;
  for (const std::string_view other : {"libgcc_s.so", "ld-linux", "ld.so", "linux-vdso"}) {
    if (name.starts_with(other)) return unwind_trust::never;
  }
  return unwind_trust::exact;
}

}  // namespace

unwind_entry find_unwind_entry(std::uintptr_t address) noexcept {
  dl_find_object module{};
  if (_dl_find_object(reinterpret_cast<void*>(address), &module) != 0 || module.dlfo_eh_frame == nullptr)
    return {};
  const unsigned char* const entry = search(static_cast<unsigned char*>(module.dlfo_eh_frame), address);
  unwind_entry found;
  if (entry == nullptr || !read_entry(entry, found) || address < found.begin || address >= found.end)
    return {};
  found.trust = trust_in(module.dlfo_link_map);
  return found;
}

#else

// Without _dl_find_object (glibc 2.35) every way to the tables takes a lock.
unwind_entry find_unwind_entry(std::uintptr_t) noexcept { return {}; }

#endif

}  // namespace sennit::detail
