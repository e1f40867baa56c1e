// SPDX-License-Identifier: Apache-2.0
#include "tools/splicec/tries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace splicec {

namespace {

constexpr std::string_view remedy =
    "keep its value in a local variable before the 'try', or splice these calls apart";

class attempts {
 public:
  attempts(program& of, walker& in, edits& to) : of_(of), all_(of.all), in_(in), to_(to) {}

  void in_list(const std::vector<cursor>& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      const extent e = all_.extent_of(list[i]);
      if (const pragma* const p = of_.said_before(e.begin, pragma::sort::attempt)) {
        attempt(*p, list, i);
      } else {
        inside(list[i]);
      }
    }
  }

 private:
  void inside(cursor c) {
    const std::vector<cursor> parts = children_of(c);
    if (kind_of(c) == CXCursor_CompoundStmt) return in_list(parts);
    for (const cursor p : parts) {
      if (clang_isStatement(kind_of(p)) != 0 || !is_null(in_.call_in(p))) in_list({p});
    }
  }

  void attempt(const pragma& p, const std::vector<cursor>& list, std::size_t i) {
    const unsigned begin = all_.extent_of(list[i]).begin;
    if (kind_of(list[i]) == CXCursor_ForStmt) return loop(p, list[i]);
    if (kind_of(list[i]) == CXCursor_CompoundStmt) {
      const std::vector<cursor> parts = children_of(list[i]);
      if (!parts.empty() && !is_null(in_.call_in(parts.front()))) return calls(p, parts, 0);
    }
    if (!is_null(in_.call_in(list[i]))) return calls(p, list, i);
    all_.fault(
        begin,
        "'try' wants calls of functions with a '#pragma splice func', or a counted loop of them, as in "
        "'for (int t = 0; t < times; ++t) sweep(u, t);'");
  }

  // `all`: of all the calls. `first`: no call stands before this one.
  void check_arguments(cursor statement, const touched& all, bool first) {
    const touched t = in_.touched_in(statement);
    for (const std::string& name : t.read) {
      if (!all.exposed.contains(name)) continue;
      all_.fault(all_.extent_of(statement).begin,
                 fmt::format("'{}' is read before the calls that are given its address have ended: splice "
                             "them apart",
                             name));
    }
    if (!first) check_order(statement, t);
    if (!t.changed.empty()) {
      all_.fault(
          all_.extent_of(statement).begin,
          fmt::format(
              "'{}' changes in what is to be spliced: calls have to be independent of when they are made",
              *t.changed.begin()));
    }
  }

  // Of arguments that are made before the calls in front of them have ended.
  void check_order(cursor statement, const touched& t) {
    // Refused, not warned of: what is spliced wrongly gives another result without a word at run time.
    if (t.unknown) {
      all_.fault(t.unknown_at,
                 fmt::format("nothing is known of {}: it is made before the calls that stand before it have "
                             "ended, and may depend on them; {}",
                             t.unknown_what, remedy));
    } else if (t.pointed) {
      all_.fault(t.pointed_at,
                 fmt::format("this argument is read before the calls that stand before it have ended, which "
                             "may write it; {}",
                             remedy));
    } else if (!t.reads.empty()) {
      all_.fault(
          all_.extent_of(statement).begin,
          fmt::format("'{}' is read before the calls that stand before this one have ended, which may write "
                      "it; {}, or make it static if only main() writes it",
                      t.reads.begin()->name, remedy));
    } else if (!t.writes.empty()) {
      all_.fault(all_.extent_of(statement).begin,
                 fmt::format("'{}' is written before the calls that stand before this one have ended; {}",
                             t.writes.begin()->name, remedy));
    }
  }

  void calls(const pragma& p, const std::vector<cursor>& list, std::size_t first) {
    unsigned wanted = 0;
    const auto [end, error] =
        std::from_chars(p.together.data(), p.together.data() + p.together.size(), wanted);
    const bool known = error == std::errc() && end == p.together.data() + p.together.size() && wanted > 0;
    std::size_t last = first;
    while (last < list.size() && !is_null(in_.call_in(list[last])) && (!known || last - first < wanted))
      ++last;
    const std::size_t count = last - first;
    if (known && count < wanted) {
      const unsigned at = last < list.size() ? all_.extent_of(list[last]).begin : p.begin;
      const touched next = last < list.size() ? in_.touched_in(list[last]) : touched{};
      all_.warn(
          at, next.unknown
                  ? fmt::format("nothing is known of {}: it may read and write everything, and ends what is "
                                "spliced after {} of {} calls",
                                next.unknown_what, count, wanted)
                  : fmt::format("only {} of {} calls follow one another: those are spliced", count, wanted));
    }
    touched all;
    for (std::size_t i = first; i < last; ++i) all.add(in_.touched_in(list[i]));
    for (std::size_t i = first; i < last; ++i) {
      const extent e = all_.extent_of(list[i]);
      if (!all_.require_plain(list[i])) return;
      check_arguments(list[i], all, i == first);
      const std::size_t k = i - first;
      to_.insert(e.begin,
                 k == 0
                     ? fmt::format("sennit::splice(sennit::splicec::together({}), {}, [&](int sennit_k) {{ "
                                   "switch (sennit_k) {{ case 0: ",
                                   p.together, count)
                     : fmt::format("case {}: ", k));
      to_.close(all_.end_with_semicolon(e), i + 1 == last ? " break; default: break; } });" : " break;");
    }
  }

  void loop(const pragma& p, cursor statement) {
    const unsigned begin = all_.extent_of(statement).begin;
    counted_loop counted;
    if (!in_.is_counted(statement, counted)) {
      all_.fault(
          begin,
          "a loop is spliced if it counts, as in 'for (int t = 0; t < times; ++t)', and neither its variable "
          "nor its bounds change in it");
      return;
    }
    if (!all_.require_plain(statement)) return;
    std::vector<cursor> list{counted.body};
    if (kind_of(counted.body) == CXCursor_CompoundStmt) list = children_of(counted.body);
    const bool simple = !list.empty() && std::all_of(list.begin(), list.end(),
                                                     [&](cursor c) { return !is_null(in_.call_in(c)); });
    if (!simple) {
      const auto [least, most] = in_.calls_in(counted.body);
      if (least != 1 || most != 1) {
        all_.fault(
            begin,
            "each round of a loop that is spliced makes one call of a spliced function, or consists of such "
            "calls and nothing else");
        return;
      }
      list.clear();
    }
    touched outside = in_.touched_in(counted.body);
    std::erase_if(outside.changed, [&](const std::string& name) { return !in_.in_scope(name, begin); });
    if (!outside.changed.empty()) {
      all_.fault(
          begin,
          fmt::format("'{}' changes from round to round: rounds that are spliced are begun before those "
                      "before them have ended; say it in terms of '{}', as in u[t % 2]",
                      *outside.changed.begin(), counted.name));
      return;
    }
    if (!outside.writes.empty()) {
      all_.fault(begin, fmt::format("'{}' changes from round to round, outside the calls that are spliced",
                                    outside.writes.begin()->name));
      return;
    }
    check_arguments(counted.body, outside, false);
    write_counted(all_, to_, counted, list,
                  fmt::format("sennit::splice(sennit::splicec::together({}), ", p.together), "", " });");
  }

  program& of_;
  const source& all_;
  walker& in_;
  edits& to_;
};

}  // namespace

void write_counted(const source& all, edits& to, const counted_loop& loop, const std::vector<cursor>& calls,
                   const std::string& before, const std::string& begin, const std::string& end) {
  const extent whole = all.extent_of(loop.statement);
  const extent body = all.extent_of(loop.body);
  const std::size_t each = std::max<std::size_t>(calls.size(), 1);
  const std::string type =
      text_of(clang_getTypeSpelling(clang_getUnqualifiedType(clang_getCursorType(loop.variable))));
  to.replace(
      whole.begin, body.begin,
      fmt::format(
          "{0}sennit::splicec::rounds(static_cast<{7}>({1}), {2}, {3}, {4}){5}, [&](std::size_t sennit_k) {{ "
          "[[maybe_unused]] const auto {6} = "
          "static_cast<{7}>(static_cast<{7}>({1}) + static_cast<{7}>(sennit_k{8}) * "
          "static_cast<{7}>({3}));{9} ",
          before, loop.first, loop.last, loop.by, loop.inclusive, each > 1 ? fmt::format(" * {}", each) : "",
          loop.name, type, each > 1 ? fmt::format(" / {}", each) : "", begin));
  if (each > 1) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const extent e = all.extent_of(calls[i]);
      to.insert(e.begin, i == 0 ? fmt::format("switch (sennit_k % {}) {{ case 0: ", each)
                                : fmt::format("case {}: ", i));
      to.close(all.end_with_semicolon(e), i + 1 == calls.size() ? " break; default: break; }" : " break;");
    }
  }
  to.close(all.end_with_semicolon(body), end);
}

void write_tries(program& of, edits& to) {
  for (const cursor f : of.definitions()) {
    const extent e = of.all.extent_of(f);
    walker in(of, f);
    if (of.find(f) != nullptr) {
      for (const pragma& p : of.pragmas()) {
        if (p.what != pragma::sort::attempt || p.begin < e.begin || p.begin >= e.end) continue;
        of.said_before(p.next, pragma::sort::attempt);
        of.all.fault(
            p.begin,
            "'try' in a spliced function: its calls are interleaved with others as it is; leave it out");
      }
      continue;
    }
    attempts(of, in, to).in_list(in.body());
  }
}

}  // namespace splicec
