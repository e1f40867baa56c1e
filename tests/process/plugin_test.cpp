// SPDX-License-Identifier: Apache-2.0
// Shared objects that hold the library, in a program that does not: loaded, used and unloaded.
#include "support.hpp"

#include <dlfcn.h>

#include <semaphore>
#include <thread>

namespace process {
namespace {

class plugin {
 public:
  explicit plugin(const char* file) : file_(file), handle_(dlopen(file, RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) {
      std::fprintf(stderr, "%s\n", dlerror());
      std::abort();
    }
  }
  ~plugin() { unload(); }
  plugin(const plugin&) = delete;
  plugin& operator=(const plugin&) = delete;

  long fib(long n) const { return function<long(long)>("plugin_fib")(n); }
  bool migrates() const { return function<bool()>("plugin_migrates")(); }
  bool reduces() const { return function<bool()>("plugin_reduces")(); }
  void unload() {
    if (handle_ != nullptr) {
      EXPECT_EQ(dlclose(handle_), 0);
    }
    handle_ = nullptr;
  }
  bool mapped() const {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
      if (line.ends_with(file_)) return true;
    }
    return false;
  }

 private:
  template <class F>
  F* function(const char* name) const {
    return reinterpret_cast<F*>(dlsym(handle_, name));
  }

  std::string file_;
  void* handle_;
};

constexpr auto first = SENNIT_TEST_PLUGIN_A;
constexpr auto second = SENNIT_TEST_PLUGIN_B;

TEST(Plugin, ComesAndGoesWithoutATrace) {
  // Catches: static TLS that glibc cannot give a late comer; threads, thread-exit hooks or unique symbols
  // that keep the object mapped, or survive it.
  const ending run = apart([] {
    for (int i = 0; i < (sanitized ? 20 : 200); ++i) {
      plugin p(first);
      ASSERT_EQ(p.fib(12), 144);
      if (i % 20 == 0) {
        ASSERT_TRUE(p.migrates());
        ASSERT_TRUE(p.reduces());
      }
      p.unload();
      ASSERT_TRUE(is_alone()) << "after load " << i;
      ASSERT_FALSE(p.mapped()) << "after load " << i;
    }
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(Plugin, UnusedOnesGoToo) {
  // Catches: a library whose mere presence pins the object.
  const ending run = apart([] {
    plugin p(first);
    p.unload();
    EXPECT_FALSE(p.mapped());
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(Plugin, MayStayUntilTheEnd) {
  // Catches: an end of the process that unloads in an order the library did not expect.
  const ending run = apart([] {
    static const plugin p(first);
    EXPECT_TRUE(p.migrates());
    EXPECT_TRUE(p.reduces());
  });
  EXPECT_THAT(run, ExitedWith(0));
  const ending leaked = apart([] {
    static const plugin& p = *new plugin(first);
    EXPECT_TRUE(p.migrates());
    EXPECT_TRUE(p.reduces());
  });
  EXPECT_THAT(leaked, ExitedWith(0));
}

TEST(Plugin, CopiesKeepToThemselves) {
  // Catches: words or workers of one copy that are used by the other.
  for (const bool in_order : {true, false}) {
    const ending run = apart([=] {
      plugin a(first);
      plugin b(second);
      for (int i = 0; i < 20; ++i) {
        ASSERT_EQ(a.fib(12), 144);
        ASSERT_EQ(b.fib(13), 233);
      }
      EXPECT_TRUE(a.migrates());
      EXPECT_TRUE(b.migrates());
      plugin& goes = in_order ? a : b;
      const plugin& stays = in_order ? b : a;
      goes.unload();
      EXPECT_FALSE(goes.mapped());
      EXPECT_TRUE(stays.migrates());
      EXPECT_EQ(stays.fib(14), 377);
      a.unload();
      b.unload();
      EXPECT_FALSE(a.mapped() || b.mapped());
      EXPECT_TRUE(is_alone());
    });
    EXPECT_THAT(run, ExitedWith(0));
  }
}

TEST(Plugin, OfThreadsThatOutliveIt) {
  // Catches: a hook at a thread's end whose code has been unloaded.
  const ending run = apart([] {
    plugin p(first);
    std::binary_semaphore used{0};
    std::binary_semaphore unloaded{0};
    std::thread guest([&] {
      EXPECT_TRUE(p.migrates());
      used.release();
      unloaded.acquire();
    });
    used.acquire();
    p.unload();
    EXPECT_FALSE(p.mapped());
    unloaded.release();
    guest.join();
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(Plugin, OfThreadsWithViewsThatOutliveIt) {
  // Catches: the same for views of reducers, which a thread leaves behind even if it has run no strand.
  const ending run = apart([] {
    plugin p(first);
    std::binary_semaphore used{0};
    std::binary_semaphore unloaded{0};
    std::thread thread([&] {
      EXPECT_TRUE(p.reduces());
      used.release();
      unloaded.acquire();
    });
    used.acquire();
    leaks_are_apparent = true;  // what the thread has added to a reducer of the plugin's
    p.unload();
    EXPECT_FALSE(p.mapped());
    unloaded.release();
    thread.join();
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(Plugin, AfterItTheProgramForksAsBefore) {
  // Catches: a fork handler whose code has been unloaded.
  const ending run = apart([] {
    {
      const plugin p(first);
      EXPECT_TRUE(p.migrates());
    }
    const pid_t child = fork_again();
    if (child == 0) return;
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(Plugin, AfterItFaultsGoWhereTheyWentBefore) {
  // Catches: a signal handler whose code has been unloaded.
  const ending run = apart([] {
    signal(SIGSEGV, [](int) { _exit(41); });
    {
      const plugin p(first);
      EXPECT_TRUE(p.migrates());
    }
    raise(SIGSEGV);
  });
  EXPECT_THAT(run, ExitedWith(41));
}

}  // namespace
}  // namespace process
