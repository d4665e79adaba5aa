// Copies and sets that come again and again, and which way they go.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TEST_AUDIT_TRANSFERWAYS_H
#define GPUINSTR_TEST_AUDIT_TRANSFERWAYS_H

#include "AuditSupport.h"
#include "audit/scheduling/Launches.h"
#include "audit/state/ThreadAuditState.h"
#include <functional>
#include <thread>
#include <vector>

namespace gpuinstr::test {

/// Sees all that go the long way; without a short look that is each.
struct TransferWays : Observer {
  TransferWays() : Observer(opBit(GPUINSTR_OP_COPY) | opBit(GPUINSTR_OP_SET)) {
    addObserver(*this);
    muteObserver(*this);
  }
  void before(const Call &) override { ++calls; }
  const ShortLook *shortLook(const gpuinstr_site &) const override {
    return isForced ? nullptr : &NoLook;
  }
  bool isForced = false;
  unsigned calls = 0;
};
inline TransferWays &transferWays() {
  static TransferWays one; // never removed
  return one;
}

/// Of memory that a pool hands out, and of buffers.
struct TransferWaysTest : AuditTest {
  static constexpr unsigned Segments = 3, Buffers = 2;
  static constexpr uint64_t Place = 1 << 16;
  std::vector<char> host = std::vector<char>(Place);
  bool isPinned = false;                       ///< `host`
  std::vector<char> place[Segments + Buffers]; ///< at the same addresses in each run
  char *d[Segments + Buffers] = {};
  std::vector<uint64_t> streams;
  uint64_t base = 0, puts = 0;
  audit::Event event = 0; ///< all three: when the run began

  void SetUp() override {
    table();
    transferWays();
    for (std::vector<char> &block : place)
      block.resize(Place);
  }
  void TearDown() override {
    muteObserver(transferWays());
    AuditTest::TearDown();
  }
  void make(unsigned i) {
    d[i] = alloc(10 + i, Place, GPUINSTR_RES_DEVICE, place[i].data());
    if (i >= Segments)
      return;
    table().pool_alloc(this, d[i], 0);
    table().pool_free(this, d[i]);
  }
  void begin(const char *options, bool isForced, std::vector<uint64_t> given) {
    start(options);
    muteObserver(transferWays());
    transferWays().isForced = isForced;
    transferWays().calls = 0;
    unmuteObserver(transferWays());
    for (size_t i = 0; i < host.size(); ++i)
      host[i] = char(i * 31 + i / 251);
    for (unsigned i = 0; i < Segments + Buffers; ++i)
      place[i].assign(place[i].size(), 0), make(i);
    if (isPinned)
      alloc(20, Place, GPUINSTR_RES_PINNED, host.data());
    streams = std::move(given);
    syncDevice();                  // what the former run left in them
    for (int i = 0; i < 8000; ++i) // so that transfers share a place in both runs or in none
      audit::auditStateOf(*Self).paths.noteTaken();
    Self->launches.last.launched = false;
    base = audit::Ranges::launches, puts = audit::Streams::Puts;
    event = rangeAt(d[Segments + Buffers - 1]).usage.allocated;
  }

  // As CudaApi.def describes cuMemsetD8Async and cuMemcpyDtoDAsync.
  static constexpr uint32_t Flags = GPUINSTR_SITE_ASYNC | GPUINSTR_SITE_DRIVER,
                            Slots = bit(GPUINSTR_SLOT_DST) | bit(GPUINSTR_SLOT_BYTES) |
                                    bit(GPUINSTR_SLOT_STREAM);
  gpuinstr_site *setSite(unsigned line) {
    return site(GPUINSTR_OP_SET, "cuMemsetD8Async", line, Slots | bit(GPUINSTR_SLOT_KIND), 0,
                Flags);
  }
  void set(unsigned line, char *dst, uint64_t bytes, uint64_t stream = 0, int result = 0) {
    f.frame.slot[GPUINSTR_SLOT_DST] = reinterpret_cast<uint64_t>(dst);
    f.frame.slot[GPUINSTR_SLOT_KIND] = 0;
    f.frame.slot[GPUINSTR_SLOT_BYTES] = bytes;
    f.frame.slot[GPUINSTR_SLOT_STREAM] = stream;
    f.call(setSite(line), [&] {
      std::memset(dst, 0, result ? 0 : bytes);
      return result;
    });
  }
  gpuinstr_site *copySite(unsigned line, uint32_t sides) {
    return site(GPUINSTR_OP_COPY, "cuMemcpyAsync", line, Slots | bit(GPUINSTR_SLOT_SRC), 0,
                Flags | sides);
  }
  /// `meanwhile`: what another thread does while the call goes on.
  void copyBy(Function &by, gpuinstr_site *s, char *dst, const char *src, uint64_t bytes,
              uint64_t stream, int result, const std::function<void()> &meanwhile) {
    by.frame.slot[GPUINSTR_SLOT_DST] = reinterpret_cast<uint64_t>(dst);
    by.frame.slot[GPUINSTR_SLOT_SRC] = reinterpret_cast<uint64_t>(src);
    by.frame.slot[GPUINSTR_SLOT_BYTES] = bytes;
    by.frame.slot[GPUINSTR_SLOT_STREAM] = stream;
    by.call(s, [&] {
      if (meanwhile)
        std::thread(meanwhile).join();
      std::memmove(dst, src, result ? 0 : bytes);
      return result;
    });
  }
  void copy(unsigned line, char *dst, const char *src, uint64_t bytes, uint32_t sides,
            uint64_t stream = 0, int result = 0, const std::function<void()> &meanwhile = {}) {
    copyBy(f, copySite(line, sides), dst, src, bytes, stream, result, meanwhile);
  }
  /// As cuMemcpyHtoD; cuMemcpyDtoH.
  void copyBlocking(unsigned line, char *dst, const char *src, uint64_t bytes,
                    const char *callee = "cuMemcpyHtoD", uint32_t sides = Up, int result = 0,
                    const std::function<void()> &meanwhile = {}) {
    copyBy(f,
           site(GPUINSTR_OP_COPY, callee, line,
                (Slots & ~bit(GPUINSTR_SLOT_STREAM)) | bit(GPUINSTR_SLOT_SRC), 0,
                GPUINSTR_SITE_DRIVER | sides),
           dst, src, bytes, 0, result, meanwhile);
  }
  void fetch(unsigned line, char *dst, const char *src, uint64_t bytes, int result = 0,
             const std::function<void()> &meanwhile = {}) {
    copyBlocking(line, dst, src, bytes, "cuMemcpyDtoH", Down, result, meanwhile);
  }
  /// One of the things that another thread may do while a copy from or to the buffer goes on.
  void doMeanwhile(unsigned what, unsigned i, uint64_t stream) {
    Function by;
    if (what == 0) {
      copyBy(by, copySite(710, Up), d[i], host.data(), 2048, stream, 0, {});
    } else if (what == 1) { // somewhere else in there
      copyBy(by, copySite(709, Within), d[i] + 16384, d[0] + 49152, 2048, stream, 0, {});
    } else if (what == 2) {
      by.free(site(GPUINSTR_OP_FREE, "cudaFree", 41, bit(GPUINSTR_SLOT_DST), GPUINSTR_RES_DEVICE),
              reinterpret_cast<uint64_t>(d[i]));
      by.alloc(site(GPUINSTR_OP_ALLOC, "cudaMalloc", 42,
                    bit(GPUINSTR_SLOT_DST) | bit(GPUINSTR_SLOT_BYTES), GPUINSTR_RES_DEVICE),
               reinterpret_cast<uint64_t>(d[i]), Place);
    } else {
      audit::noteUnknownWork(*thisThread(), stream, true);
    }
  }
  static constexpr uint32_t Within = GPUINSTR_SITE_DEVICE_DST | GPUINSTR_SITE_DEVICE_SRC,
                            Up = GPUINSTR_SITE_DEVICE_DST | GPUINSTR_SITE_HOST_SRC,
                            Down = GPUINSTR_SITE_HOST_DST | GPUINSTR_SITE_DEVICE_SRC;

  static audit::Range &rangeAt(const char *memory) {
    return *audit::auditor().ranges.find(reinterpret_cast<uint64_t>(memory));
  }
};

} // namespace gpuinstr::test

#endif
