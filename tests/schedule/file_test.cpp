// SPDX-License-Identifier: Apache-2.0
// The file form: what is written is read again, and nothing else is.
#include "schedule/file.hpp"
#include "schedule/sites.hpp"
#include "trees.hpp"

#include <sennit/schedule.hpp>

#include <boost/crc.hpp>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace sennit_test {
namespace {

namespace fs = std::filesystem;
using namespace sennit::detail;
using sennit::schedule;
using testing::AllOf;
using testing::HasSubstr;

using byte_list = std::vector<std::byte>;

schedule of(steal_tree tree) { return schedule_access::make(hold(std::move(tree))); }

template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

std::string error_of_bytes(const byte_list& bytes) {
  return error_of([&] { schedule::from_bytes(bytes, "x.sched"); });
}

byte_list of_numbers(std::initializer_list<int> content) {
  byte_list bytes;
  for (const char letter : std::string("sennit\r\n")) bytes.push_back(static_cast<std::byte>(letter));
  for (const int value : content) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

byte_list sealed(byte_list bytes) {
  boost::crc_32_type crc;
  crc.process_bytes(bytes.data(), bytes.size());
  for (std::uint32_t i = 0, sum = crc.checksum(); i < 4; ++i, sum >>= 8) {
    bytes.push_back(static_cast<std::byte>(sum & 255));
  }
  return bytes;
}

byte_list unsealed(const schedule& s) {
  const byte_list bytes = s.to_bytes();
  return {bytes.begin(), bytes.end() - 4};
}

class File : public testing::Test {
 protected:
  File() {
    std::string name = (fs::temp_directory_path() / "sennit-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    folder_ = name;
  }
  ~File() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  std::string operator/(const std::string& name) const { return (folder_ / name).string(); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
};

// Would catch: anything that is lost on the way; equal bytes mean equal times, too.
TEST(Bytes, HoldTheWholeTree) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const schedule s = of(random_tree(seed, seed % 2 == 0).make());
    const schedule again = schedule::from_bytes(s.to_bytes());
    EXPECT_EQ(again, s) << seed;
    EXPECT_EQ(again.to_bytes(), s.to_bytes()) << seed;
    EXPECT_EQ(again.length(), s.length());
    EXPECT_EQ(again.text(), s.text());
    EXPECT_EQ(s.bytes(), s.to_bytes().size());
  }
}

TEST(Bytes, HoldTheLargestNumbers) {
  const std::uint64_t most = most_constructs - 1;
  const std::uint64_t far = (std::uint64_t{1} << 62) - 1;
  const schedule s = of({most_roles,
                         far,
                         {taken(node(kind::fork, 0), {most_roles - 1, 0}, {far - 1, far}),
                          loop(most, most, {taken(node(kind::fork, most), {0, 1}, {0, 1})})}});
  const schedule again = schedule::from_bytes(s.to_bytes());
  EXPECT_EQ(again, s);
  EXPECT_EQ(again.to_bytes(), s.to_bytes());
}

// Would catch: a sum of times that overflows.
TEST(Bytes, HoldTimesWhoseSumsAreTooLarge) {
  const std::uint64_t far = (std::uint64_t{1} << 62) - 1;
  std::vector<steal> list;
  for (unsigned i = 0; i < 4; ++i) list.push_back(taken(node(kind::fork, i), {1, i}, {0, far}));
  const schedule s = schedule::from_bytes(of({8, far, list}).to_bytes());
  EXPECT_EQ(s.shares().at(1).busy, std::chrono::nanoseconds::max());
  EXPECT_EQ(s.shares().at(2).idle, std::chrono::nanoseconds(far));
  EXPECT_EQ(s.idle(), std::chrono::nanoseconds::max());
  for (const schedule& longer : {of({2, far + 1, {taken(node(kind::fork, 0), {1, 0}, {0, 1})}}),
                                 of({2, far, {taken(node(kind::fork, 0), {1, 0}, {0, far + 1})}}),
                                 of({2, far, {taken(node(kind::fork, 0), {1, 0}, {far + 1, far + 2})}})}) {
    EXPECT_THAT(error_of([&] { schedule::from_bytes(longer.to_bytes()); }), HasSubstr("no region takes"));
  }
}

// Would catch: a change of the form that is no new version of it.
TEST(Bytes, AreThoseThatTheDocumentationShows) {
  const steal fork = node(kind::fork, 0, {taken(node(kind::fork, 0), {2, 0})});
  const steal_tree tree{
      3, 0, {waited(taken(fork, {1, 0}), {1, 1}), loop(2, 100, {taken(node(kind::fork, 0), {2, 1})})}};
  std::string shown;
  char digits[4];
  for (const std::byte byte : of(tree).to_bytes()) {
    std::snprintf(digits, sizeof digits, "%02x ", std::to_integer<unsigned>(byte));
    shown += digits;
  }
  EXPECT_EQ(shown,
            "73 65 6e 6e 69 74 0d 0a 01 00 03 02 38 00 01 00 01 00 01 08 00 02 00 23 02 64 01 08 00 02 00 "
            "87 00 9f 2a ");
}

TEST(Bytes, OfAHundredStealsAreFew) {
  for (const std::uint32_t workers : {2U, 5U, 11U}) {
    const unsigned phases = 100 / (workers - 1);
    const schedule s = of(sample(workers, phases));
    ASSERT_EQ(s.steals(), 100U);
    EXPECT_LE(s.without_times().bytes(), 1024U) << workers;
    EXPECT_EQ(s.without_times(), s);
    EXPECT_EQ(s.without_times().length().count(), 0);
  }
  EXPECT_LE(schedule().bytes(), 16U);
}

TEST(Bytes, CutShortAreRefused) {
  const byte_list whole = of(sample(3, 4)).to_bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THAT(error_of_bytes({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)}),
                AllOf(HasSubstr("'x.sched'"), HasSubstr("; ")))
        << size;
  }
}

TEST(Bytes, WithAnyBitFlippedAreRefused) {
  const byte_list whole = of(sample(3, 4)).to_bytes();
  for (std::size_t i = 0; i < 8 * whole.size(); ++i) {
    byte_list damaged = whole;
    damaged[i / 8] ^= std::byte{1} << (i % 8);
    EXPECT_NE(error_of_bytes(damaged), "") << i;
  }
}

// Would catch: damage that the checksum does not show, as someone made it fit.
TEST(Bytes, MadeToFitTheirChecksumAreRefusedOrValid) {
  std::size_t valid = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    const byte_list content = unsealed(of(random_tree(seed, seed % 2 == 0).make()));
    if (content.size() > 400) continue;  // each byte takes a tree of its own to be made and undone
    for (std::size_t i = 8; i < content.size(); ++i) {
      for (const int flip : {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
        byte_list changed = content;
        changed[i] ^= static_cast<std::byte>(flip);
        try {
          const schedule s = schedule::from_bytes(sealed(changed));
          EXPECT_EQ(complaint(*schedule_access::tree(s)), "");
          EXPECT_EQ(schedule::from_bytes(s.to_bytes()), s);
          s.shares();
          ++valid;
        } catch (const std::runtime_error&) {
        }
      }
      const byte_list cut(content.begin(), content.begin() + static_cast<std::ptrdiff_t>(i));
      EXPECT_NE(error_of_bytes(sealed(cut)), "") << seed << " " << i;
    }
  }
  EXPECT_GT(valid, 0U);  // such as one of other times
}

steal_tree with_two_sites() {
  steal_tree tree = numbered({2, 0, {taken(node(kind::fork, 0), {1}), taken(node(kind::fork, 1), {1})}});
  tree.modules = {{"/bin/other", ""}, {"/bin/program", "a1b2"}};
  tree.root[0].site = site_in_module(2, 0x1234);
  tree.root[1].site = site_in_module(1, 5);
  return tree;
}

// Would catch: sites that are written for another node, and files that say less when they are saved again.
TEST(Bytes, SayWhereConstructsAre) {
  const byte_list bytes = of(with_two_sites()).to_bytes();
  const schedule again = schedule::from_bytes(bytes);
  const std::shared_ptr<const steal_tree> tree = schedule_access::tree(again);
  ASSERT_EQ(tree->modules.size(), 2U);
  EXPECT_EQ(tree->modules[0], (code_module{"/bin/program", "a1b2"}));
  EXPECT_EQ(tree->root[0].site, site_in_module(1, 0x1234));
  EXPECT_EQ(tree->root[1].site, site_in_module(2, 5));
  EXPECT_EQ(again.to_bytes(), bytes);
  EXPECT_EQ(again, of(numbered({2, 0, {taken(node(kind::fork, 0), {1}), taken(node(kind::fork, 1), {1})}})));
}

// Would catch: an address of this process in a file, and a file that grows although it knows no place.
TEST(Bytes, FindAddressesInFilesOfCode) {
  steal_tree tree = numbered({2, 0, {taken(node(kind::fork, 0), {1})}});
  const byte_list without = of(tree).to_bytes();
  tree.root[0].site = 1;  // in no module
  EXPECT_EQ(of(tree).to_bytes(), without);
  tree.root[0].site = reinterpret_cast<std::uintptr_t>(&with_two_sites);
  const std::shared_ptr<const steal_tree> loaded =
      schedule_access::tree(schedule::from_bytes(of(std::move(tree)).to_bytes()));
  ASSERT_EQ(loaded->modules.size(), 1U);
  EXPECT_EQ(fs::path(loaded->modules[0].file), fs::read_symlink("/proc/self/exe"));
  EXPECT_EQ(module_of_site(loaded->root[0].site), 1U);
}

// Would catch: a place beyond what the file lists, taken for one.
TEST(Bytes, RefuseWrongPlaces) {
  byte_list bytes = unsealed(of(with_two_sites()));
  ASSERT_FALSE(error_of_bytes(sealed(byte_list(bytes.begin(), bytes.end() - 1))).empty());
  bytes.back() = std::byte{3};
  EXPECT_THAT(error_of_bytes(sealed(bytes)), HasSubstr("at no known place"));
}

TEST(Bytes, SayWhatIsWrongWithThem) {
  EXPECT_THAT(error_of_bytes({}), AllOf(HasSubstr("is no schedule"), HasSubstr("schedule::save()")));
  EXPECT_THAT(error_of_bytes(of_numbers({})), HasSubstr("ends too early"));
  EXPECT_THAT(error_of_bytes(sealed(of_numbers({2, 0, 1, 0}))),
              AllOf(HasSubstr("format version 2"), HasSubstr("record it again")));
  EXPECT_THAT(error_of_bytes(sealed(of_numbers({1, 4, 1, 0}))), HasSubstr("does not know"));
  EXPECT_THAT(error_of_bytes(of_numbers({1, 0, 1, 0, 0, 0, 0, 0})), HasSubstr("checksum"));
  EXPECT_THAT(error_of_bytes(sealed(of_numbers({1, 0, 0, 0}))), HasSubstr("0 workers"));
  EXPECT_THAT(error_of_bytes(sealed(of_numbers({1, 0, 1, 0, 0}))), HasSubstr("goes on after its end"));
  EXPECT_THAT(error_of_bytes(sealed(of_numbers({1, 0, 1, 100, 0, 0}))), HasSubstr("than the file holds"));
  EXPECT_THAT(error_of_bytes(sealed(of_numbers({1, 0, 1, 1, 5, 0}))), HasSubstr("no known kind"));
  // What says it has nodes of a graph, and two nodes with an empty key.
  EXPECT_THAT(error_of_bytes(sealed(of_numbers({1, 0, 1, 1, 0x80, 0, 1, 0, 0}))),
              HasSubstr("nodes of a graph in what is none"));
  EXPECT_THAT(error_of_bytes(sealed(of_numbers({1, 0, 1, 1, 0x84, 0, 2, 0, 0, 0, 0}))),
              HasSubstr("two nodes of a graph with one key"));
  EXPECT_THAT(error_of_bytes(sealed(of_numbers({1, 0, 1, 1, 64 + 3, 0, 5, 2}))), HasSubstr("no fork"));
  EXPECT_THAT(error_of_bytes(sealed(of_numbers({1, 0, 1, 1, 8, 0, 1, 0}))), HasSubstr("beyond the number"));
  EXPECT_EQ(error_of_bytes(sealed(of_numbers({1, 0, 1, 0}))), "");
  byte_list endless = of_numbers({1, 0});
  endless.insert(endless.end(), 10, std::byte{255});
  EXPECT_THAT(error_of_bytes(sealed(endless)), HasSubstr("too large"));
}

// Would catch: a stack that overflows on a small file, be it well made or damaged behind its depth.
TEST(Bytes, MayNestDeeply) {
  byte_list deep = of_numbers({1, 0, 1, 1});
  for (int i = 0; i < 500'000; ++i) {
    for (const int value : {32, 0, 1}) deep.push_back(static_cast<std::byte>(value));
  }
  EXPECT_THAT(error_of_bytes(sealed(deep)), HasSubstr("than the file holds"));
  deep.insert(deep.end(), 2, std::byte{0});
  const schedule s = schedule::from_bytes(sealed(deep));
  EXPECT_EQ(s.depth(), 500'001U);
  EXPECT_EQ(schedule::from_bytes(s.to_bytes()), s);
  EXPECT_GT(s.text().size(), 500'001U);
}

TEST_F(File, IsReadAsItWasWritten) {
  const schedule s = of(sample(4, 4));
  s.save(*this / "a.sched");
  EXPECT_EQ(schedule::load(*this / "a.sched"), s);
  EXPECT_EQ(fs::file_size(folder_ / "a.sched"), s.bytes());
  schedule().save(*this / "a.sched");
  EXPECT_EQ(schedule::load(*this / "a.sched"), schedule());
  EXPECT_EQ(files(), 1U);
}

// Would catch: a link replaced by a file, or a private file that others can read once it is saved anew.
TEST_F(File, StaysWhatItWas) {
  schedule().save(*this / "a.sched");
  chmod((*this / "a.sched").c_str(), 0600);
  fs::create_symlink("a.sched", folder_ / "link");
  of(sample(2, 2)).save(*this / "link");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_NE(schedule::load(*this / "a.sched"), schedule());
  EXPECT_EQ(fs::status(folder_ / "a.sched").permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(files(), 2U);
}

// Would catch: a link replaced by a file as what it leads to is not there yet.
TEST_F(File, IsWrittenThroughALinkThatLeadsNowhere) {
  fs::create_directory(folder_ / "kept");
  fs::create_symlink("kept/a.sched", folder_ / "second");
  fs::create_symlink(folder_ / "second", folder_ / "first");
  of(sample(2, 2)).save(*this / "first");
  EXPECT_TRUE(fs::is_symlink(folder_ / "first"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "second"));
  EXPECT_EQ(schedule::load(*this / "kept/a.sched"), of(sample(2, 2)));
  fs::create_symlink("circle", folder_ / "circle");
  EXPECT_THAT(error_of([&] { schedule().save(*this / "circle"); }), HasSubstr("'"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "circle"));
}

// Would catch: /dev/null replaced by a file.
TEST_F(File, MayBeADevice) {
  schedule().save("/dev/null");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_THAT(error_of([] { schedule().save("/dev/full"); }),
              AllOf(HasSubstr("'/dev/full'"), HasSubstr("No space left"), HasSubstr("choose another place")));
}

// Would catch: half a schedule where the old one was, none, or something beside it.
TEST_F(File, StaysIfTheDiskIsFull) {
  const schedule old = of(sample(2, 2));
  old.save(*this / "a.sched");
  const auto full = [&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit few{4, 4};
    setrlimit(RLIMIT_FSIZE, &few);
    const std::string said = error_of([&] { of(sample(4, 4)).save(*this / "a.sched"); });
    const bool named = said.find("a.sched'") != std::string::npos;
    _exit(named && said.find("File too large; choose another place") != std::string::npos ? 0 : 1);
  };
  EXPECT_EXIT(full(), testing::ExitedWithCode(0), "");
  EXPECT_EQ(schedule::load(*this / "a.sched"), old);
  EXPECT_EQ(files(), 1U);
}

TEST_F(File, ThatCannotBeWrittenIsNamed) {
  EXPECT_THAT(
      error_of([&] { schedule().save(*this / "no/such/a.sched"); }),
      AllOf(HasSubstr("no/such/a.sched'"), HasSubstr("No such file"), HasSubstr("choose another place")));
  EXPECT_THAT(error_of([&] { schedule().save(folder_.string()); }), HasSubstr("Is a directory"));
  EXPECT_EQ(files(), 0U);
}

TEST_F(File, ThatCannotBeReadIsNamed) {
  EXPECT_THAT(error_of([&] { schedule::load(*this / "none.sched"); }),
              AllOf(HasSubstr("none.sched'"), HasSubstr("No such file"), HasSubstr("give a file")));
  EXPECT_THAT(error_of([&] { schedule::load(folder_.string()); }), HasSubstr("Is a directory"));
}

// Would catch: a read that goes on for ever before it looks.
TEST_F(File, ThatIsForeignIsRefusedAtOnce) {
  EXPECT_THAT(error_of([] { schedule::load("/dev/zero"); }), HasSubstr("'/dev/zero': it is no schedule"));
}

}  // namespace
}  // namespace sennit_test
