// Which finding comes first.
// SPDX-License-Identifier: Apache-2.0
#include "report/Sections.h"
#include <algorithm>
#include <array>
#include <map>

namespace gpuinstr::report {

using profile::Finding;
using profile::FindingClass;
using profile::Pattern;

/// A kernel's fault: nothing that the program does on the device works from then on.
static bool isFault(const Finding &finding) {
  static constexpr std::array<std::string_view, 16> Faults = {"cudaErrorIllegalAddress",
                                                              "CUDA_ERROR_ILLEGAL_ADDRESS",
                                                              "cudaErrorLaunchTimeout",
                                                              "CUDA_ERROR_LAUNCH_TIMEOUT",
                                                              "cudaErrorAssert",
                                                              "CUDA_ERROR_ASSERT",
                                                              "cudaErrorHardwareStackError",
                                                              "CUDA_ERROR_HARDWARE_STACK_ERROR",
                                                              "cudaErrorIllegalInstruction",
                                                              "CUDA_ERROR_ILLEGAL_INSTRUCTION",
                                                              "cudaErrorMisalignedAddress",
                                                              "CUDA_ERROR_MISALIGNED_ADDRESS",
                                                              "cudaErrorInvalidAddressSpace",
                                                              "CUDA_ERROR_INVALID_ADDRESS_SPACE",
                                                              "cudaErrorLaunchFailure",
                                                              "CUDA_ERROR_LAUNCH_FAILED"};
  return finding.pattern == Pattern::IgnoredError &&
         std::find(Faults.begin(), Faults.end(), finding.error) != Faults.end();
}

/// 0 below 10 ms, then one more each time that a cost is four times as large: times differ from
/// run to run, and the order should not.
static int costStep(uint64_t ns) {
  int step = 0;
  for (uint64_t limit = 10000000; ns >= limit && step < 16; limit *= 4)
    ++step;
  return step;
}

/// Kinds stay together, for they are counted so: those with a fault first, then those of waste that
/// cost most, then in the table's order.
FindingList byImportance(FindingList list) {
  struct Weight {
    bool hasFault = false;
    int cost = 0;
  };
  std::map<Pattern, FindingList> kinds;
  for (const Finding *finding : list)
    kinds[finding->pattern.value()].push_back(finding);
  std::map<Pattern, Weight> weights;
  for (const auto &[pattern, findings] : kinds)
    weights[pattern] = {std::any_of(findings.begin(), findings.end(),
                                    [](const Finding *finding) { return isFault(*finding); }),
                        profile::findingKind(findings.front()->pattern).cls == FindingClass::Waste
                            ? costStep(costOf(findings))
                            : 0};
  std::stable_sort(list.begin(), list.end(), [&](const Finding *a, const Finding *b) {
    const Pattern kindA = a->pattern.value(), kindB = b->pattern.value();
    if (kindA != kindB) {
      const Weight &weightA = weights[kindA], &weightB = weights[kindB];
      if (weightA.hasFault != weightB.hasFault)
        return weightA.hasFault;
      return weightA.cost != weightB.cost ? weightA.cost > weightB.cost : kindA < kindB;
    }
    if (isFault(*a) != isFault(*b))
      return isFault(*a);
    if (int costA = costStep(a->cost_ns), costB = costStep(b->cost_ns); costA != costB)
      return costA > costB;
    return a->bytes != b->bytes ? a->bytes > b->bytes : a->count > b->count;
  });
  return list;
}

} // namespace gpuinstr::report
