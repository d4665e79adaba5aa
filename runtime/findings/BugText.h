// What the findings of bugs say of memory and copies, and what they share with others.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_FINDINGS_BUGTEXT_H
#define GPUINSTR_FINDINGS_BUGTEXT_H

#include "findings/Findings.h"

namespace gpuinstr {

/// "app.cu:12".
std::string place(SiteIndex index);
std::string bytesOf(uint64_t bytes);
/// How to free what the site made: "call cudaFreeHost on it".
std::string freeCall(uint16_t resource, const gpuinstr_site *site);

/// Of a copy that failed and whose kind is not what its pointers are; else "".
std::string kindOf(const FindingRecord &r);
/// ... the kind to pass.
std::string passOf(const FindingRecord &r);

/// What a free was given, and how to free that.
std::string addressOf(const FindingRecord &r);
std::string rightFreeOf(const FindingRecord &r, const gpuinstr_site *site);

/// Of a leak: "one", "4.19 MB in 4 allocations".
std::string amountEach(const FindingRecord &r);
/// ... whose address a variable still has from the memory that lay there before.
std::string heldOf(const FindingRecord &r);

} // namespace gpuinstr

#endif
