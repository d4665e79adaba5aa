// What the simulator keeps for each thread of the program.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <cstdint>
#include <vector>

namespace gpuinstr::sim {

struct ThreadState {
  uint64_t id = 0;                 ///< Never used twice.
  std::vector<CUcontext> contexts; ///< cuCtxPushCurrent stack, the current one last.
  CUstreamCaptureMode captureMode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  bool inHostFunction = false;
  bool perThreadDefault = false; ///< Inside a _ptds or _ptsz call: stream 0 is the thread's own.
  int lastError = 0;             ///< The runtime API's, see cudart/Error.cpp.
  unsigned markedLine = 0;       ///< Where the program says that it is; 0: nowhere.
  bool refused = false;          ///< A launch, for want of code; until it is asked.
  int runtimeDevice = 0;         ///< cudaSetDevice, before any context is current.
};
ThreadState &threadState();

} // namespace gpuinstr::sim
