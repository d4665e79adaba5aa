// What is found, and how sure it is.
// SPDX-License-Identifier: Apache-2.0
#include "profile/kinds/FindingKind.h"

namespace gpuinstr::profile {

static constexpr FindingKind Kinds[] = {
#define FINDING(pattern, id, cls, plural, message, fix)                                            \
  {Pattern::pattern, id, plural, FindingClass::cls, message, fix},
#include "profile/kinds/Findings.def"
    {Pattern::Unknown, "", "", FindingClass::Unknown, "", ""},
};

const FindingKind *findingKinds() { return Kinds; }

const FindingKind &findingKind(Pattern pattern) {
  return Kinds[pattern < Pattern::Unknown ? unsigned(pattern) : unsigned(Pattern::Unknown)];
}

} // namespace gpuinstr::profile
