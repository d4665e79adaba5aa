// This process's memory, read through the kernel: whether an address is mapped, and may be read.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CUDA_READABLEMEMORY_H
#define GPUINSTR_CUDA_READABLEMEMORY_H

#include <cstdint>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace gpuinstr {

/// As process_vm_readv. By this thread: the process's number is its main thread's, which has no
/// memory any more once it has left by pthread_exit.
inline ssize_t readThroughKernel(const iovec &to, const iovec *from, unsigned long pieces = 1) {
  return process_vm_readv(pid_t(syscall(SYS_gettid)), &to, 1, from, pieces, 0);
}

/// The kernel reads, and says what it cannot. False where a sandbox forbids that.
inline bool isReadableMemory(uint64_t address) {
  char byte;
  iovec here = {&byte, 1}, there = {reinterpret_cast<void *>(address), 1};
  return readThroughKernel(here, &there) == 1;
}

} // namespace gpuinstr

#endif
