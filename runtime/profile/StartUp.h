// CUDA's one-time costs, apart from what calls usually take.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PROFILE_STARTUP_H
#define GPUINSTR_PROFILE_STARTUP_H

#include "profile/Profile.h"

namespace gpuinstr::profile {

/// First launches of kernels at one site; the usual part of a launch is in `ns`.
struct FirstLaunches {
  std::string site;
  uint64_t kernels = 0, ns = 0;
};

/// Completes process.startup from the profile's sites. Wants context_ns (of the whole calls),
/// context_site, and with method "cupti" jit_ns and loading_ns.
void fillStartUp(Profile &profile, const std::vector<FirstLaunches> &launches);

/// Whether a function loads device code.
bool loadsModule(const std::string &callee);

} // namespace gpuinstr::profile

#endif
