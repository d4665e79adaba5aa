// Steps that end with a wait, and what may come next behind them; in a unit of their own.
// SPDX-License-Identifier: Apache-2.0
#ifndef STEPS_H
#define STEPS_H

/// Device memory of its own.
class Vector {
public:
  explicit Vector(int n);
  Vector(const Vector &) = delete;
  Vector &operator=(const Vector &from); ///< nothing to do for itself
  ~Vector();

  float *data = nullptr;
  int n = 0;
};

void halved(Vector &v);
void doubled(Vector &v);
void squared(Vector &v);
void lowered(Vector &v);
void raised(Vector &v);
void rounded(Vector &v);

void shifted(Vector &v);      ///< does not wait
void shiftedTwice(Vector &v); ///< ... nor do these
/// Nothing for zero.
void shiftedSome(Vector &v, int what);
/// Looks at a clock first.
float shiftedNow(Vector &v);
/// ... behind the launch.
float shiftedThen(Vector &v);
void begin(Vector &v, int what);
/// Looks at a clock first.
float beginNow(Vector &v);
/// Nothing for zero.
void beginSome(Vector &v, int what);

#endif
