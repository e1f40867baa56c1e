// SPDX-License-Identifier: Apache-2.0
// What the tracer writes.
#include "process/launched_rank.hpp"
#include "process/settings.hpp"
#include "system/nanoseconds.hpp"
#include "trace/traced_strand.hpp"
#include "trace/tracer.hpp"
#include "worker/runtime_core.hpp"
#include "worker/worker.hpp"

#include <sennit/detail/messages_in_trace.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace sennit::detail {

namespace {

using kind = traced_body::kind;

constexpr std::string_view name_of(kind what) noexcept {
  switch (what) {
    case kind::region: return "region";
    case kind::fork: return "fork";
    case kind::right: return "right";
    case kind::loop: return "loop";
    case kind::leaf: return "leaf";
    case kind::child: return "child";
    case kind::named: return "named";
    case kind::wait: return "wait";
    case kind::graph: return "graph";
    case kind::node: return "node";
    case kind::cut: break;
  }
  return "cut";
}

}  // namespace

tracer::tracer(std::string_view path, unsigned workers)
    : begun_ns_(now_ns()), workers_(workers), file_(path, first_line(workers, begun_ns_)) {
  file_.add_now(trace_line()
                    .raw(R"({"name":"process_name","ph":"M","pid":1,"tid":0,"args":{"name":)")
                    .quoted(own_program())
                    .raw("}}"));
}

trace_line tracer::first_line(unsigned workers, std::uint64_t begun_ns) {
  trace_line line;
  line.raw(R"({"name":"sennit_trace","ph":"M","pid":1,"tid":0,"args":{"version":1,"program":)");
  line.quoted(own_program(), 600);
  line.raw(R"(,"workers":)").number(workers);
  line.raw(R"(,"resolution_ns":)").number(resolution_ns);
  // So that traces of one host can be laid beside each other.
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host.fill('\0');
  line.raw(R"(,"clock_ns":)").number(begun_ns).raw(R"(,"host":)").quoted(host.data());
  if (const auto launched = rank_of_launcher()) line.raw(R"(,"rank":)").raw(launched->rank);
  return line.raw("}}");
}

// The rows of the first runtime have the numbers of its workers. Those of others come after them.
unsigned tracer::add_row(worker& here) noexcept {
  runtime_core& core = here.core();
  const std::lock_guard guard(adding_row_);
  if (core.trace_number == 0) core.trace_number = ++runtimes_;
  const unsigned number = core.number_of(here);
  if (core.trace_number == 1 && next_row_ == 0) next_row_ = core.numbered_workers();
  unsigned row = number;
  if (core.trace_number != 1 || row >= core.numbered_workers()) {
    if (next_row_ == outside_row) ++next_row_;
    row = next_row_++;
  }
  here.trace_row = row + 1;
  trace_line line;
  line.raw(R"({"name":"thread_name","ph":"M","pid":1,"tid":)").number(row);
  line.raw(R"(,"args":{"name":"worker )").number(number);
  if (core.trace_number != 1) line.raw(" of runtime ").number(core.trace_number);
  file_.add(row, line.raw("\"}}"));
  return row;
}

unsigned tracer::row() noexcept {
  worker* const here = worker::current();
  if (here == nullptr) return outside_row;
  return here->trace_row != 0 ? here->trace_row - 1 : add_row(*here);
}

void tracer::tell(const traced_body& body, std::uint64_t end_ns, bool stolen) noexcept {
  if (file_.is_parents()) [[unlikely]]
    return;
  const unsigned to = row();
  trace_line line;
  line.raw(R"({"name":)");
  if (body.what == kind::named || !body.name.empty()) {
    line.quoted(body.name);
  } else {
    line.raw("\"").raw(name_of(body.what)).raw("\"");
  }
  line.raw(R"(,"cat":")").raw(name_of(body.what)).raw(R"(","ph":"X","ts":)").time(body.begun_ns);
  line.raw(R"(,"dur":)").time(end_ns - body.begun_ns).raw(R"(,"pid":1,"tid":)").number(to);
  line.raw(R"(,"args":{"id":)").number(body.id);
  if (body.in != 0) line.raw(R"(,"in":)").number(body.in);
  if (const std::uint32_t site = sites_.number_of(body.site)) line.raw(R"(,"site":)").number(site);
  if (body.skipped != 0) line.raw(R"(,"skipped":)").number(body.skipped);
  if (stolen) line.raw(R"(,"stolen":1)");
  switch (body.what) {
    case kind::fork: line.raw(R"(,"left":)").time(body.left_ns); break;
    case kind::loop: line.raw(R"(,"n":)").number(body.last); break;
    case kind::leaf: line.raw(R"(,"first":)").number(body.first).raw(R"(,"last":)").number(body.last); break;
    case kind::wait: line.raw(R"(,"group":)").number(body.last); break;
    case kind::child: line.raw(R"(,"at":)").time(body.first).raw(R"(,"group":)").number(body.last); break;
    case kind::graph:
      line.raw(R"(,"nodes":)").number(body.first);
      if (body.last != 0) line.raw(R"(,"until":)").time(body.last);
      break;
    default: break;
  }
  file_.add(to, line.raw("}}"));
}

// Of each place one line. The lines share the time since the first of the constructs, which may have been mixed.
void tracer::tell_brief(strand& of) noexcept {
  of.untold.interrupted();
  const std::uint64_t in = of.untold.body();
  if (in == 0) return;
  double all_ns = 0;
  for (const brief_place& place : of.untold.places()) all_ns += place.took_ns;
  const std::uint64_t length = of.untold.ended_ns() - of.untold.begun_ns();
  std::uint64_t at = of.untold.begun_ns();
  if (all_ns >= brief_ns && !file_.is_parents()) {
    const auto whole = [](double value) { return static_cast<std::uint64_t>(std::llround(value)); };
    const unsigned to = row();
    for (const brief_place& place : of.untold.places()) {
      const auto part = static_cast<std::uint64_t>(static_cast<double>(length) * (place.took_ns / all_ns));
      trace_line line;
      line.raw(R"({"name":"brief )").raw(place.is_fork ? "forks" : "loops");
      line.raw(R"(","cat":"brief","ph":"X","ts":)").time(at).raw(R"(,"dur":)").time(part);
      line.raw(R"(,"pid":1,"tid":)").number(to).raw(R"(,"args":{"id":)").number(next_id());
      line.raw(R"(,"in":)").number(in);
      if (const std::uint32_t site = sites_.number_of(place.site)) line.raw(R"(,"site":)").number(site);
      line.raw(R"(,"count":)").number(std::max<std::uint64_t>(1, whole(place.count)));
      line.raw(R"(,"seen":)").number(whole(place.seen));
      line.raw(R"(,"took":)").time(std::min(part, whole(place.took_ns)));
      if (place.is_fork) {
        line.raw(R"(,"left":)").time(std::min(part, whole(place.left_ns)));
      } else {
        line.raw(R"(,"n":)").number(std::max<std::uint64_t>(1, whole(place.iterations / place.count)));
      }
      file_.add(to, line.raw("}}"));
      at += part;
    }
  }
  of.untold.forget();
}

void tracer::set_workers(unsigned workers) noexcept {
  if (workers_.load(std::memory_order_relaxed) != 0) return;
  unsigned unknown = 0;
  if (!workers_.compare_exchange_strong(unknown, workers, std::memory_order_relaxed)) return;
  trace_line line;
  line.raw(R"({"name":"workers","ph":"M","pid":1,"tid":0,"args":{"workers":)").number(workers);
  file_.add_now(line.raw("}}"));
}

// Instants, as a strand that sends or waits is not what its worker does meanwhile.
void tracer::tell_message(const message_in_trace& message) noexcept {
  const auto whole = [](int value) { return static_cast<unsigned>(std::max(0, value)); };
  const unsigned to = row();
  trace_line line;
  line.raw(message.sent ? R"({"name":"send to )" : R"({"name":"recv from )").number(whole(message.peer));
  line.raw(R"(","cat":"message","ph":"i","s":"t","ts":)").time(now());
  line.raw(R"(,"pid":1,"tid":)").number(to).raw(message.sent ? R"(,"args":{"to":)" : R"(,"args":{"from":)");
  line.number(whole(message.peer)).raw(R"(,"tag":)").number(whole(message.tag));
  file_.add(to, line.raw(R"(,"bytes":)").number(message.bytes).raw("}}"));
}

void tracer::tell_outside_wait(std::string_view what, std::uint64_t since_ns) noexcept {
  const std::uint64_t end_ns = now();
  if (end_ns - since_ns < brief_ns) return;
  const unsigned to = row();
  trace_line line;
  line.raw(R"({"name":)").quoted(what).raw(R"(,"cat":"outside","ph":"X","ts":)").time(since_ns);
  line.raw(R"(,"dur":)").time(end_ns - since_ns).raw(R"(,"pid":1,"tid":)").number(to);
  file_.add(to, line.raw("}"));
}

void tracer::tell_rank(unsigned rank, unsigned ranks, std::int64_t ahead_ns) noexcept {
  trace_line line;
  line.raw(R"({"name":"rank","ph":"M","pid":1,"tid":0,"args":{"rank":)").number(rank);
  line.raw(R"(,"ranks":)").number(ranks).raw(R"(,"clock_ns":)");
  file_.add_now(line.number(begun_ns_ + static_cast<std::uint64_t>(ahead_ns)).raw("}}"));
}

void tracer::flush_now_and_then() noexcept {
  constexpr std::uint64_t between_ns = 100'000'000;
  const std::uint64_t time = now();
  std::uint64_t before = flushed_ns_.load(std::memory_order_relaxed);
  if (time < before + between_ns) return;
  if (flushed_ns_.compare_exchange_strong(before, time, std::memory_order_relaxed)) file_.flush();
}

}  // namespace sennit::detail
