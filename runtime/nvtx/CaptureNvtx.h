// capture=nvtx@NAME for the ranges that the program opens through NVTX itself.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_NVTX_CAPTURENVTX_H
#define GPUINSTR_NVTX_CAPTURENVTX_H

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

namespace gpuinstr {

/// Before the first call of noteNvtx. `name` in UTF-8.
void startCaptureNvtx(const std::string &name);

/// gpuinstr_table::nvtx, see abi.h. Ranges that are pushed and popped are phases as well.
uint64_t noteNvtx(uint32_t what, const void *message, uint64_t value);

/// Held around fork.
std::mutex &captureNvtxMutex();
/// What is left open in a forked child: ranges of that name from nvtxRangeStart.
std::size_t startedCaptures();

} // namespace gpuinstr

#endif
