// Matrices that share their memory, and layers that give them on; in a unit of their own.
// SPDX-License-Identifier: Apache-2.0
#ifndef MATRICES_H
#define MATRICES_H

#include <memory>

struct Matrix {
  std::shared_ptr<float> data;
  int n = 0;
  Matrix() = default;
  explicit Matrix(int n);
};

struct Stage {
  virtual ~Stage() = default;
  virtual Matrix forward(Matrix from) = 0;
  /// Between two of one of these the caller looks at a clock.
  virtual Matrix tune(Matrix from) = 0;
  virtual Matrix stamp(Matrix from) = 0;
};
std::unique_ptr<Stage> makeScale();
std::unique_ptr<Stage> makeShift();

#endif
