// What every launch, copy and synchronisation looks at, in few cache lines.
// SPDX-License-Identifier: Apache-2.0
//
// Between two calls the driver drives all of this out of the first cache: what is needed together
// lies together. Like the rest of the auditor's state there is one of these in a process.
#ifndef GPUINSTR_AUDIT_ORDERING_AUDITHOTSTATE_H
#define GPUINSTR_AUDIT_ORDERING_AUDITHOTSTATE_H

#include <atomic>
#include <cstdint>

namespace gpuinstr::audit {

struct alignas(64) AuditHotState {
  std::atomic<uint64_t> launches{0};         ///< Ranges::launches
  std::atomic<uint64_t> rangeGeneration{1};  ///< Ranges::generation
  std::atomic<uint64_t> streamGeneration{1}; ///< Streams::generation
  std::atomic<uint64_t> unknownWrites{0};    ///< Ranges::unknownWrites
  std::atomic<uint64_t> lostUpTo{0};         ///< Ranges::lostUpTo
  std::atomic<uint64_t> follows{0};          ///< Ranges::follows
  std::atomic<uint32_t> underWay{0};         ///< Auditor::underWay
  std::atomic<bool> severalThreads{false};   ///< Auditor::severalThreads
  std::atomic<bool> severalContexts{false};  ///< Auditor::severalContexts
  std::atomic<bool> unscanned{false};        ///< Ranges::unscanned
  std::atomic<uint8_t> runIsOpen{0};         ///< 0: no; else openAt(run.added), see Run
  std::atomic<uint64_t> variableWrites{0};   ///< Ranges::variableWrites
  // What launches with arguments look at as well: of Ranges.
  std::atomic<uint64_t> lowest{UINT64_MAX}, highest{0};
  std::atomic<uint64_t> follower{0}, unknown{0};
  std::atomic<uint64_t> unknownUses{0};
  std::atomic<uint64_t> hostGeneration{1};
  std::atomic<uint64_t> serial{0};
  std::atomic<bool> trustsCapture{false};   ///< CaptureTrust
  std::atomic<bool> placesOfSymbols{false}; ///< Ranges::placesOfSymbols
  std::atomic<bool> surfaces{false};        ///< Ranges::surfaces
  std::atomic<bool> variablesHold{false};   ///< Ranges::variablesHold
  // What copies, sets and synchronisations look at.
  alignas(64) std::atomic<uint64_t> puts{0}; ///< Streams::Puts
  uint64_t forHost = 0;                      ///< Streams::ForHost
  bool fastPathsClosed = false;              ///< FastPathsClosed
  /// Repeats of one copy or set that come directly behind each other, by audit/repeats/Run.h: those
  /// that were `added` and are not `settled` yet count once anyone looks at anything.
  struct {
    // Of the thread that adds.
    std::atomic<uint32_t> added{0}, lastTicks{0};
    std::atomic<uint64_t> ticks{0}; ///< of all added
    // With the auditor's lock held.
    uint32_t settled = 0;
    uint64_t settledTicks = 0;
    void *of = nullptr; ///< the ThreadAuditState
  } run;

  /// While a run is open, another one each time that one was added, of as many as a run has: so
  /// that nobody closes it who does not know of the last one.
  static uint8_t openAt(uint32_t added) { return uint8_t(added << 1 | 1); }

  /// Counts a launch, and returns how many there were before. While one thread alone calls CUDA,
  /// without a locked operation, which would wait until the processor has written the last launch
  /// to the device: it is one instruction, so a thread that stops there has done it or has not. At
  /// worst, when a second thread comes just then, two launches have the same number.
  uint64_t nextLaunch() {
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
    if (__builtin_expect(!severalThreads.load(std::memory_order_relaxed), true)) {
      uint64_t before = 1;
      __asm__ volatile("xaddq %0, %1" : "+r"(before), "+m"(launches) : : "cc", "memory");
      return before;
    }
#endif
    return launches.fetch_add(1);
  }
};
static_assert(sizeof(AuditHotState) == 192, "three lines");

extern AuditHotState AuditHot;

} // namespace gpuinstr::audit

#endif
