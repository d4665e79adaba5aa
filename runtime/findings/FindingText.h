// What each finding says, and what to change.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_FINDINGS_FINDINGTEXT_H
#define GPUINSTR_FINDINGS_FINDINGTEXT_H

#include "findings/Findings.h"

namespace gpuinstr {

struct FindingText {
  std::string message, fix; ///< one line each
};

/// `variable` as the finding shows it, "" unknown.
FindingText findingText(const FindingRecord &record, const std::string &variable);

/// A message with the part of its proof that was seen, "27 repeats checked", and not of how many,
/// "27 of 71 repeats checked": for counts that are told anew.
std::string withoutTotal(std::string message);

} // namespace gpuinstr

#endif
