// Which allocations a global variable still points to.
// SPDX-License-Identifier: Apache-2.0
#include "memory/GlobalPointerScan.h"
#include "base/Clock.h"
#include "base/system/LoadedModules.h"
#include "calls/OtherThreads.h"
#include "cuda/DriverFacts.h"
#include "cuda/ReadableMemory.h"
#include <algorithm>
#include <cerrno>
#include <cstring>

namespace gpuinstr {

namespace {

struct Interval {
  uint64_t begin, end;
  size_t allocation;
};

constexpr size_t ChunkWords = 32768;

struct Scan {
  std::vector<Allocation> *allocations;
  std::vector<Interval> intervals; ///< by begin; memory does not overlap
  uint64_t lowest = UINT64_MAX, highest = 0, deadline = 0;
  std::vector<uint64_t> chunk;
  std::vector<uintptr_t> otherThreads = otherThreadPointers();
  cuda::IsOnDevice *isOnDevice = cuda::simulatedVariables();
  bool numbers = false; ///< there are handles of 32 bits
  bool complete = true;
};

void match(Scan &scan, uint64_t word, uint64_t slot) {
  auto it = std::upper_bound(scan.intervals.begin(), scan.intervals.end(), word,
                             [](uint64_t w, const Interval &i) { return w < i.begin; });
  if (it == scan.intervals.begin() || word >= std::prev(it)->end)
    return;
  Allocation &a = (*scan.allocations)[std::prev(it)->allocation];
  if (scan.isOnDevice && scan.isOnDevice(reinterpret_cast<const void *>(slot)))
    return; // that of a GPU lies on the GPU
  std::optional<FreedSlot> before = ledger().findFreedSlot(slot, word);
  if (before && before->sequence < a.sequence && slot != a.slot)
    a.pointedBefore = before->site; // it may have been stored again since, with the same value
  else
    a.held = true;
}

/// Through the kernel, so that a page that cannot be read is an error and not a crash. `mayVanish`:
/// with the thread whose it is.
bool readMemory(void *to, uint64_t address, size_t bytes, bool mayVanish) {
  const auto *from = reinterpret_cast<const void *>(address);
  iovec here{to, bytes}, there{const_cast<void *>(from), bytes};
  ssize_t got = readThroughKernel(here, &there);
  if (got == ssize_t(bytes))
    return true;
  if (got >= 0 || mayVanish || (errno != EPERM && errno != ENOSYS))
    return false;
  std::memcpy(to, from, bytes); // a sandbox: segments are readable anyway
  return true;
}

void scanSegment(Scan &scan, uint64_t begin, uint64_t end, bool mayVanish) {
  begin = (begin + 7) & ~uint64_t(7);
  while (begin + 8 <= end) {
    if (monotonicNs() > scan.deadline) {
      scan.complete = false;
      return;
    }
    size_t words = std::min<uint64_t>(ChunkWords, (end - begin) / 8);
    if (readMemory(scan.chunk.data(), begin, words * 8, mayVanish))
      for (size_t i = 0; i < words; ++i) {
        uint64_t word = scan.chunk[i];
        if (word - scan.lowest < scan.highest - scan.lowest)
          match(scan, word, begin + i * 8);
      }
    begin += words * 8;
  }
}

/// Whatever its file is called.
bool isOurs(const dl_phdr_info &module) {
  const auto here = uint64_t(&isOurs);
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const auto &segment = module.dlpi_phdr[i];
    const uint64_t begin = module.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && here >= begin && here - begin < segment.p_memsz)
      return *module.dlpi_name != 0; // else a test's, which is the program as well
  }
  return false;
}

/// Tables of CUDA itself, and ours, hold every address; they are no variables of the program.
bool isSkipped(const dl_phdr_info &module) {
  if (isOurs(module))
    return true;
  const char *slash = std::strrchr(module.dlpi_name, '/');
  const char *name = slash ? slash + 1 : module.dlpi_name;
  for (const char *start :
       {"libcuda.so", "libcudart.so", "libnvidia-", "libcupti.so", "libnvrtc", "ld-linux",
        "linux-vdso", "libc.so", "libpthread", "libcublas", "libcufft", "libcurand", "libcusparse",
        "libcusolver", "libcudnn", "libnccl"})
    if (std::strncmp(name, start, std::strlen(start)) == 0)
      return true;
  return false;
}

/// Numbers of 32 bits stand everywhere: such a handle is held where its own call stored it.
void matchStored(Scan &scan, uint64_t begin, uint64_t end, bool mayVanish) {
  for (Allocation &a : *scan.allocations)
    if (a.storedAt >= begin && a.storedAt < end && end - a.storedAt >= sizeof(uint32_t)) {
      uint32_t value = 0;
      a.held |=
          readMemory(&value, a.storedAt, sizeof value, mayVanish) && value == uint32_t(a.address);
    }
}

void scanVariables(Scan &scan, uint64_t begin, uint64_t bytes, bool mayVanish = false) {
  if (scan.numbers)
    matchStored(scan, begin, begin + bytes, mayVanish);
  if (!scan.intervals.empty())
    scanSegment(scan, begin, begin + bytes, mayVanish);
}

/// Variables of other threads that still run lie as far below their thread pointers as this one's
/// below its own, if the loader found room for them before the program began. It puts them next to
/// each other, those of the program first; what a library brings later lies anywhere.
void scanOtherThreads(Scan &scan, const dl_phdr_info &module, uint64_t bytes) {
  constexpr uint64_t Most = 1 << 20;
  const auto below = uint64_t(__builtin_thread_pointer()) - uint64_t(module.dlpi_tls_data);
  if (below < bytes || (below > Most && *module.dlpi_name))
    return;
  for (uintptr_t pointer : scan.otherThreads)
    scanVariables(scan, pointer - below, bytes, true);
}

/// Those of all threads, and each running thread's own: they live as long as the process. False:
/// there was no time for all of it.
bool scanModule(Scan &scan, const dl_phdr_info &module) {
  if (isSkipped(module))
    return true;
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = module.dlpi_phdr[i];
    if (segment.p_type == PT_LOAD && segment.p_flags & PF_W)
      scanVariables(scan, module.dlpi_addr + segment.p_vaddr, segment.p_memsz);
    else if (segment.p_type == PT_TLS && module.dlpi_tls_data) {
      scanVariables(scan, uint64_t(module.dlpi_tls_data), segment.p_memsz);
      scanOtherThreads(scan, module, segment.p_memsz);
    }
  }
  return scan.complete;
}

} // namespace

bool markHeld(std::vector<Allocation> &allocations, uint64_t budgetNs) {
  Scan scan;
  scan.allocations = &allocations;
  for (size_t i = 0; i < allocations.size(); ++i) {
    const Allocation &a = allocations[i];
    if (a.storedAt) {
      scan.numbers = true;
      continue;
    }
    uint64_t length = isMemory(a.resource) ? std::max<uint64_t>(a.bytes, 1) : 1;
    scan.intervals.push_back({a.address, a.address + length, i});
    scan.lowest = std::min(scan.lowest, a.address);
    scan.highest = std::max(scan.highest, a.address + length);
  }
  if (scan.intervals.empty() && !scan.numbers)
    return true;
  std::sort(scan.intervals.begin(), scan.intervals.end(),
            [](const Interval &a, const Interval &b) { return a.begin < b.begin; });
  scan.chunk.resize(ChunkWords);
  scan.deadline = monotonicNs() + budgetNs;
  eachLoadedModule([&](const dl_phdr_info &module) { return scanModule(scan, module); });
  return scan.complete;
}

} // namespace gpuinstr
