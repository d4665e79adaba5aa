// Hand-made sites and frames, and a CUDA that is a table: what instrumented programs would do.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TEST_SUPPORT_SUPPORT_H
#define GPUINSTR_TEST_SUPPORT_SUPPORT_H

#include "cuda/Driver.h"
#include "gpuinstr/abi.h"
#include "profile/Profile.h"
#include <atomic>
#include <functional>
#include <string>
#include <vector>

extern "C" const gpuinstr_table *gpuinstr_connect(uint32_t abiVersion, uint32_t size,
                                                  uint64_t beforeLoadNs);

namespace gpuinstr::test {

/// A site that the plugin could have made: id from the place, strings that live for good.
gpuinstr_site *makeSite(unsigned op, const char *callee, unsigned line, unsigned resource = 0,
                        uint32_t flags = GPUINSTR_SITE_CUDA_ERROR, uint32_t slots = 0,
                        const char *variable = "", const char *type = "",
                        const char *file = "app.cu");
gpuinstr_site *makeCaller(unsigned line, const char *callee, const char *variable = "");

/// Registers the sites as one module.
gpuinstr_module *registerAll(std::vector<gpuinstr_site *> sites);

const gpuinstr_table &table();

constexpr uint64_t Ms = 1000000; ///< in nanoseconds

constexpr uint32_t bit(unsigned slot) { return 1u << slot; }
constexpr uint32_t AllocSlots = bit(GPUINSTR_SLOT_DST) | bit(GPUINSTR_SLOT_BYTES);
constexpr uint32_t FreeSlots = bit(GPUINSTR_SLOT_DST);
constexpr uint32_t CopySlots = bit(GPUINSTR_SLOT_DST) | bit(GPUINSTR_SLOT_SRC) |
                               bit(GPUINSTR_SLOT_BYTES) | bit(GPUINSTR_SLOT_KIND);

/// The driver that the runtime asks: what lives, by base.
struct FakeDriver {
  struct Block {
    uint64_t bytes = 0, id = 0;
    int device = -1;
  };
  static void install();
  static void alloc(uint64_t base, uint64_t bytes);
  static void free(uint64_t base);
  static void reset();
  static int Device;
  static bool Answers; ///< false: every question ends with an error
  static bool Capturing;
  static thread_local int CaptureMode; ///< 0 global as CUDA starts with
  static std::atomic<int> CallsNotRelaxed;
  static std::atomic<int> Questions; ///< all but those for names and figures
  static std::atomic<int> Exchanges; ///< of the capture mode
  static bool AnswersAtOnce;         ///< several attributes of an address in one call
  static uint64_t Free;
};

/// One function's frame, as instrumented code has it.
class Function {
public:
  explicit Function(const gpuinstr_site *caller = nullptr) { frame.callers[0] = caller; }
  /// Calls `body` as the CUDA function; returns its result.
  int call(const gpuinstr_site *site, const std::function<int()> &body);
  int alloc(const gpuinstr_site *site, uint64_t address, uint64_t bytes, int result = 0);
  int free(const gpuinstr_site *site, uint64_t address, int result = 0);
  int copy(const gpuinstr_site *site, uint64_t dst, uint64_t src, uint64_t bytes, int result = 0);
  gpuinstr_frame frame = {};
};

/// The profile as the report at exit would have it, and as report_now would.
profile::Profile profileAtExit();
profile::Profile profileNow();
std::vector<profile::Finding> findings(const profile::Profile &profile, const char *pattern);
const profile::Site *siteAtLine(const profile::Profile &profile, unsigned line);

/// Forgets everything but the sites: tests share one process.
void forgetAll();
/// The same, then CUDA comes up: from here on calls may take the fast path.
void bringCudaUp();

} // namespace gpuinstr::test

#endif
