// Layers of a network, whose steps each end with a wait; in a unit of their own.
// SPDX-License-Identifier: Apache-2.0
#ifndef LAYERS_H
#define LAYERS_H

struct Layer {
  virtual ~Layer() = default;
  virtual void forward(float *to, const float *from) = 0;
  virtual void tune(float *weights) = 0;
};

struct Scale final : Layer {
  void forward(float *to, const float *from) override;
  void tune(float *weights) override;
};
struct Shift final : Layer {
  void forward(float *to, const float *from) override;
  void tune(float *weights) override;
};

/// No methods, as programs of one file have them, moved to a file of its own.
void blur(float *to, const float *from);
void sharpen(float *to, const float *from);
/// It says how long it took.
double timed(float *to, const float *from);
void waited(float *to);
/// Looks at a clock first.
double stamped(float *to, double before);
void settled(float *to);
/// Does nothing of CUDA's.
void between();

#endif
