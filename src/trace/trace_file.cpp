// SPDX-License-Identifier: Apache-2.0
#include "trace/trace_file.hpp"

#include "process/fork_child.hpp"
#include "process/launched_rank.hpp"
#include "process/no_cancellation.hpp"

#include <sennit/detail/failure.hpp>

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <mutex>
#include <new>
#include <stdexcept>

namespace sennit::detail {

namespace {

// False: the mark is not there.
bool replace_all(std::string& text, std::string_view mark, const std::string& by) {
  bool found = false;
  for (std::size_t at = 0; (at = text.find(mark, at)) != text.npos; at += by.size(), found = true)
    text.replace(at, mark.size(), by);
  return found;
}

// A process of several has a file of its own, also if the path does not say so.
std::string path_of_process(std::string_view path) {
  std::string whole(path);
  const auto launched = rank_of_launcher();
  const bool by_rank = replace_all(whole, "%r", launched ? launched->rank : "0");
  const bool by_process = replace_all(whole, "%p", std::to_string(::getpid()));
  if (!launched || launched->alone || by_rank || by_process) return whole;
  const std::size_t name = whole.rfind('/') + 1;
  const std::size_t dot = whole.rfind('.');
  return whole.insert(dot == whole.npos || dot <= name ? whole.size() : dot, "." + launched->rank);
}

// Not the program's: a pipe that nobody reads any more, or a file that may not grow, is no reason to end it.
class without_signals {
 public:
  without_signals() noexcept {
    sigemptyset(&of_writing_);
    sigaddset(&of_writing_, SIGPIPE);
    sigaddset(&of_writing_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &of_writing_, &before_);
  }
  without_signals(const without_signals&) = delete;
  without_signals& operator=(const without_signals&) = delete;
  ~without_signals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  // The latest write has raised that signal for the calling thread.
  void take(int signal) const noexcept {
    if (sigismember(&before_, signal) == 1) return;  // the program has blocked it, and may wait for it
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, signal);
    constexpr timespec at_once{};
    while (sigtimedwait(&one, nullptr, &at_once) < 0 && errno == EINTR) {
    }
  }

 private:
  sigset_t of_writing_;
  sigset_t before_;
};

// A pipe is opened only if somebody reads it: else the program would wait for that.
int opened(const char* path) noexcept {
  // Appended to: a line stays whole, whoever writes meanwhile.
  const int file = ::open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666);
  if (file >= 0) ::fcntl(file, F_SETFL, ::fcntl(file, F_GETFL) & ~O_NONBLOCK);
  return file;
}

const char* reason(int error) noexcept { return error == ENXIO ? "nobody reads it" : std::strerror(error); }

// Before each line but the first: so the file is whole after each of them.
constexpr std::string_view between_lines = ",\n";

}  // namespace

trace_file::trace_file(std::string_view path, const trace_line& first) : generation_(fork_generation()) {
  const std::string name = path_of_process(path);
  file_ = opened(name.c_str());
  if (file_ < 0) fail<std::runtime_error>("\"" + name + "\" cannot be written (" + reason(errno) + ")");
  write_out("[\n");
  write_out(first.text());
}

trace_file::buffer* trace_file::buffer_of(unsigned row) noexcept {
  std::atomic<buffer*>& at = buffers_[row % most_buffers];
  // ORD[D73] acquire: the buffer as it was made; pairs with the release below.
  buffer* found = at.load(std::memory_order_acquire);
  if (found != nullptr) return found;
  std::unique_ptr<buffer> made(new (std::nothrow) buffer);
  if (!made) return nullptr;
  // ORD[D73] acq_rel: the buffer as it was made, here and by another thread.
  if (at.compare_exchange_strong(found, made.get(), std::memory_order_acq_rel, std::memory_order_acquire))
    return made.release();
  return found;
}

void trace_file::append(half& to, std::string_view text) noexcept {
  std::memcpy(to.bytes.data() + to.size, text.data(), text.size());
  to.size += text.size();
}

bool trace_file::is_parents() const noexcept { return fork_generation() != generation_; }

void trace_file::add(unsigned row, const trace_line& line) noexcept {
  if (is_parents()) [[unlikely]]
    return;
  buffer* const to = buffer_of(row);
  if (to == nullptr) return add_now(line);
  const std::string_view text = line.text();
  const std::size_t more = text.size() + between_lines.size();
  static_assert(trace_line::most_bytes + between_lines.size() <= half_bytes);
  for (;;) {
    {
      const std::lock_guard guard(to->lock);
      half& filling = to->halves[to->filling];
      if (filling.size + more <= half_bytes) {
        append(filling, between_lines);
        append(filling, text);
        return;
      }
    }
    write_filled(*to, more);
  }
}

// Unless there is so much room by now.
void trace_file::write_filled(buffer& from, std::size_t room) noexcept {
  const std::lock_guard writes(from.writing);
  half* filled = nullptr;
  {
    const std::lock_guard guard(from.lock);
    filled = &from.halves[from.filling];
    if (filled->size + room <= half_bytes) return;
    from.filling ^= 1U;
  }
  write_out({filled->bytes.data(), filled->size});
  filled->size = 0;
}

void trace_file::add_now(const trace_line& line) noexcept {
  trace_line whole;
  write_out(whole.raw(between_lines).raw(line.text()).text());
}

void trace_file::flush() noexcept {
  if (is_parents()) return;
  for (std::atomic<buffer*>& at : buffers_) {
    // ORD[D73] acquire: as in buffer_of().
    buffer* const from = at.load(std::memory_order_acquire);
    if (from == nullptr) continue;
    write_filled(*from, half_bytes);
  }
}

void trace_file::close() noexcept {
  flush();
  // The file stays open: other threads may be about to write, and its number would be another file's.
  if (!failed_.exchange(true, std::memory_order_relaxed)) write_whole("\n]\n");
}

void trace_file::write_out(std::string_view text) noexcept {
  if (!failed_.load(std::memory_order_relaxed) && !is_parents()) write_whole(text);
}

void trace_file::write_whole(std::string_view text) noexcept {
  const without_signals guard;
  const no_cancellation writing;
  while (!text.empty()) {
    const ssize_t written = ::write(file_, text.data(), text.size());
    const int error = written < 0 ? errno : 0;
    if (error == EINTR) continue;
    if (written < 0) {
      if (error == EPIPE) guard.take(SIGPIPE);
      if (error == EFBIG) guard.take(SIGXFSZ);
      if (!failed_.exchange(true, std::memory_order_relaxed))
        std::fprintf(stderr, "sennit: the trace ends here, as SENNIT_TRACE's file cannot be written (%s)\n",
                     std::strerror(error));
      return;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace sennit::detail
