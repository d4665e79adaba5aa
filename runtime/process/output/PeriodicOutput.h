// What one background thread does now and then: json_every=SECONDS, spool=DIR, telemetry.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PROCESS_OUTPUT_PERIODICOUTPUT_H
#define GPUINSTR_PROCESS_OUTPUT_PERIODICOUTPUT_H

namespace gpuinstr {

/// At the process's first CUDA call: starts the thread that writes the profile every `json_every`
/// seconds and into the spool and reads the devices, where the options want one of them. Again
/// after fork.
void startPeriodic();

/// Before the last report: no older state is written over it. Waits for a write in progress, at
/// most `waitMs`.
void stopPeriodic(int waitMs = 2000);

class Part;
Part &periodicOutputPart();

} // namespace gpuinstr

#endif
