// What a color stands for.
#pragma once

namespace sennit::detail {

enum class color_kind : unsigned char { workers, caches, nodes };

// The colors of the runtime of the calling strand, or of the default one, and that of the worker that runs the call.
unsigned color_count(color_kind kind);
unsigned color_here(color_kind kind) noexcept;

// While one lives, thieves of the runtime of the calling strand look for work of their own colors.
class colored_run {
 public:
  // As in graph::coloring.
  colored_run(color_kind kind, unsigned first_steal_attempts, unsigned colored_attempts) noexcept;
  colored_run(const colored_run&) = delete;
  colored_run& operator=(const colored_run&) = delete;
  ~colored_run();

 private:
  void* core_;
};

}  // namespace sennit::detail
