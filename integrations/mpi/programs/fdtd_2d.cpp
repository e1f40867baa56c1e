// SPDX-License-Identifier: Apache-2.0
// fdtd-2d: an electromagnetic field in a square, as a sweep over grids of all ranks. A step has three phases, one for each component
// of the field. Two of them need the magnetic field of the row above, and the third one the electric field of the row below.
#include "gallery/fdtd_2d.hpp"

#include "integrations/mpi/programs/square.hpp"

#include <sennit/mpi/sweep.hpp>

namespace {

class fdtd_2d : public programs::square {
  static constexpr std::int64_t phases = gallery::fdtd_2d::phases;

  void fill(range rows) override {
    const auto set = [&](std::optional<grid>& field, std::int64_t shift) {
      field.emplace(n_, n_);
      for (auto i = rows.first; i < rows.last; ++i) {
        for (std::int64_t j = 0; j < n_; ++j)
          field->row(i)[j] =
              static_cast<double>(i) * static_cast<double>(j + shift) / static_cast<double>(n_);
      }
    };
    set(ex_, 1);
    set(ey_, 2);
    set(hz_, 3);
  }

  sennit::effects effects_of(std::int64_t s, range rows) const {
    const range all{0, n_};
    switch (s % phases) {
      case 0:
        return {sennit::reads(hz_->region(range{rows.first - 1, rows.last}.within(all))),
                sennit::writes(ey_->region(rows))};
      case 1: return {sennit::reads(hz_->region(rows)), sennit::writes(ex_->region(rows))};
      default:
        return {sennit::reads(ex_->region(rows), ey_->region(range{rows.first, rows.last + 1}.within(all))),
                sennit::writes(hz_->region(rows))};
    }
  }

  void row_of_step(std::int64_t s, std::int64_t i) {
    double* const ex = ex_->row(i);
    double* const ey = ey_->row(i);
    double* const hz = hz_->row(i);
    switch (s % phases) {
      case 0:
        for (std::int64_t j = 0; j < n_; ++j)
          ey[j] = i == 0 ? static_cast<double>(s / phases) : ey[j] - 0.5 * (hz[j] - hz[j - n_]);
        return;
      case 1:
        for (std::int64_t j = 1; j < n_; ++j) ex[j] -= 0.5 * (hz[j] - hz[j - 1]);
        return;
      default:
        for (std::int64_t j = 0; i + 1 < n_ && j + 1 < n_; ++j)
          hz[j] -= 0.7 * (ex[j + 1] - ex[j] + ey[j + n_] - ey[j]);
    }
  }

  void compute() override {
    sennit::mpi::sweep(
        *blocks_, {.together = phases * together_}, phases * steps_, {0, n_},
        [this](std::int64_t s, range rows) { return effects_of(s, rows); },
        [this](std::int64_t s, range rows) {
          for (auto i = rows.first; i < rows.last; ++i) row_of_step(s, i);
        },
        *ex_, *ey_, *hz_);
  }

  programs::outcome check() override { return against(gallery::fdtd_2d(static_cast<std::size_t>(n_)), *hz_); }

  std::optional<grid> ex_;
  std::optional<grid> ey_;
  std::optional<grid> hz_;
};

}  // namespace

int main(int argc, char** argv) {
  fdtd_2d f;
  return programs::run(f, "fdtd-2d", "An electromagnetic field in a square", argc, argv);
}
