// A program that keeps pages closed until they are touched, as some collectors of garbage do: its
// handler of faults sees who writes there and who reads, and sees the copies alone.
// SPDX-License-Identifier: Apache-2.0
// ONLY: simulator
// OPTIONS: audit=full
// EXPECT-STDOUT: 6 written, 0 read
// EXPECT-STDOUT: 0 written, 6 read
#include "../Inputs/check.h"

#include <csignal>
#include <cstdint>
#include <cuda_runtime.h>
#include <sys/mman.h>
#include <ucontext.h>

constexpr size_t Page = 4096, Bytes = 32 * Page;

static char *host;
static volatile int readFaults, writeFaults;

static void onFault(int, siginfo_t *info, void *context) {
  constexpr long ByWriting = 2; // of the processor's error code
  if (static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_ERR] & ByWriting)
    writeFaults = writeFaults + 1;
  else
    readFaults = readFaults + 1;
  auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  mprotect(reinterpret_cast<void *>(address & ~(Page - 1)), Page, PROT_READ | PROT_WRITE);
}

static void copyOften(void *to, const void *from, cudaMemcpyKind kind) {
  readFaults = writeFaults = 0;
  for (int round = 0; round < 6; ++round) {
    mprotect(host + 10 * Page, Page, PROT_NONE);
    CHECK(cudaMemcpy(to, from, Bytes, kind));
  }
  printf("%d written, %d read\n", writeFaults, readFaults);
}

int main() {
  struct sigaction action = {};
  action.sa_sigaction = onFault;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, nullptr);
  host = static_cast<char *>(
      mmap(nullptr, Bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  void *device;
  CHECK(cudaMalloc(&device, Bytes));
  CHECK(cudaMemset(device, 7, Bytes));
  copyOften(host, device, cudaMemcpyDeviceToHost);
  copyOften(device, host, cudaMemcpyHostToDevice);
  CHECK(cudaFree(device));
  munmap(host, Bytes);
}
