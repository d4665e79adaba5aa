// Repeats of a copy whose host side may have something new to say.
// SPDX-License-Identifier: Apache-2.0
//
// Nearly all uploads from ordinary memory hold no address and do not begin with equal elements: a
// few of their words say so, which the driver has just read.
#include "audit/repeats/BriefLooks.h"
#include "base/HotCode.h"
#include <cstring>

namespace gpuinstr::audit {

namespace {

/// An address of an allocation, or maybe the upper half of one.
bool mayHoldAddress(Auditor &a, const TransferFastPath &path) {
  const cuda::Region &src = path.src;
  const auto *data = reinterpret_cast<const char *>(src.address);
  if (src.width == sizeof(uint32_t)) {
    uint32_t half = 0;
    std::memcpy(&half, data, sizeof half);
    return half != 0 && path.dst.address % sizeof(uint64_t) != 0;
  }
  bool found = false;
  a.ranges.eachAddressIn(data, src.width, [&](const Range &) { found = true; });
  return found;
}

void countPageable(Auditor &a, TransferFastPath &path, uint64_t ticks) {
  const uint64_t bytes = path.slots[GPUINSTR_SLOT_BYTES];
  if (a.waste.addAt(WasteFindings::Often::Pageable, path.pageable, {bytes, 1, ticks}))
    return;
  FindingKey advice;
  advice.pattern = Pattern::PageableAsync;
  advice.grade = Grade::Advice;
  advice.site = path.chargedSite;
  advice.caller = path.caller;
  a.waste.add(advice, 1, bytes, ticks);
  path.pageable = a.waste.place();
}

} // namespace

GPUINSTR_HOT bool lookBriefly(Auditor &a, TransferFastPath &path, uint64_t ticks) {
  const BriefLook &brief = path.brief;
  if (brief.mayBeUniform &&
      UniformPattern::mayBegin(reinterpret_cast<const char *>(path.src.address)))
    return false;
  if (brief.searches && mayHoldAddress(a, path))
    return false;
  if (brief.isPageable)
    countPageable(a, path, ticks);
  return true;
}

} // namespace gpuinstr::audit
