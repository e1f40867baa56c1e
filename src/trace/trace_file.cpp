#include "trace/trace_file.hpp"

#include "process/fork_child.hpp"
#include "process/no_cancellation.hpp"

#include <sennit/detail/failure.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <new>
#include <stdexcept>

namespace sennit::detail {

namespace {

std::string with_process(std::string_view path) {
  std::string whole(path);
  if (const std::size_t at = whole.find("%p"); at != whole.npos)
    whole.replace(at, 2, std::to_string(::getpid()));
  return whole;
}

// Before each line but the first: so the file is whole after each of them.
constexpr std::string_view between_lines = ",\n";

}  // namespace

trace_file::trace_file(std::string_view path, const trace_line& first) : generation_(fork_generation()) {
  const std::string name = with_process(path);
  // Appended to: a line stays whole, whoever writes meanwhile.
  file_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  if (file_ < 0)
    fail<std::runtime_error>("\"" + name + "\" cannot be written (" + std::strerror(errno) + ")");
  write_out("[\n");
  write_out(first.text());
}

trace_file::buffer* trace_file::buffer_of(unsigned lane) noexcept {
  std::atomic<buffer*>& at = buffers_[lane % most_lanes];
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

void trace_file::append(buffer& to, std::string_view text) noexcept {
  std::memcpy(to.bytes.data() + to.size, text.data(), text.size());
  to.size += text.size();
}

// A child of fork(2) has its parent's buffers, and perhaps locks that threads hold which it does not have.
bool trace_file::is_parents() const noexcept { return fork_generation() != generation_; }

void trace_file::add(unsigned lane, const trace_line& line) noexcept {
  if (is_parents()) [[unlikely]]
    return;
  buffer* const to = buffer_of(lane);
  if (to == nullptr) return add_now(line);
  const std::string_view text = line.text();
  const std::lock_guard guard(to->lock);
  if (to->size + text.size() + between_lines.size() > buffer_bytes) {
    write_out({to->bytes.data(), to->size});
    to->size = 0;
  }
  append(*to, between_lines);
  append(*to, text);
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
    const std::lock_guard guard(from->lock);
    write_out({from->bytes.data(), from->size});
    from->size = 0;
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
  const no_cancellation writing;
  while (!text.empty()) {
    const ssize_t written = ::write(file_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      if (!failed_.exchange(true, std::memory_order_relaxed))
        std::fprintf(stderr,
                     "sennit: SENNIT_TRACE: the trace ends here, as the file cannot be written (%s)\n",
                     std::strerror(errno));
      return;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace sennit::detail
