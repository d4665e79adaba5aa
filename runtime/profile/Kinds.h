// Names that the profile uses for operations, resources and findings.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PROFILE_KINDS_H
#define GPUINSTR_PROFILE_KINDS_H

#include "gpuinstr/abi.h"
#include <string_view>

namespace gpuinstr::profile {

/// Site::kind of a gpuinstr_op: "caller", "launch", "copy" ...; "other" for a value not known.
std::string_view kindName(unsigned op);

/// Whether calls of such a Site::kind put work on the device, or may do so. Graphs apart.
bool asksOfDevice(std::string_view kind);

/// Site::memory, Finding::memory and Holder::memory of a gpuinstr_resource; "" for NONE and
/// unknown.
std::string_view resourceName(unsigned resource);

enum class FindingClass { Bug, Waste, Information, Unknown };

struct FindingKind {
  std::string_view id, plural;
  FindingClass cls;
  unsigned order; ///< place in the report
};

/// Never null: an id that the table lacks is of class Unknown.
const FindingKind &findingKind(std::string_view id);
bool isFindingId(std::string_view id);

/// All rows, for docs and tests; ends with an empty id.
const FindingKind *findingKinds();

} // namespace gpuinstr::profile

#endif
