// A device that is host memory, an engine that hashes it, and calls as instrumented code makes
// them. SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TEST_AUDIT_SUPPORT_H
#define GPUINSTR_TEST_AUDIT_SUPPORT_H

#include "Support.h"
#include "audit/state/Auditor.h"
#include <cstring>
#include <gtest/gtest.h>
#include <map>

namespace gpuinstr::test {

/// Hashes at once, or only when told to; counts what it is asked.
class FakeEngine : public audit::DeviceHasher {
public:
  audit::Ticket begin(audit::EnqueueResult &why) override;
  audit::EnqueueResult enqueue(audit::Ticket ticket, bool after, const cuda::Region &region,
                               uint64_t stream) override;
  bool finish(audit::Ticket ticket, uint64_t stream) override;
  bool setMarker(unsigned marker, uint64_t stream) override;
  bool putBehind(unsigned marker, uint64_t stream) override;
  bool finishMarker(audit::Ticket ticket, unsigned) override { return finish(ticket, 0); }
  bool isIdle(uint64_t) override { return idle; }
  bool settle(uint64_t) override;
  bool arrived(audit::Ticket ticket) const override;
  audit::Reading read(audit::Ticket ticket) const override;
  void release(audit::Ticket ticket) override;
  uint64_t estimateNs(uint64_t bytes) const override { return launchNs + bytes / 3000; }
  uint64_t deviceBytes() const override { return 0; }
  uint64_t pinnedBytes() const override { return 0; }

  uint64_t launchNs = 4000; ///< said to be taken by a look, besides its bytes
  bool late = false;        ///< readings stay back until finish() or arrive()
  void arrive() { late = false; }
  unsigned hashes = 0, waits = 0;
  size_t open() const { return Readings.size(); }
  std::vector<uint64_t> streams; ///< of the hashes
  bool idle = false;             ///< what isIdle() says
  unsigned busyMs = 0;           ///< the device is not done before, in finish()
  unsigned settled = 0;
  std::map<unsigned, uint64_t> markers; ///< the stream of each
  /// Streams that were put behind hashes: (whose, which).
  std::vector<std::pair<uint64_t, uint64_t>> behind;

private:
  mutable std::mutex Mutex;
  audit::Ticket Next = 0;
  std::map<audit::Ticket, audit::Reading> Readings;
  std::map<audit::Ticket, bool> Done;
};

/// A kernel parameter as the plugin would describe it.
gpuinstr_param parameter(uint8_t access, uint32_t bytes = 8, uint8_t pointer = 1);

/// What access says of a visible kernel.
constexpr uint8_t Reads = GPUINSTR_ACCESS_READ, Writes = GPUINSTR_ACCESS_WRITE,
                  Escapes = GPUINSTR_ACCESS_ESCAPE, Unseen = GPUINSTR_ACCESS_UNKNOWN;

struct AuditTest : ::testing::Test {
  FakeEngine engine;
  Function f;
  static constexpr uint64_t Bytes = 1 << 17; ///< above the border of small copies

  void SetUp() override { start("audit=full"); }
  void TearDown() override;
  /// Everything is forgotten; then the options of the API's layer hold.
  void start(const char *options);
  /// The budget, and the quarter of it, are full.
  static void earn();

  // Sites, made on first use: one for each line.
  gpuinstr_site *site(unsigned op, const char *callee, unsigned line, uint32_t slots,
                      unsigned resource = 0, uint32_t flags = 0, uint16_t detail = 0);

  // Calls. Copies and sets move bytes.
  char *alloc(unsigned line, uint64_t bytes = Bytes, unsigned resource = GPUINSTR_RES_DEVICE,
              char *at = nullptr);
  void free(unsigned line, char *memory, unsigned resource = GPUINSTR_RES_DEVICE);
  void upload(unsigned line, char *dst, const void *src, uint64_t bytes = Bytes);
  void uploadAsync(unsigned line, char *dst, const void *src, uint64_t stream,
                   uint64_t bytes = Bytes);
  void download(unsigned line, void *dst, const char *src, uint64_t bytes = Bytes);
  void downloadAsync(unsigned line, void *dst, const char *src, uint64_t stream,
                     uint64_t bytes = Bytes);
  void copyDevice(unsigned line, char *dst, const char *src, uint64_t bytes = Bytes);
  void set(unsigned line, char *dst, int value, uint64_t bytes = Bytes);
  /// The kernel of a name has the same parameters each time.
  void launch(const char *kernel, std::vector<gpuinstr_param> parameters,
              std::vector<const void *> arguments, uint64_t stream = 0, uint32_t flags = 0);
  unsigned launchLine = 800;
  uint32_t moduleFlags = 0; ///< gpuinstr_module_flags of the next new kernel's module
  std::vector<gpuinstr_module *> modulesWithFlags; ///< they go with the test
  void simple(unsigned op, const char *callee, unsigned line, uint64_t stream = 0, uint64_t dst = 0,
              uint16_t detail = 0);
  uint64_t makeStream(bool nonBlocking);
  void syncStream(uint64_t stream) {
    simple(GPUINSTR_OP_SYNC_STREAM, "cudaStreamSynchronize", 900, stream);
  }
  void syncDevice() { simple(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 901); }

  /// Of the report at exit. One of a grade; count 0: there is none.
  profile::Finding finding(const char *pattern, const char *grade = nullptr);
  bool none(const char *pattern);
  profile::Audit figures() { return profileNow().coverage.audit; }

  std::vector<std::unique_ptr<char[]>> memory;
};

/// Bytes of the host that are not all alike, and a kernel that reads.
struct VariedBytes : AuditTest {
  std::vector<char> host = std::vector<char>(Bytes, 7);
  void SetUp() override {
    AuditTest::SetUp();
    for (size_t i = 0; i < host.size(); ++i)
      host[i] = char(i * 13 + i / 253);
  }
  void read(char *d) { launch("reader", {parameter(Reads)}, {d}); }
};

/// Bytes of the host and two buffers; a kernel writes one of them.
struct TwoBuffers : AuditTest {
  std::vector<char> host = std::vector<char>(Bytes, 7);
  char *d = nullptr, *other = nullptr;
  void SetUp() override {
    AuditTest::SetUp();
    host[3] = 1;
    d = alloc(10);
    other = alloc(11);
  }
  void run(uint64_t stream) { launch("writer", {parameter(Writes)}, {other}, stream); }
};

} // namespace gpuinstr::test

#endif
