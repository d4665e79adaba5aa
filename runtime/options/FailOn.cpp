// Which findings make the program's exit code `exitcode`.
// SPDX-License-Identifier: Apache-2.0
#include "options/FailOn.h"

namespace gpuinstr::options {

static bool names(const std::string &name, const profile::Finding &finding) {
  using profile::FindingClass;
  FindingClass cls = profile::findingKind(finding.pattern).cls;
  if (cls != FindingClass::Bug && cls != FindingClass::Waste)
    return false;
  return name == "proven" || name == finding.pattern.text() ||
         (name == "bugs" && cls == FindingClass::Bug) ||
         (name == "waste" && cls == FindingClass::Waste);
}

bool mustFail(const profile::Profile &profile, const std::vector<std::string> &failOn) {
  for (const profile::Finding &finding : profile.findings)
    if (finding.grade == profile::Grade::Proven && !finding.suppressed)
      for (const std::string &name : failOn)
        if (names(name, finding))
          return true;
  return false;
}

} // namespace gpuinstr::options
