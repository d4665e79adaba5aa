// What the findings of a profile rest on.
// SPDX-License-Identifier: Apache-2.0
#include "lookup/Evidence.h"
#include "base/text/CodeName.h"
#include "base/text/Printable.h"
#include "lookup/SiteIndex.h"

namespace gpuinstr::cli {

using profile::Finding;

namespace {

/// "compared: 5 on the device, 3 by what the host sent, last after 1.23 s; 8 unchanged". A
/// download's bytes are the host's in the end.
std::string looksText(const Finding &f) {
  std::string text = "compared: " + std::to_string(f.checked - f.host_checked);
  text += f.direction == profile::TransferDirection::DeviceToHost ? " before and after"
                                                                  : " on the device";
  if (f.host_checked)
    text += ", " + std::to_string(f.host_checked) + " by what the host sent";
  if (f.last_look_ns)
    text += ", the last " + timeText(double(f.last_look_ns)) + " after the start";
  return text + "; unchanged: " + std::to_string(f.unchanged);
}

std::string kernelLines(const Finding &f, const SiteIndex &sites) {
  if (f.kernels.empty())
    return f.checked ? "  no kernel launch had the address\n" : "";
  std::string out = "  kernels that had the address, and what their code does with it:\n";
  for (const profile::KernelUse &use : f.kernels) {
    const profile::Site *site = sites[use.site];
    std::string name = site ? shortenName(printable(site->callee), 40) : "?";
    out += "    " + name + "  " + placeText(site) + "  " + printable(use.access) + "\n";
  }
  return out + (f.more_kernels ? "    and others\n" : "");
}

} // namespace

std::string evidence(const profile::Profile &profile, std::string_view id) {
  SiteIndex sites(profile);
  std::string out;
  for (const Finding &f : profile.findings) {
    if (f.pattern.text() != id)
      continue;
    out += (out.empty() ? "" : "\n") + placeText(sites.shown(f)) + "  " +
           printable(f.grade.text()) + "  " + findingText(f) + "\n";
    if (f.checked)
      out += "  " + looksText(f) + "\n";
    if (!f.direction.empty())
      out += kernelLines(f, sites);
  }
  return out.empty() ? "no " + std::string(id) + " in this profile\n" : out;
}

} // namespace gpuinstr::cli
