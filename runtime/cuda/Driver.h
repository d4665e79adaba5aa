// Questions to CUDA's driver: what lives, how far it reaches, on which device.
// SPDX-License-Identifier: Apache-2.0
//
// The driver is found, never loaded: no cuInit, no context made, pushed or retained. What might
// disturb a capture in another thread runs with this thread's capture mode relaxed.
// "Unknown" is always a possible answer: no context on this thread, CUDA already gone, no driver at
// all.
#ifndef GPUINSTR_CUDA_DRIVER_H
#define GPUINSTR_CUDA_DRIVER_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gpuinstr {

/// Entry points by their current ABI (_v2 where there is one). Any may be null. Tests put their
/// own.
struct DriverApi {
  int (*memGetAddressRange)(uint64_t *base, size_t *bytes, uint64_t address) = nullptr;
  int (*pointerGetAttribute)(void *value, int attribute, uint64_t address) = nullptr;
  int (*pointerGetAttributes)(unsigned count, int *attributes, void **values,
                              uint64_t address) = nullptr;
  /// What newDeviceMemory() asks for: here, as everything in this line is read then.
  int ofNewMemory[2] = {7, 9}; // CU_POINTER_ATTRIBUTE_BUFFER_ID, _DEVICE_ORDINAL
  int (*ctxGetCurrent)(void **context) = nullptr;
  int (*ctxGetDevice)(int *device) = nullptr;
  int (*memGetInfo)(size_t *free, size_t *total) = nullptr;
  int (*deviceGetName)(char *name, int length, int device) = nullptr;
  int (*deviceTotalMem)(size_t *bytes, int device) = nullptr;
  int (*deviceGetPciBusId)(char *id, int length, int device) = nullptr;
  int (*threadExchangeStreamCaptureMode)(int *mode) = nullptr;
  int (*streamIsCapturing)(void *stream, int *status) = nullptr;
  int (*streamGetCaptureInfo)(void *stream, int *status, unsigned long long *id, void **graph,
                              void *const **dependencies, size_t *count) = nullptr; ///< CUDA 11.3
  int (*funcGetName)(const char **name, void *function) = nullptr;
  int (*kernelGetName)(const char **name, void *kernel) = nullptr;
  // What the auditor's engine needs.
  int (*ctxGetId)(void *context, unsigned long long *id) = nullptr;
  int (*deviceGetAttribute)(int *value, int attribute, int device) = nullptr;
  int (*memHostRegister)(void *memory, size_t bytes, unsigned flags) = nullptr;
  int (*memHostGetDevicePointer)(uint64_t *address, void *memory, unsigned flags) = nullptr;
  int (*moduleLoadData)(void **module, const void *image) = nullptr;
  int (*moduleGetFunction)(void **function, void *module, const char *name) = nullptr;
  int (*moduleGetGlobal)(uint64_t *address, size_t *bytes, void *module,
                         const char *name) = nullptr;
  int (*libraryGetGlobal)(uint64_t *address, size_t *bytes, void *library,
                          const char *name) = nullptr; ///< CUDA 12
  int (*funcLoad)(void *function) = nullptr;           ///< CUDA 12.4
  int (*launchKernel)(void *function, unsigned gridX, unsigned gridY, unsigned gridZ,
                      unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                      void *stream, void **parameters, void **extra) = nullptr;
  int (*streamSynchronize)(void *stream) = nullptr;
  int (*streamQuery)(void *stream) = nullptr;
  int (*streamWaitEvent)(void *stream, void *event, unsigned flags) = nullptr;
  // What device timing needs.
  int (*eventCreate)(void **event, unsigned flags) = nullptr;
  int (*eventRecord)(void *event, void *stream) = nullptr;
  int (*eventQuery)(void *event) = nullptr;
  /// NotReady while one is pending. The newer (CUDA 12.8), which asks the device nothing, takes
  /// 0.1 us where the older takes 0.3; out of the caches 0.7 and 2.1 (H200).
  int (*eventElapsedTime)(float *ms, void *start, void *stop) = nullptr;
  int (*streamCreate)(void **stream, unsigned flags) = nullptr;
  int (*streamDestroy)(void *stream) = nullptr;
  int (*memAlloc)(uint64_t *address, size_t bytes) = nullptr;
  int (*memsetD2D8Async)(uint64_t address, size_t pitch, unsigned char value, size_t width,
                         size_t height, void *stream) = nullptr;
  bool simulated = false; ///< gpuinstr's own stand-in

  bool timesEvents() const {
    return ctxGetCurrent && eventCreate && eventRecord && eventQuery && eventElapsedTime;
  }
};

/// What findDriver or useDriver set; null before. Callers bracket each call with RelaxedCapture,
/// but for questions about captures and about what is current, and for newDeviceMemory().
const DriverApi *driverApi();

/// Without it, a call such as an event query invalidates a capture that any thread has begun in
/// global mode.
class RelaxedCapture {
public:
  explicit RelaxedCapture(const DriverApi &d) : D(d) {
    if (D.threadExchangeStreamCaptureMode)
      Changed = D.threadExchangeStreamCaptureMode(&Mode) == 0;
  }
  RelaxedCapture(const RelaxedCapture &) = delete;
  ~RelaxedCapture() {
    if (Changed)
      D.threadExchangeStreamCaptureMode(&Mode);
  }

private:
  const DriverApi &D;
  int Mode = 2; // CU_STREAM_CAPTURE_MODE_RELAXED
  bool Changed = false;
};

/// Finds a libcuda.so.1 that the program has loaded. Cheap to repeat. False: none.
bool findDriver();
/// Replaces what findDriver found; for tests.
void useDriver(const DriverApi &api);
bool driverIsSimulated();

/// This thread's context, 0 none: then there is nothing to ask.
uint64_t currentContext();
/// Ordinal of this thread's device, -1 unknown. Remembers its name and size for the report.
int currentDevice();

/// A number that the driver never gives to two allocations; 0 unknown.
uint64_t bufferIdOf(uint64_t address);

struct NewMemory {
  uint64_t bufferId = 0; ///< as of bufferIdOf(); 0: nothing is known
  int device = -1;       ///< where it lies: this thread's, as of currentDevice()
};
/// Of device memory that a call of this thread has just allocated, and not in stream order: one
/// question. The capture mode stays as it is: where a capture would forbid a question, CUDA has
/// refused the allocation; and this question it allows even there, as cudaPointerGetAttributes
/// showed (simulator/test/conformance).
NewMemory newDeviceMemory(uint64_t address);

enum class Life { Alive, Dead, Unknown };

/// Whether the allocation that had this id still stands at the address. Unknown without an id, or
/// when the driver answers no questions any more.
Life lifeOf(uint64_t address, uint64_t bufferId);
/// Whether an allocation stands there, any.
Life lifeAt(uint64_t address);

struct DriverRange {
  Life life = Life::Unknown;
  uint64_t base = 0, bytes = 0;
};
/// The allocation that contains this address.
DriverRange driverRange(uint64_t address);

/// Of this thread's device. False: unknown.
bool memoryInfo(uint64_t &free, uint64_t &total);

/// Name of a CUfunction or cudaKernel_t; "" unknown.
std::string driverKernelName(uint64_t function, bool isDriverCall);

struct DeviceInfo {
  int ordinal;
  std::string name;
  uint64_t memory;
  std::string busId; ///< "0000:1A:00.0": by what NVML knows it; "" unknown
};
/// Devices that currentDevice() has seen.
std::vector<DeviceInfo> seenDevices();

} // namespace gpuinstr

#endif
