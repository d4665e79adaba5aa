// Power, clocks and load of the devices, read now and then by a background thread.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_TELEMETRY_TELEMETRY_H
#define GPUINSTR_TIME_TELEMETRY_TELEMETRY_H

#include <cstdint>

namespace gpuinstr {
class Part;
}

namespace gpuinstr::timing {

constexpr uint64_t NoReading = ~uint64_t(0);
/// When it is asked for the first time, by the clock of readTelemetry(): when a quarter of the
/// budget has earned what the library costs the end of a process that has loaded it. Not before the
/// driver is up.
uint64_t firstReadingNs(unsigned budgetPercent);

/// Whether the options ask for it, and this process may: not in a child whose parent had begun.
bool wantsTelemetry();
/// On a background thread that nobody waits for at exit. Returns how long until the next reading;
/// NoReading: there is nothing to be had. `runNs`: since the process's first CUDA call.
uint64_t readTelemetry(uint64_t runNs);

/// The pause after a reading: four a second, ten in the first, fewer where they are dear.
/// `spentNs`: all readings so far, `lastNs`: the last one, in processor time; the start is in
/// neither.
uint64_t telemetryPauseNs(uint64_t runNs, uint64_t spentNs, uint64_t lastNs,
                          unsigned budgetPercent);

Part &telemetryPart();

} // namespace gpuinstr::timing

#endif
