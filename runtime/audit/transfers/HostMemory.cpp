// What kind of host memory an address lies in, and whether it may be read.
// SPDX-License-Identifier: Apache-2.0
#include "audit/state/ThreadAuditState.h"
#include "calls/code/UnseenCode.h"
#include "cuda/DriverFacts.h"
#include "cuda/ReadableMemory.h"
#include <sys/uio.h>
#include <unistd.h>

namespace gpuinstr::audit {

namespace {
/// The place of the address's page, looked up where it is not known.
unsigned wayOf(ThreadAuditState &local, uint64_t address) {
  Auditor &a = auditor();
  HostPages &pages = local.pages;
  uint64_t generation = a.ranges.hostGeneration.load();
  if (pages.generation != generation) { // memory may have been pinned, or no longer is
    pages = HostPages();
    pages.generation = generation;
  }
  uint64_t page = address >> 12;
  unsigned way = page % HostPages::Ways;
  if (pages.page[way] == page)
    return way;
  uint16_t resource = 0;
  bool known = false, unreadable = false;
  {
    std::lock_guard<AuditMutex> lock(a.mutex);
    if (Range *range = a.ranges.find(address)) {
      known = true;
      resource = range->resource;
      unreadable = range->unreadable;
    }
  }
  pages.pageable[way] = !known && cuda::isPageable(address);
  pages.readable[way] =
      pages.pageable[way] ||
      (!unreadable && (resource == GPUINSTR_RES_PINNED || resource == GPUINSTR_RES_REGISTERED));
  pages.page[way] = page;
  return way;
}
} // namespace

bool hostPageable(ThreadAuditState &local, uint64_t address) {
  if (!address || !local.pages.pageable[wayOf(local, address)])
    return false;
  // Code that nobody sees may have pinned it since it was asked for.
  return !unseenCodeUsesCuda() || cuda::isPageable(address);
}

// "If pageable memory must first be staged to pinned memory, the driver may synchronize with the
// stream and stage the copy" (API synchronization behavior, of asynchronous copies). It must where
// the device does not reach that memory. What a driver does then: 4 bytes to 64 MiB, behind a
// running kernel, had been taken over when the call came back, also where they were unmapped at
// once (H200, driver 580; from 16 MiB on the call waited for the kernel).
//
// Code that nobody sees may have pinned it since it was asked for: then no wait is told at all.
bool isTakenOver(ThreadAuditState &local, uint64_t source) {
  return source && local.pages.pageable[wayOf(local, source)] && !cuda::deviceReachesHost();
}

bool hostReadable(ThreadAuditState &local, uint64_t address) {
  return address && local.pages.readable[wayOf(local, address)];
}

bool hostAnswers(const cuda::Region &region) {
  uint64_t span = region.span();
  return span != 0 && span != UINT64_MAX && isReadableMemory(region.address) &&
         isReadableMemory(region.address + span - 1);
}

bool hostStillAnswers(const cuda::Region &region) {
  constexpr unsigned AtOnce = 256, Page = 4096;
  const uint64_t span = region.span();
  if (!hostAnswers(region))
    return false;
  char bytes[AtOnce];
  iovec here{bytes, AtOnce}, there[AtOnce];
  uint64_t address = (region.address | (Page - 1)) + 1; // the first page has answered
  const uint64_t end = region.address + span;
  while (address < end) {
    unsigned count = 0;
    for (; count < AtOnce && address < end; address += Page)
      there[count++] = {reinterpret_cast<void *>(address), 1};
    if (process_vm_readv(getpid(), &here, 1, there, count, 0) != ssize_t(count))
      return false;
  }
  return true;
}

} // namespace gpuinstr::audit
