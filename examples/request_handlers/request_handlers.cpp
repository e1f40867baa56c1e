// SPDX-License-Identifier: Apache-2.0
// request_handlers [CLIENTS [REQUESTS]]: a server on this machine, and clients that ask it how many primes are below a number.
//
// A connection is a child of a task group. While it waits for its client it says so with sennit::blocking, and another thread
// takes its worker's place; the answers are computed in parallel. There are as many threads as there are connections that wait,
// so this is for up to 256 of them. For thousands, see sennit::event.
#include <sennit/sennit.hpp>

#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace {

using number = std::uint32_t;

// One end of a connection.
class endpoint {
 public:
  explicit endpoint(int file) : file_(file) {}
  endpoint(endpoint&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  endpoint& operator=(endpoint&&) = delete;
  ~endpoint() {
    if (file_ != -1) close(file_);
  }

  // Nothing, if the other end has been closed. A number is short enough to come whole.
  std::optional<number> receive() const {
    number value = 0;
    ssize_t bytes = -1;
    do {
      bytes = recv(file_, &value, sizeof value, MSG_WAITALL);
    } while (bytes == -1 && errno == EINTR);
    if (bytes == -1) throw std::system_error(errno, std::generic_category(), "cannot receive");
    return bytes == sizeof value ? std::optional(value) : std::nullopt;
  }

  void send(number value) const {
    if (::send(file_, &value, sizeof value, MSG_NOSIGNAL) != sizeof value)
      throw std::system_error(errno, std::generic_category(), "cannot send");
  }

 private:
  int file_;
};

std::pair<endpoint, endpoint> connection() {
  int files[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, files) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot connect a client");
  return {endpoint(files[0]), endpoint(files[1])};
}

bool is_prime(number n) {
  if (n < 2) return false;
  for (number d = 2; d <= n / d; ++d) {
    if (n % d == 0) return false;
  }
  return true;
}

// P is sennit::parallel or sennit::serial.
template <class P>
number primes_below(number n) {
  return P::parallel_reduce(number{0}, n, number{0},
                            [](number i) { return is_prime(i) ? number{1} : number{0}; });
}

void serve(const endpoint& client) {
  while (const std::optional<number> n = sennit::blocking([&] { return client.receive(); }))
    client.send(primes_below<sennit::parallel>(*n));
}

number asked_by(std::size_t client, std::size_t request) {
  return static_cast<number>(1000 * (client % 10 + 1) + request);
}

// Returns how many answers are wrong.
std::size_t ask(const endpoint& server, std::size_t client, std::size_t requests) {
  std::size_t wrong = 0;
  for (std::size_t request = 0; request < requests; ++request) {
    const number n = asked_by(client, request);
    server.send(n);
    if (server.receive() != primes_below<sennit::serial>(n)) ++wrong;
  }
  return wrong;
}

// The argument at a position, or else what is usual.
std::size_t count(int argc, char** argv, int position, std::string_view what, std::size_t usual,
                  std::size_t most) {
  if (position >= argc) return usual;
  const std::string_view text = argv[position];
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > most)
    throw std::runtime_error("the number of " + std::string(what) + " is from 1 to " + std::to_string(most) +
                             ", not '" + std::string(text) + "'");
  return value;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc > 3) throw std::runtime_error("usage: request_handlers [CLIENTS [REQUESTS]]");
  const std::size_t clients = count(argc, argv, 1, "clients", 40, 256);
  const std::size_t requests = count(argc, argv, 2, "requests of a client", 10, 1'000'000);

  std::atomic<std::size_t> wrong{0};
  std::vector<std::jthread> threads;
  sennit::task_group connections;
  for (std::size_t i = 0; i < clients; ++i) {
    auto [server, client] = connection();
    // The client first: a spawn may run its child at once, and that child waits for the client.
    threads.emplace_back([end = std::move(client), &wrong, i, requests] { wrong += ask(end, i, requests); });
    connections.spawn([end = std::move(server)] { serve(end); });
  }
  connections.wait();
  threads.clear();
  std::printf("%zu clients, %zu answers, %zu of them wrong\n", clients, clients * requests, wrong.load());
  if (wrong != 0) throw std::runtime_error("the serial program has other results");
} catch (const std::exception& e) {
  std::fprintf(stderr, "request_handlers: %s\n", e.what());
  return EXIT_FAILURE;
}
