// A stand-in for libnvidia-ml.so.1: what gpuinstr asks of it, with figures made up by a formula.
// SPDX-License-Identifier: Apache-2.0
//
// A simulated device takes no power, so without `power=` in GPUINSTR_SIM there is no driver to be
// found here. With it, device N takes WATTS + 10 N; its first, third ... reading is at 1980 MHz,
// the others at 1755 MHz, where `reasons=` holds it back.
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

namespace {

enum Result { Success = 0, InvalidArgument = 2, NotSupported = 3, NotFound = 6, NotLoaded = 9 };
constexpr unsigned SmClock = 1, PowerInstant = 186, VirtualGpu = 2, UnsignedValue = 1;
constexpr unsigned MostDevices = 64, Busy = 87;

struct Device {
  unsigned ordinal = 0;
  std::atomic<uint64_t> firstNs{0}, lastNs{0}; ///< energy readings
  std::atomic<unsigned> readings{0};
};
Device Devices[MostDevices];

struct Model {
  bool there = false, mig = false, virtualGpu = false;
  uint64_t milliwatts = 0, reasons = 0;
  uint64_t startMs =
      0; ///< processor time of the library's start, and of each device's first reading
};

/// power=WATTS[,mig][,vgpu][,reasons=HEX][,start=MS]
Model parseModel() {
  Model model;
  const char *all = std::getenv("GPUINSTR_SIM");
  std::string text = all ? ":" + std::string(all) : "";
  std::size_t at = text.find(":power=");
  if (at == std::string::npos)
    return model;
  text = text.substr(at + std::strlen(":power="));
  text = text.substr(0, text.find(':')) + ",";
  model.there = true;
  model.milliwatts = std::strtoull(text.c_str(), nullptr, 10) * 1000;
  model.mig = text.find(",mig,") != std::string::npos;
  model.virtualGpu = text.find(",vgpu,") != std::string::npos;
  if (std::size_t reasons = text.find(",reasons="); reasons != std::string::npos)
    model.reasons = std::strtoull(text.c_str() + reasons + std::strlen(",reasons="), nullptr, 16);
  if (std::size_t start = text.find(",start="); start != std::string::npos)
    model.startMs = std::strtoull(text.c_str() + start + std::strlen(",start="), nullptr, 10);
  return model;
}

const Model &model() {
  static const Model parsed = parseModel();
  return parsed;
}

uint64_t nowNs(clockid_t clock = CLOCK_MONOTONIC) {
  timespec t;
  clock_gettime(clock, &t);
  return uint64_t(t.tv_sec) * 1000000000u + uint64_t(t.tv_nsec);
}

uint64_t milliwattsOf(const Device &device) {
  return model().milliwatts + uint64_t(device.ordinal) * 10000;
}

void takeStartTime() {
  uint64_t until = nowNs(CLOCK_THREAD_CPUTIME_ID) + model().startMs * 1000000;
  while (nowNs(CLOCK_THREAD_CPUTIME_ID) < until)
    ;
}

} // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED int nvmlInit_v2() {
  takeStartTime();
  return model().there ? Success : NotLoaded;
}

/// Device N of the simulator is on bus N + 1.
EXPORTED int nvmlDeviceGetHandleByPciBusId_v2(const char *busId, void **device) {
  const char *bus = busId ? std::strchr(busId, ':') : nullptr;
  unsigned long number = bus ? std::strtoul(bus + 1, nullptr, 16) : 0;
  if (number < 1 || number > MostDevices || !device)
    return NotFound;
  Devices[number - 1].ordinal = unsigned(number - 1);
  *device = &Devices[number - 1];
  return Success;
}

EXPORTED int nvmlDeviceGetMigMode(void *, unsigned *current, unsigned *pending) {
  *current = *pending = model().mig;
  return Success;
}

EXPORTED int nvmlDeviceGetVirtualizationMode(void *, unsigned *mode) {
  *mode = model().virtualGpu ? VirtualGpu : 0;
  return Success;
}

EXPORTED int nvmlDeviceGetTotalEnergyConsumption(void *handle, unsigned long long *mj) {
  auto &device = *static_cast<Device *>(handle);
  if (!device.firstNs)
    takeStartTime();
  uint64_t now = nowNs(), none = 0;
  device.firstNs.compare_exchange_strong(none, now);
  *mj = milliwattsOf(device) * (now / 1000) / 1000000;
  ++device.readings;
  device.lastNs = now;
  return Success;
}

namespace {
struct FieldValue {
  unsigned field, scope;
  long long timestamp, latencyUs;
  unsigned valueType;
  int result;
  unsigned long long value;
};
} // namespace

EXPORTED int nvmlDeviceGetFieldValues(void *handle, int count, FieldValue *values) {
  for (int i = 0; i < count; ++i) {
    values[i].valueType = UnsignedValue;
    values[i].value = milliwattsOf(*static_cast<Device *>(handle));
    values[i].result = values[i].field == PowerInstant ? Success : NotSupported;
  }
  return Success;
}

EXPORTED int nvmlDeviceGetUtilizationRates(void *, unsigned *gpuAndMemory) {
  gpuAndMemory[0] = Busy;
  gpuAndMemory[1] = 0;
  return Success;
}

EXPORTED int nvmlDeviceGetClockInfo(void *handle, unsigned type, unsigned *mhz) {
  if (type != SmClock)
    return InvalidArgument;
  *mhz = static_cast<Device *>(handle)->readings % 2 ? 1980 : 1755;
  return Success;
}

EXPORTED int nvmlDeviceGetCurrentClocksEventReasons(void *handle, unsigned long long *reasons) {
  *reasons = static_cast<Device *>(handle)->readings % 2 ? 0 : model().reasons;
  return Success;
}

/// For tests: how long the energy readings of a device reach by now.
EXPORTED unsigned gpuinstr_simulator_power_ms(unsigned ordinal) {
  if (ordinal >= MostDevices)
    return 0;
  const Device &device = Devices[ordinal];
  return unsigned((device.lastNs - device.firstNs) / 1000000);
}
