// How option `device_memory` is divided, in each context.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CALLS_BUDGET_DEVICEMEMORYCAP_H
#define GPUINSTR_CALLS_BUDGET_DEVICEMEMORYCAP_H

#include <cstdint>

namespace gpuinstr {

/// What device times take, bytes: see time/sampled/pairs/Filler.h.
constexpr uint64_t TimesDeviceBytes = 2 << 20;

/// Little memory goes to the audits alone.
constexpr uint64_t timesMayTake(uint64_t all) {
  return all >= 2 * TimesDeviceBytes ? TimesDeviceBytes : 0;
}
constexpr uint64_t auditsMayTake(uint64_t all) { return all - timesMayTake(all); }

} // namespace gpuinstr

#endif
