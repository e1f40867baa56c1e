// What the tracer writes.
#include "process/settings.hpp"
#include "system/nanoseconds.hpp"
#include "trace/tracer.hpp"
#include "worker/runtime_core.hpp"
#include "worker/worker.hpp"

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
    : begun_ns_(now_ns()), file_(path, first_line(workers)) {
  file_.add_now(trace_line()
                    .raw(R"({"name":"process_name","ph":"M","pid":1,"tid":0,"args":{"name":)")
                    .quoted(own_program())
                    .raw("}}"));
}

trace_line tracer::first_line(unsigned workers) {
  trace_line line;
  line.raw(R"({"name":"sennit_trace","ph":"M","pid":1,"tid":0,"args":{"version":1,"program":)");
  line.quoted(own_program(), 600);
  line.raw(R"(,"workers":)").number(workers);
  line.raw(R"(,"resolution_ns":)").number(resolution_ns).raw("}}");
  return line;
}

// The lanes of further runtimes come after those of the first.
unsigned tracer::lane() noexcept {
  constexpr unsigned lanes_of_runtime = trace_file::most_lanes / most_runtimes;
  const worker* const here = worker::current();
  if (here == nullptr) return outside_lane;
  const runtime_core* const core = &here->core();
  unsigned runtime = 0;
  for (; runtime < most_runtimes - 1; ++runtime) {
    const runtime_core* known = cores_[runtime].load(std::memory_order_relaxed);
    if (known == nullptr && cores_[runtime].compare_exchange_strong(known, core, std::memory_order_relaxed))
      known = core;
    if (known == core) break;
  }
  const unsigned lane = runtime * lanes_of_runtime + here->core().number_of(*here) % lanes_of_runtime;
  if (!named_[lane].load(std::memory_order_relaxed) &&
      !named_[lane].exchange(true, std::memory_order_relaxed)) {
    trace_line line;
    line.raw(R"({"name":"thread_name","ph":"M","pid":1,"tid":)").number(lane);
    line.raw(R"(,"args":{"name":"worker )").number(lane).raw("\"}}");
    file_.add(lane, line);
  }
  return lane;
}

void tracer::tell(const traced_body& body, std::uint64_t end_ns, bool stolen) noexcept {
  const unsigned to = lane();
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

void tracer::flush_now_and_then() noexcept {
  constexpr std::uint64_t between_ns = 100'000'000;
  const std::uint64_t time = now();
  std::uint64_t before = flushed_ns_.load(std::memory_order_relaxed);
  if (time < before + between_ns) return;
  if (flushed_ns_.compare_exchange_strong(before, time, std::memory_order_relaxed)) file_.flush();
}

}  // namespace sennit::detail
