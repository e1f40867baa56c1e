// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/strand_report.hpp"

#include "diagnosis/calls_of_thread.hpp"
#include "diagnosis/inspection.hpp"
#include "worker/polling.hpp"
#include "worker/runtime_core.hpp"

#include <cstdio>
#include <fstream>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sennit::detail {

namespace {

std::string text_of(const std::string& path) {
  std::string text;
  std::getline(std::ifstream(path), text);
  return text;
}

using numbered_strand = std::pair<const fiber*, unsigned>;

std::string runs_where(const fiber* strand, const std::vector<numbered_strand>& running) {
  for (const auto& [fiber, number] : running) {
    if (fiber == strand) return "on worker " + std::to_string(number);
  }
  return "suspended";
}

std::string line_of(const fiber* strand, const strand_facts& facts,
                    const std::vector<numbered_strand>& running) {
  char address[32];
  std::snprintf(address, sizeof address, "%p", static_cast<const void*>(strand));
  std::string line = std::string("strand ") + address + ", " + runs_where(strand, running);
  if (facts.awaited > 0)
    line += ", waits for " + std::to_string(facts.awaited) + (facts.awaited == 1 ? " branch" : " branches");
  if (!facts.line.empty()) line += ", in " + facts.line;
  return line + "\n";
}

// The strand, and those whose ends wait for it, outwards.
void add_chain(std::string& text, const fiber* strand, const std::vector<numbered_strand>& running,
               std::set<const fiber*>& told) {
  std::string indent = "    ";
  for (int depth = 0; strand != nullptr && depth < 64; ++depth, indent += "  ") {
    strand_facts facts;
    if (!look_at(*strand, facts)) return;
    text += indent + line_of(strand, facts, running);
    if (facts.code != nullptr && facts.opener != nullptr) {
      text += indent + "  runs a branch, " + name_of_place(facts.code) + ", that was opened by\n";
    } else if (facts.code != nullptr) {
      text += indent + "  is the first of its region\n";
    }
    if (!told.insert(strand).second) {
      text += indent + "  (see above)\n";
      return;
    }
    strand = facts.opener;
  }
}

// What is known of a worker with a thread.
struct seated {
  worker& seat;
  unsigned number;
  pid_t thread;
  worker_frames::holding holds{};
};

std::string state_of(const seated& s) {
  const std::string task = "/proc/self/task/" + std::to_string(s.thread);
  const std::string wchan = text_of(task + "/wchan");
  std::string state = "  worker " + std::to_string(s.number) + " (thread " + std::to_string(s.thread) +
                      " \"" + text_of(task + "/comm") +
                      "\"): " + (s.holds.strand != nullptr ? "runs a strand" : "has no strand");
  if (!wchan.empty() && wchan != "0") state += ", blocked in the kernel (" + wchan + ")";
  return state + "\n";
}

// What lies in its deque, and who waits for whom from there on.
std::string waiting_at(const seated& s, const std::vector<numbered_strand>& running,
                       std::set<const fiber*>& told) {
  std::string text;
  if (s.holds.latent != 0)
    text += "    " + std::to_string(s.holds.latent) + " latent in its deque, opened by that strand\n";
  if (s.holds.listed != 0) text += "    " + std::to_string(s.holds.listed) + " listed for whoever comes\n";
  if (s.holds.strand != nullptr) add_chain(text, s.holds.strand, running, told);
  if (s.holds.oldest_listed != nullptr && !told.contains(s.holds.oldest_listed)) {
    text += "    the oldest listed was opened by\n";
    add_chain(text, s.holds.oldest_listed, running, told);
  }
  return text;
}

}  // namespace

std::string strands_as_text(runtime_core& core) {
  std::vector<seated> seats;
  core.for_each_seat(
      [&](worker& w) { seats.push_back({.seat = w, .number = core.number_of(w), .thread = w.thread}); });
  std::vector<numbered_strand> running;
  for (seated& s : seats) {
    s.holds = s.seat.frames().look();
    if (s.holds.strand != nullptr) running.emplace_back(s.holds.strand, s.number);
  }
  std::string text = "  " + std::to_string(core.workers()) + " workers, " + std::to_string(seats.size()) +
                     " threads, " + std::to_string(core.regions()) + " regions\n";
  std::vector<std::string> states;
  std::vector<std::string> waiting;
  std::set<const fiber*> told;
  for (const seated& s : seats) {
    states.push_back(state_of(s));
    waiting.push_back(waiting_at(s, running, told));
  }
  // A signal may end the call that a thread is blocked in. So the threads are asked when all else is known.
  for (std::size_t i = 0; i < seats.size(); ++i) {
    text += states[i];
    if (seats[i].holds.strand != nullptr) text += calls_of_thread(seats[i].thread);
    text += waiting[i];
  }
  if (const std::string events = awaited_events(); !events.empty())
    text += "  awaited from outside:\n" + events;
  return text;
}

}  // namespace sennit::detail
