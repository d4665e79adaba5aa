// Whether an address is mapped, and may be read.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CUDA_READABLEMEMORY_H
#define GPUINSTR_CUDA_READABLEMEMORY_H

#include <cstdint>
#include <sys/uio.h>
#include <unistd.h>

namespace gpuinstr {

/// The kernel reads, and says what it cannot. False where a sandbox forbids that.
inline bool isReadableMemory(uint64_t address) {
  char byte;
  iovec here = {&byte, 1}, there = {reinterpret_cast<void *>(address), 1};
  return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == 1;
}

} // namespace gpuinstr

#endif
