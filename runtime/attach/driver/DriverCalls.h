// What the driver's functions do, by CUPTI's number, and how their operands are read.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_ATTACH_DRIVER_DRIVERCALLS_H
#define GPUINSTR_ATTACH_DRIVER_DRIVERCALLS_H

#include "gpuinstr/abi.h"

namespace gpuinstr::attach {

struct Parameter {
  uint16_t offset = 0, bytes = 0;
};

struct Operand {
  uint8_t slot = 0, parameter = 0;
  bool triple = false; ///< a grid or block: this parameter and the two behind it
};

/// A parameter that is put into a slot, or into its upper half.
struct Read {
  uint16_t offset = 0;
  uint8_t bytes = 0; ///< 0: its place, not its value
  uint8_t slot = 0;
  bool isUpper = false;
};

/// One cache line.
struct alignas(64) DriverCall {
  static constexpr unsigned MaxReads = 24, Few = 5;
  const char *name = nullptr; ///< as the user spells it: without version and suffix
  uint32_t number = 0;
  uint32_t flags = 0; ///< gpuinstr_site_flags
  uint32_t slots = 0; ///< those that the operands fill
  uint16_t op = 0, resource = 0, detail = 0;
  bool comesAgain : 1; ///< programs make it all the time, from the same places
  bool isLaunch : 1;   ///< its operands lie as cuLaunchKernel's do
  uint8_t numReads = 0;
  union {
    Read few[Few];
    const Read *many; ///< where there are more
  };
  DriverCall() : comesAgain(false), isLaunch(false), few() {}
  const Read *reads() const { return numReads <= Few ? few : many; }
};
static_assert(sizeof(DriverCall) == 64, "one cache line");

constexpr uint32_t MostCalls = 1024; ///< CUPTI's numbers are below

/// The frequent ones lie together. Numbers: 0 another one.
struct FrequentCalls {
  static constexpr unsigned Most = 16;
  DriverCall calls[Most];
  uint8_t numbers[MostCalls] = {};
};
extern FrequentCalls Frequent;
/// By number; nullptr: not one that plugin/api/CudaApi.def has a row for.
extern const DriverCall *DriverCallTable[MostCalls];
/// Before anything else is asked.
void fillDriverCalls();
inline const DriverCall *driverCall(uint32_t number) {
  if (number >= MostCalls)
    return nullptr;
  const unsigned frequent = Frequent.numbers[number];
  return frequent ? &Frequent.calls[frequent - 1] : DriverCallTable[number];
}

/// Puts the operands where the runtime looks for them.
void readOperands(const DriverCall &call, const void *parameters, gpuinstr_frame &frame);

} // namespace gpuinstr::attach

#endif
