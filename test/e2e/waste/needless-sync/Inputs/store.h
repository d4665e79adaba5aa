// Memory of a layer that grows on demand; its methods are a unit of their own.
// SPDX-License-Identifier: Apache-2.0
#ifndef STORE_H
#define STORE_H

struct Store {
  float *data = nullptr;
  int size = 0;
  void allocateIfNeeded(int elements);
  /// Look at a clock.
  void allocateTimed(int elements);
  void allocateMeasured(int elements);
  void begin();
  double last = 0, longest = 0;
};

#endif
