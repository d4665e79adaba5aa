// Which findings make the program's exit code `exitcode`.
// SPDX-License-Identifier: Apache-2.0
#include "options/FailOn.h"

namespace gpuinstr::options {

constexpr std::string_view Likely = ":likely";

std::string_view failOnId(std::string_view name) {
  bool likely = name.size() > Likely.size() && name.substr(name.size() - Likely.size()) == Likely;
  return likely ? name.substr(0, name.size() - Likely.size()) : name;
}

static bool names(std::string_view name, const profile::Finding &finding) {
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
    for (const std::string &name : failOn) {
      std::string_view id = failOnId(name);
      bool graded = finding.grade == profile::Grade::Proven ||
                    (finding.grade == profile::Grade::Likely && id.size() < name.size());
      if (graded && !finding.suppressed && names(id, finding))
        return true;
    }
  return false;
}

} // namespace gpuinstr::options
