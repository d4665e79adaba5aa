// The program's own ranges, as phases of the report.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_NVTX_PHASERANGES_H
#define GPUINSTR_NVTX_PHASERANGES_H

#include <cstdint>

namespace gpuinstr {

/// The first fields of nvtxEventAttributes_t, which is to stay as it is for good: `size` tells what
/// was appended.
struct NvtxAttributes {
  enum MessageType { Unknown = 0, Ascii = 1, Unicode = 2, Registered = 3 };
  uint16_t version, size;
  uint32_t category;
  int32_t colorType;
  uint32_t color;
  int32_t payloadType, reserved;
  uint64_t payload;
  int32_t messageType;
  const void *message;
};

/// gpuinstr_push_range and gpuinstr_pop_range, on this thread.
void phasePushed(const char *name);
void phasePopped();
/// The same of what the program pushes and pops through NVTX; arguments of gpuinstr_table::nvtx.
void phaseOfNvtx(uint32_t what, const void *message, uint64_t value);

} // namespace gpuinstr

#endif
