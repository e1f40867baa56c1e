// SPDX-License-Identifier: Apache-2.0
// The compilers' messages for a pipeline whose stages do not fit.
#pragma once

#include <sennit/detail/algorithm/refusal.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/pipeline/stages.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace sennit::detail {

template <class Source>
consteval bool require_source() {
  if constexpr (std::same_as<Source, refused>) {
    return false;  // source() has given a message
  } else if constexpr (!is_source<Source>) {
    static_assert(never<Source>,
                  "pipeline: the first argument after the options is the source; make it by "
                  "sennit::source(f), of a function that returns a std::optional, or of a range");
    return false;
  } else {
    return true;
  }
}

template <class Stage, class Given>
consteval bool require_stage_fits() {
  if constexpr (!std::invocable<typename Stage::callable&, Given>) {
    if constexpr (!one_only<typename Stage::mode> &&
                  std::invocable<std::remove_const_t<typename Stage::callable>&, Given>) {
      static_assert(never<Stage, Given>,
                    "pipeline: a stage that changes itself is called by several workers at a time; say "
                    "sennit::stage(sennit::one_at_a_time, f) or sennit::ordered, or make it constant");
    } else {
      static_assert(never<Stage, Given>,
                    "pipeline: a stage does not take what the source or the stage before it gives (Given); "
                    "it is called with an rvalue of that type, and without the std::optional around it");
    }
    return false;
  } else {
    return true;
  }
}

// Whether the stages fit, the first being given that.
template <class Given, class Stage, class... Stages>
consteval bool require_stages() {
  if constexpr (!is_stage<Stage>) {
    static_assert(never<Stage>, "pipeline: an argument after the source is no stage; make it by "
                                "sennit::stage(f)");
    return false;
  } else if constexpr (!require_stage_fits<Stage, Given>()) {
    return false;
  } else if constexpr (sizeof...(Stages) == 0) {
    if constexpr (!std::is_void_v<result_of_stage<Stage, Given>>) {
      static_assert(never<Stage>, "pipeline: the last stage returns something, which nobody takes; let it "
                                  "return void");
      return false;
    } else {
      return true;
    }
  } else if constexpr (std::is_void_v<result_of_stage<Stage, Given>>) {
    static_assert(never<Stage>, "pipeline: a stage before the last one returns nothing, so that the next "
                                "stage has nothing to take");
    return false;
  } else {
    return require_stages<typename stage_result<result_of_stage<Stage, Given>>::given, Stages...>();
  }
}

template <class Source, class... Stages>
consteval bool require_pipeline() {
  if constexpr (!require_source<Source>()) {
    return false;
  } else if constexpr (sizeof...(Stages) == 0) {
    static_assert(never<Source>, "pipeline: there is no stage after the source");
    return false;
  } else {
    return require_stages<typename stage_result<typename Source::result>::given, Stages...>();
  }
}

}  // namespace sennit::detail
