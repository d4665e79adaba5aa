// NVIDIA's management library, loaded at run time: power, clocks and load of whole devices.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_TELEMETRY_NVML_H
#define GPUINSTR_TIME_TELEMETRY_NVML_H

#include <cstdint>
#include <string>

namespace gpuinstr::timing {

/// What a device says at one moment. What it does not say is 0, of `busyPercent` -1.
struct PowerReading {
  uint64_t ns = 0;       ///< CLOCK_MONOTONIC
  uint64_t energyMj = 0; ///< since the driver was loaded
  uint32_t powerMw = 0;  ///< at this moment, not averaged
  int busyPercent = -1;  ///< of the driver's last sample period
  uint32_t smMhz = 0;
  uint64_t clockReasons = 0; ///< nvmlClocksEventReason...
};

/// The library, once it is started. It is never shut down: at exit other threads may be in it.
class Nvml {
public:
  /// nullptr: not there, too old, or it cannot start. Takes milliseconds. `simulated`: of the
  /// simulated device; the real library knows other devices.
  static const Nvml *open(bool simulated);

  /// The device at this place on the bus. nullptr: unknown, or its figures would not be those of a
  /// whole device (MIG), or not of a real one (vGPU).
  void *device(const std::string &busId) const;
  /// False: it says nothing at all.
  bool read(void *device, PowerReading &reading) const;

private:
  struct Functions;
  explicit Nvml(const Functions &functions) : F(functions) {}
  const Functions &F;
};

} // namespace gpuinstr::timing

#endif
