// NVIDIA's management library, loaded at run time.
// SPDX-License-Identifier: Apache-2.0
//
// Its prototypes stand here: nvml.h is not in every toolkit, and these functions keep their ABI.
#include "time/telemetry/Nvml.h"
#include "base/Clock.h"
#include <dlfcn.h>
#include <memory>
#include <type_traits>

namespace gpuinstr::timing {

namespace {

// From nvml.h.
constexpr int NvmlSuccess = 0;
constexpr unsigned SmClock = 1, PowerInstant = 186, MigEnabled = 1, VirtualGpu = 2;

struct Utilization {
  unsigned gpu, memory;
};
union Value {
  double asDouble;
  unsigned asUnsigned;
  unsigned long long asLong;
};
struct FieldValue {
  unsigned field, scope;
  long long timestamp, latencyUs;
  unsigned valueType;
  int result;
  Value value;
};
static_assert(sizeof(FieldValue) == 40, "as in nvml.h");
enum ValueType : unsigned { Unsigned = 1, UnsignedLong = 2, UnsignedLongLong = 3 };

} // namespace

/// Any of those below the first two may be null.
struct Nvml::Functions {
  int (*init)() = nullptr;
  int (*byBusId)(const char *busId, void **device) = nullptr;
  int (*migMode)(void *device, unsigned *current, unsigned *pending) = nullptr;
  int (*virtualization)(void *device, unsigned *mode) = nullptr;
  int (*energy)(void *device, unsigned long long *mj) = nullptr;
  int (*fields)(void *device, int count, FieldValue *values) = nullptr;
  int (*utilization)(void *device, Utilization *rates) = nullptr;
  int (*clock)(void *device, unsigned type, unsigned *mhz) = nullptr;
  int (*reasons)(void *device, unsigned long long *reasons) = nullptr;
};

const Nvml *Nvml::open(bool simulated) {
  void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library || simulated != (dlsym(library, "gpuinstr_simulator_power_ms") != nullptr))
    return nullptr;
  auto functions = std::make_unique<Functions>();
  auto find = [&](auto *&function, const char *name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
  };
  find(functions->init, "nvmlInit_v2");
  find(functions->byBusId, "nvmlDeviceGetHandleByPciBusId_v2");
  find(functions->migMode, "nvmlDeviceGetMigMode");
  find(functions->virtualization, "nvmlDeviceGetVirtualizationMode");
  find(functions->energy, "nvmlDeviceGetTotalEnergyConsumption");
  find(functions->fields, "nvmlDeviceGetFieldValues");
  find(functions->utilization, "nvmlDeviceGetUtilizationRates");
  find(functions->clock, "nvmlDeviceGetClockInfo");
  find(functions->reasons, "nvmlDeviceGetCurrentClocksEventReasons");
  if (!functions->reasons) // the name before driver 535
    find(functions->reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
  if (!functions->init || !functions->byBusId || functions->init() != NvmlSuccess)
    return nullptr;
  return new Nvml(*functions.release()); // leaked, as the library is
}

void *Nvml::device(const std::string &busId) const {
  void *device = nullptr;
  if (busId.empty() || F.byBusId(busId.c_str(), &device) != NvmlSuccess)
    return nullptr;
  unsigned mode = 0, pending = 0;
  if (F.migMode && F.migMode(device, &mode, &pending) == NvmlSuccess && mode == MigEnabled)
    return nullptr;
  if (F.virtualization && F.virtualization(device, &mode) == NvmlSuccess && mode == VirtualGpu)
    return nullptr;
  return device;
}

bool Nvml::read(void *device, PowerReading &reading) const {
  reading = {};
  bool any = false;
  unsigned long long wide = 0;
  if (F.energy && F.energy(device, &wide) == NvmlSuccess) {
    reading.energyMj = wide;
    any = true;
  }
  reading.ns = monotonicNs(); // the energy is what its time matters for
  FieldValue power = {};
  power.field = PowerInstant;
  if (F.fields && F.fields(device, 1, &power) == NvmlSuccess && power.result == NvmlSuccess) {
    if (power.valueType == Unsigned)
      reading.powerMw = power.value.asUnsigned;
    else if (power.valueType == UnsignedLong || power.valueType == UnsignedLongLong)
      reading.powerMw = static_cast<uint32_t>(power.value.asLong);
    any |= reading.powerMw != 0;
  }
  Utilization rates = {};
  if (F.utilization && F.utilization(device, &rates) == NvmlSuccess) {
    reading.busyPercent = static_cast<int>(rates.gpu);
    any = true;
  }
  unsigned mhz = 0;
  if (F.clock && F.clock(device, SmClock, &mhz) == NvmlSuccess) {
    reading.smMhz = mhz;
    any = true;
  }
  if (F.reasons && F.reasons(device, &wide) == NvmlSuccess)
    reading.clockReasons = wide;
  return any;
}

} // namespace gpuinstr::timing
