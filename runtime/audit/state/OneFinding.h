// One line, one finding: of several that one change would mend, the one that says most.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_STATE_ONEFINDING_H
#define GPUINSTR_AUDIT_STATE_ONEFINDING_H

#include "findings/Findings.h"

namespace gpuinstr::audit {

/// Where a copy was for nothing (no-op, sent again, brought back), leaving it out is the remedy:
/// that it was also overwritten unread, of equal elements or a duplicate is then no finding of its
/// own, as long as it is about no more copies. Dead copies of one line are one finding, whoever
/// buried them: the place that buried most stays.
void mergeFindings(std::vector<FindingRecord> &records);

} // namespace gpuinstr::audit

#endif
