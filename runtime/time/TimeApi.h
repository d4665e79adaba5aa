// The driver's entry points that device timing uses, found as core/Driver.h finds its own.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_TIMEAPI_H
#define GPUINSTR_TIME_TIMEAPI_H

#include <cstddef>
#include <cstdint>

namespace gpuinstr::timing {

/// Any may be null. Tests put their own.
struct TimeApi {
  int (*ctxGetCurrent)(void **context) = nullptr;
  int (*eventCreate)(void **event, unsigned flags) = nullptr;
  int (*eventRecord)(void *event, void *stream) = nullptr;
  int (*eventQuery)(void *event) = nullptr;
  int (*eventElapsedTime)(float *ms, void *start, void *stop) = nullptr;
  int (*streamQuery)(void *stream) = nullptr;
  int (*streamIsCapturing)(void *stream, int *status) = nullptr;
  int (*streamCreate)(void **stream, unsigned flags) = nullptr;
  int (*streamDestroy)(void *stream) = nullptr;
  int (*launchHostFunc)(void *stream, void (*function)(void *), void *data) = nullptr;
  int (*threadExchangeStreamCaptureMode)(int *mode) = nullptr;
  int (*pointerGetAttribute)(void *value, int attribute, uint64_t address) = nullptr;
  int (*funcGetAttribute)(int *value, int attribute, void *function) = nullptr;
  int (*kernelGetFunction)(void **function, void *kernel) = nullptr;
  int (*occupancy)(int *blocks, void *function, int threads, size_t shared) = nullptr;
  int (*ctxGetDevice)(int *device) = nullptr;
  int (*deviceGetAttribute)(int *value, int attribute, int device) = nullptr;

  bool timesEvents() const {
    return ctxGetCurrent && eventCreate && eventRecord && eventQuery && eventElapsedTime;
  }
};

// From cuda.h.
constexpr int Success = 0, NotReady = 600;

/// nullptr while no libcuda.so.1 is loaded. Cheap to repeat.
const TimeApi *timeApi();
/// For tests; nullptr: finds the real one again.
void useTimeApi(const TimeApi *api);

/// Without it, an event query invalidates a capture that any thread has begun in global mode.
class RelaxedCapture {
public:
  explicit RelaxedCapture(const TimeApi &api) : Api(api) {
    if (Api.threadExchangeStreamCaptureMode)
      Changed = Api.threadExchangeStreamCaptureMode(&Mode) == Success;
  }
  RelaxedCapture(const RelaxedCapture &) = delete;
  ~RelaxedCapture() {
    if (Changed)
      Api.threadExchangeStreamCaptureMode(&Mode);
  }

private:
  const TimeApi &Api;
  int Mode = 2; // CU_STREAM_CAPTURE_MODE_RELAXED
  bool Changed = false;
};

inline void *asHandle(uint64_t value) { return reinterpret_cast<void *>(value); }

/// Whether work put into this stream would go into a graph. `stream` as the program passed it.
bool isCapturing(const TimeApi &api, uint64_t stream);

/// 0: no context on this thread.
uint64_t contextOf(const TimeApi &api);

} // namespace gpuinstr::timing

#endif
