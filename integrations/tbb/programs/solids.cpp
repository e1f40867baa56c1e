// SPDX-License-Identifier: Apache-2.0
// Solids made with Manifold, a library of PyPI: manifold sponge|balls|union|surface SIZE... prints what the solids are made of.
// Manifold 3 is a program of oneTBB; Manifold 2 of the parallel algorithms of C++17 besides.
#if __has_include("manifold/manifold.h")
#include "manifold/manifold.h"
using manifold::vec3;
#else
#include "manifold.h"
#include "sdf.h"
using glm::vec3;
#endif

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace {

using manifold::Manifold;

Manifold surface(int size) {
  const auto gyroid = [](vec3 p) {
    return std::sin(p.x) * std::cos(p.y) + std::sin(p.y) * std::cos(p.z) + std::sin(p.z) * std::cos(p.x);
  };
  const auto box = manifold::Box(vec3(-6), vec3(6));
#if __has_include("manifold/manifold.h")
  return Manifold::LevelSet(gyroid, box, 12.0 / size);
#else
  return Manifold(manifold::LevelSet(gyroid, box, 12.0F / size));
#endif
}

void holes(std::vector<Manifold>& found, const Manifold& hole, double width, double x, double y, int depth) {
  width /= 3;
  found.push_back(hole.Scale(vec3(width, width, 1)).Translate(vec3(x, y, 0)));
  if (depth == 1) return;
  for (int i = 0; i != 9; ++i)
    if (i != 4) holes(found, hole, width, x + width * (i % 3 - 1), y + width * (i / 3 - 1), depth - 1);
}

Manifold sponge(int depth) {
  const Manifold cube = Manifold::Cube(vec3(1), true);
  std::vector<Manifold> found;
  holes(found, cube, 1, 0, 0, depth);
  const Manifold hole = Manifold::Compose(found);
  return cube - hole - hole.Rotate(90) - hole.Rotate(0, 90);
}

Manifold balls(int size) {
  const Manifold ball = Manifold::Sphere(1, 4 * size);
  return ball - ball.Translate(vec3(0.5));
}

Manifold together(int size) {
  std::minstd_rand random(1);
  const auto number = [&] { return static_cast<float>(random() % 4096) / 512; };
  std::vector<Manifold> parts;
  for (int i = 0; i != size; ++i) {
    const float x = number(), y = number(), z = number();
    parts.push_back(Manifold::Sphere(0.5, 64).Translate(vec3(x, y, z)));
  }
  return Manifold::BatchBoolean(parts, manifold::OpType::Add);
}

}  // namespace

int main(int count, char** words) {
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string what = words[i];
    const int size = std::atoi(words[i + 1]);
    const Manifold made = what == "sponge"  ? sponge(size)
                          : what == "balls" ? balls(size)
                          : what == "union" ? together(size)
                                            : surface(size);
    std::printf("%s %d: %zu triangles, genus %d\n", what.c_str(), size,
                static_cast<std::size_t>(made.NumTri()), static_cast<int>(made.Genus()));
  }
}
