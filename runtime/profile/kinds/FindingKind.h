// What is found, and how sure it is.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PROFILE_KINDS_FINDINGKIND_H
#define GPUINSTR_PROFILE_KINDS_FINDINGKIND_H

#include "profile/kinds/Named.h"

namespace gpuinstr::profile {

/// All findings, in the report's order.
enum class Pattern : uint8_t {
#define FINDING(pattern, ...) pattern,
#include "profile/kinds/Findings.def"
  Unknown
};
template <> struct Texts<Pattern> {
  static constexpr std::string_view List[] = {
#define FINDING(pattern, id, ...) id,
#include "profile/kinds/Findings.def"
  };
};

#define GPUINSTR_GRADES(X)                                                                         \
  X(Proven, "proven")                                                                              \
  X(Likely, "likely")                                                                              \
  X(Advice, "advice")                                                                              \
  X(Information, "information")
GPUINSTR_NAMED_ENUM(Grade, GPUINSTR_GRADES)

/// Of the transfer that a finding is about.
#define GPUINSTR_TRANSFER_DIRECTIONS(X)                                                            \
  X(HostToDevice, "H2D")                                                                           \
  X(DeviceToHost, "D2H")                                                                           \
  X(DeviceToDevice, "D2D")                                                                         \
  X(Set, "set")
GPUINSTR_NAMED_ENUM(TransferDirection, GPUINSTR_TRANSFER_DIRECTIONS)

enum class FindingClass { Bug, Waste, Information, Unknown };

/// A row of Findings.def.
struct FindingKind {
  Pattern pattern;
  std::string_view id, plural;
  FindingClass cls;
  const char *message, *fix; ///< with {names} that findings/FindingText.h fills in
};

/// Never null: of Unknown the id is empty and the class Unknown.
const FindingKind &findingKind(Pattern pattern);
inline const FindingKind &findingKind(const Named<Pattern> &pattern) {
  return findingKind(pattern.value());
}

/// All rows, for docs and tests; ends with an empty id.
const FindingKind *findingKinds();

} // namespace gpuinstr::profile

#endif
