// SPDX-License-Identifier: Apache-2.0
#include "tools/splicec/continuation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace splicec {

namespace {

std::string regions(const pragma& says) {
  std::vector<std::string> sets;
  if (says.reads) sets.push_back(fmt::format("sennit::reads({})", *says.reads));
  if (says.writes) sets.push_back(fmt::format("sennit::writes({})", *says.writes));
  return fmt::format("using namespace sennit::splicec; return {{{}}};", fmt::join(sets, ", "));
}

// Collects what there is, and what changes on the way.
class collector : public visitor {
 public:
  struct piece {
    const step_effects step;
    cursor call;  // null if it is a step
  };

  explicit collector(walker& in) : in_(in) {}

  void run(extent, const step_effects& does, bool) override { add(does); }
  void value(cursor, const step_effects& does, bool) override { add(does); }
  void calls(const std::vector<cursor>& list, const pragma* says, const follow*) override {
    for (const cursor c : list) {
      const cursor call = in_.call_in(c);
      const touched t = in_.touched_in(call);
      if (!t.local()) add(in_.does(t, says, in_.begin_of(call)));
      pieces.push_back({{}, call});
    }
  }
  void loop_of_calls(const counted_loop&, const std::vector<cursor>& list, const follow*) override {
    calls(list, nullptr, nullptr);
  }
  void fault(unsigned, std::string) override {}  // is said elsewhere

  std::vector<piece> pieces{};

 private:
  void add(const step_effects& does) {
    if (!does.none()) pieces.push_back({does, clang_getNullCursor()});
  }
  walker& in_;
};

// The local variables that are others later on.
touched changes_in(const walker& in, const follow* after) {
  touched t;
  for (const follow* f = after; f != nullptr; f = f->around) {
    if (f->loop != nullptr) {
      t.add(in.touched_in(*f->loop));
      in.add_declared_in(*f->loop, t.changed);
    } else {
      for (std::size_t i = f->from; i < f->list->size(); ++i) t.add(in.touched_in((*f->list)[i]));
    }
  }
  return t;
}

class speaker {
 public:
  speaker(walker& in, program& of, const follow* after, unsigned offset)
      : in_(in), of_(of), offset_(offset), changed_(changes_in(in, after).changed) {}

  // Empty if it cannot be said here.
  std::string say(const collector::piece& p) {
    if (!is_null(p.call)) return say_call(p.call);
    if (p.step.whole()) return "";
    if (p.step.says == nullptr) return effects_of(p.step.seen, offset_);
    return can_say(p.step.says->names) ? effects_of(*p.step.says) : "";
  }

 private:
  bool can_say(const std::set<std::string>& names) const {
    return std::none_of(names.begin(), names.end(), [&](const std::string& n) {
      return changed_.contains(n) || in_.is_doubtful(n) || !in_.in_scope(n, offset_);
    });
  }

  std::string say_call(cursor call) {
    const spliced_function& f = *of_.find(clang_getCursorReferenced(call));
    if (!f.plain || f.inferred.unknown || !in_.touched_in(call).local()) return "";
    const cursor here = clang_getCursorSemanticParent(clang_getCanonicalCursor(f.declaration));
    if (f.name != text_of(clang_getCursorSpelling(f.declaration)) && is_null(here)) return "";
    std::vector<std::string> parameters;
    for (const std::string& p : f.parameters) {
      parameters.push_back(p.empty() ? "auto&&" : "[[maybe_unused]] auto&& " + p);
    }
    // What else it names is not to be taken for a variable of this function.
    for (const std::string& name : f.says->names) {
      const bool parameter = std::find(f.parameters.begin(), f.parameters.end(), name) != f.parameters.end();
      if (!parameter && in_.is_variable(name)) return "";
    }
    std::vector<std::string> arguments;
    for (int i = 0; i < clang_Cursor_getNumArguments(call); ++i) {
      const cursor a = clang_Cursor_getArgument(call, static_cast<unsigned>(i));
      const touched t = in_.touched_in(a);
      if (!t.changed.empty() || !can_say(names_in(a)) || !of_.all.is_delimited(of_.all.extent_of(a)))
        return "";
      arguments.emplace_back(of_.all.words(of_.all.extent_of(a)));
    }
    // Qualified as at the call, or more.
    std::vector<std::string> all{
        fmt::format("sennit::splicec::of_call({}, []({}) -> sennit::effects {{ {} }}{}{})", f.name,
                    fmt::join(parameters, ", "), regions(*f.says), arguments.empty() ? "" : ", ",
                    fmt::join(arguments, ", "))};
    if (!is_nothing(f.inferred)) all.push_back(effects_of(f.inferred, offset_));
    return joined(all);
  }

  std::set<std::string> names_in(cursor c) const {
    std::set<std::string> names;
    const extent e = of_.all.extent_of(c);
    for (std::size_t i = of_.all.token_from(e.begin); i < of_.all.tokens().size(); ++i) {
      const token& t = of_.all.tokens()[i];
      if (t.begin >= e.end) break;
      if (t.kind == CXToken_Identifier) names.emplace(of_.all.words(t));
    }
    return names;
  }

  walker& in_;
  program& of_;
  unsigned offset_;
  std::set<std::string> changed_;
};

}  // namespace

std::string effects_of(const pragma& says) {
  return fmt::format("[&]() -> sennit::effects {{ {} }}()", regions(says));
}

bool is_nothing(const touched& inferred) noexcept {
  return inferred.reads.empty() && inferred.writes.empty() && !inferred.unknown;
}

std::string effects_of(const touched& inferred, unsigned declared_before) {
  const auto list = [&](const std::set<global>& variables) {
    std::vector<std::string> result;
    for (const global& g : variables) result.push_back(fmt::format("sennit::splicec::object({})", g.name));
    return fmt::format("{}", fmt::join(result, ", "));
  };
  const auto hidden = [&](const global& g) { return g.declared >= declared_before && g.declared != 0; };
  if (inferred.unknown || std::any_of(inferred.reads.begin(), inferred.reads.end(), hidden) ||
      std::any_of(inferred.writes.begin(), inferred.writes.end(), hidden)) {
    return "sennit::effects::everything()";
  }
  std::vector<std::string> sets;
  if (!inferred.reads.empty()) sets.push_back(fmt::format("sennit::reads({})", list(inferred.reads)));
  if (!inferred.writes.empty()) sets.push_back(fmt::format("sennit::writes({})", list(inferred.writes)));
  return fmt::format("sennit::effects({})", fmt::join(sets, ", "));
}

std::string joined(const std::vector<std::string>& effects) {
  if (effects.size() == 1) return effects.front();
  return fmt::format("sennit::splicec::all_of({})", fmt::join(effects, ", "));
}

std::string of_step(const step_effects& does, unsigned declared_before) {
  if (does.says == nullptr && does.seen.unknown) return "sennit::effects::everything()";
  if (does.whole()) return std::string(whole_effects);
  return does.says != nullptr ? effects_of(*does.says) : effects_of(does.seen, declared_before);
}

std::string continuation(walker& in, program& of, const follow* after, unsigned offset) {
  collector found(in);
  in.walk_after(after, found);
  if (found.pieces.empty()) return "";
  speaker here(in, of, after, offset);
  std::vector<std::string> all;
  for (const collector::piece& p : found.pieces) {
    if (is_null(p.call) && p.step.says == nullptr && p.step.seen.unknown)
      return "sennit::effects::everything()";
  }
  for (const collector::piece& p : found.pieces) {
    std::string words = here.say(p);
    if (words.empty()) return std::string(whole_effects);
    if (std::find(all.begin(), all.end(), words) == all.end()) all.push_back(std::move(words));
  }
  return joined(all);
}

touched inferred_in(walker& in, program& of, std::vector<spliced_function*>& callees) {
  collector found(in);
  in.walk_function(found);
  touched result;
  for (const collector::piece& p : found.pieces) {
    if (!is_null(p.call)) {
      callees.push_back(of.find(clang_getCursorReferenced(p.call)));
    } else if (p.step.says == nullptr) {
      result.reads.insert(p.step.seen.reads.begin(), p.step.seen.reads.end());
      result.writes.insert(p.step.seen.writes.begin(), p.step.seen.writes.end());
      result.unknown = result.unknown || p.step.seen.unknown;
    }
  }
  return result;
}

}  // namespace splicec
