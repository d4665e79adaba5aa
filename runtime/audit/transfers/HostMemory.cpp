// What kind of host memory an address lies in, and whether it may be read.
// SPDX-License-Identifier: Apache-2.0
#include "audit/hash/HostHash.h"
#include "audit/transfers/Occurrences.h"
#include "calls/code/UnseenCode.h"
#include "cuda/DriverFacts.h"
#include "cuda/ReadableMemory.h"
#include <algorithm>
#include <cerrno>
#include <new>
#include <sys/mman.h>
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

/// Whether each page but the first is there, by the kernel's word for each.
static bool pagesAnswer(uint64_t begin, uint64_t end) {
  constexpr unsigned AtOnce = 256, Page = 4096;
  char bytes[AtOnce];
  iovec here{bytes, AtOnce}, there[AtOnce];
  uint64_t address = (begin | (Page - 1)) + 1;
  while (address < end) {
    unsigned count = 0;
    for (; count < AtOnce && address < end; address += Page)
      there[count++] = {reinterpret_cast<void *>(address), 1};
    if (readThroughKernel(here, there, count) != ssize_t(count))
      return false;
  }
  return true;
}

static bool rangeAnswers(uint64_t begin, uint64_t end) {
  constexpr uint64_t Page = 4096;
  const uint64_t first = begin & ~(Page - 1);
  if (!isReadableMemory(begin))
    return false;
  if (end - first <= 2 * Page)
    return isReadableMemory(end - 1);
  // Without a signal where that cannot be. Kernels before 5.14 do not know the word, and of memory
  // that drivers map they say nothing.
  constexpr int PopulateRead = 22; // MADV_POPULATE_READ
  const int error = errno;
  bool answers = madvise(reinterpret_cast<void *>(first), end - first, PopulateRead) == 0;
  if (!answers && errno == EINVAL)
    answers = pagesAnswer(begin, end);
  errno = error;
  return answers;
}

bool hostAnswers(const cuda::Region &region) {
  constexpr uint64_t Page = 4096;
  const uint64_t span = region.span();
  if (span == 0 || span == UINT64_MAX)
    return false;
  uint64_t begin = region.address, end = begin; // of rows that have no whole page between them
  for (uint64_t slice = 0; slice < region.slices; ++slice)
    for (uint64_t row = 0; row < region.rows; ++row) {
      const uint64_t at = region.address + slice * region.slicePitch + row * region.pitch;
      if (at > end + Page) { // what lies between is not to be touched: it may be large
        if (!rangeAnswers(begin, end))
          return false;
        begin = at;
      }
      end = std::max(end, at + region.width);
    }
  return rangeAnswers(begin, end);
}

bool hostIsStillOpen(const cuda::Region &region) {
  constexpr uint64_t Few = 8192;
  return region.span() <= Few || hostAnswers(region);
}

namespace {

/// Each row, in pieces of at most so many bytes; false as soon as `visit` is.
template <class Visit> bool eachPiece(const cuda::Region &region, uint64_t most, Visit visit) {
  for (uint64_t slice = 0; slice < region.slices; ++slice)
    for (uint64_t row = 0; row < region.rows; ++row)
      for (uint64_t at = 0; at < region.width; at += most)
        if (!visit(region.address + slice * region.slicePitch + row * region.pitch + at,
                   std::min(most, region.width - at)))
          return false;
  return true;
}

bool readIfThere(char *to, uint64_t address, uint64_t bytes) {
  iovec here{to, bytes}, there{reinterpret_cast<void *>(address), bytes};
  return readThroughKernel(here, &there) == ssize_t(bytes);
}

} // namespace

bool hashHostIfThere(const cuda::Region &region, ContentHash &content) {
  constexpr uint64_t Piece = 8192; // of stacks that may be small
  alignas(16) char bytes[Piece];
  HostHash hash;
  const bool isThere = eachPiece(region, Piece, [&](uint64_t address, uint64_t count) {
    const bool isRead = readIfThere(bytes, address, count);
    hash.add(bytes, isRead ? count : 0);
    return isRead;
  });
  content = hash.value();
  return isThere;
}

std::unique_ptr<char[]> copyHostIfThere(const cuda::Region &region) {
  constexpr uint64_t Most = 16 << 20;
  const uint64_t bytes = region.width * region.rows * region.slices;
  if (bytes > Most)
    return nullptr;
  std::unique_ptr<char[]> copy(new (std::nothrow) char[bytes]);
  char *to = copy.get();
  const bool isThere = copy && eachPiece(region, Most, [&](uint64_t address, uint64_t count) {
                         const bool isRead = readIfThere(to, address, count);
                         to += count;
                         return isRead;
                       });
  return isThere ? std::move(copy) : nullptr;
}

} // namespace gpuinstr::audit
