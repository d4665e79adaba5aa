// Small programs of the driver API, each by its name.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TEST_ATTACH_SEQUENCES_PROGRAMS_H
#define GPUINSTR_TEST_ATTACH_SEQUENCES_PROGRAMS_H

#include <cuda.h>

struct Program {
  const char *name;
  void (*run)();
};

extern const Program MemoryPrograms[], WorkPrograms[], GraphPrograms[];

constexpr size_t Bytes = 4096;
/// Results of the driver are part of what is written down; programs go on after errors.
extern CUdeviceptr a, b, c;
extern char host[], other[];
extern CUstream stream;
extern CUevent event;
extern CUfunction kernel; ///< of three pointers, does nothing

/// Memory, a stream, an event.
void prepare();
void finish();
CUmodule loadModule();

#endif
