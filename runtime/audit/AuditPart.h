// The audits as a part of the process.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_AUDITPART_H
#define GPUINSTR_AUDIT_AUDITPART_H

#include "base/Part.h"

namespace gpuinstr::audit {

Part &auditPart();

} // namespace gpuinstr::audit

#endif
