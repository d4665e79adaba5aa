// What the simulator keeps for each thread of the program.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <cstdint>
#include <vector>

namespace gpuinstr::sim {

struct ThreadState {
  uint64_t Id = 0;                 ///< Never used twice.
  std::vector<CUcontext> Contexts; ///< cuCtxPushCurrent stack, the current one last.
  CUstreamCaptureMode CaptureMode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  bool InHostFunction = false;
  bool PerThreadDefault = false; ///< Inside a _ptds or _ptsz call: stream 0 is the thread's own.
  int LastError = 0;             ///< The runtime API's, see cudart/Error.cpp.
  int RuntimeDevice = 0;         ///< cudaSetDevice, before any context is current.
};
ThreadState &threadState();

} // namespace gpuinstr::sim
