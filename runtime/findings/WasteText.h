// What the findings of waste say of their proof, and what to change.
// SPDX-License-Identifier: Apache-2.0
//
// Each is a part of a sentence of profile::FindingKind. `variable` as the finding shows it, ""
// unknown.
#ifndef GPUINSTR_FINDINGS_WASTETEXT_H
#define GPUINSTR_FINDINGS_WASTETEXT_H

#include "findings/Findings.h"

namespace gpuinstr {

/// "392 of 399 repeats checked, all unchanged", "6 of 9 repeats changed nothing".
std::string proofOf(const FindingRecord &r);
std::string betweenOf(const FindingRecord &r); ///< "; something between them may write it", ""

// noop-copy, reupload, roundtrip
std::string onceOf(const FindingRecord &r, const std::string &variable);
std::string earlierOf(const FindingRecord &r, const std::string &variable);
std::string keepOf(const FindingRecord &r);
std::string whenceOf(const FindingRecord &r);
std::string roundOf(const FindingRecord &r);

// dead-copy: by what it was overwritten, how many of its line's, and what can go
std::string buriedOf(const FindingRecord &r);
std::string seldomOf(const FindingRecord &r);
std::string deadOf(const FindingRecord &r);

// uniform-upload: "1.05 MB of equal elements uploaded", "1.05 MB uploaded, equal but for 1 of
// 262144 words"
std::string equalOf(const FindingRecord &r);
std::string fillOf(const FindingRecord &r);
std::string restOf(const FindingRecord &r);

// unused-allocation, alloc-churn, lifetime
std::string unusedOf(const FindingRecord &r);
std::string dropOf(const FindingRecord &r);
std::string cyclesOf(const FindingRecord &r);
std::string reuseOf(const FindingRecord &r, const std::string &what); ///< `what` is made anew
std::string idleOf(const FindingRecord &r);
std::string holdOf(const FindingRecord &r);
std::string unnamedOf(const FindingRecord &r);

// pageable-async, small-copies, needless-sync
std::string hostSideOf(const FindingRecord &r, const std::string &variable);
std::string rowsOf(const FindingRecord &r); ///< which other work or other directions end
std::string gatherOf(const FindingRecord &r);
std::string needlessOf(const FindingRecord &r);
std::string unlessOf(const FindingRecord &r);

} // namespace gpuinstr

#endif
