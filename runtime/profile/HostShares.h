// What the host's time went into, from the sites of a profile.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PROFILE_HOSTSHARES_H
#define GPUINSTR_PROFILE_HOSTSHARES_H

#include "profile/Profile.h"

namespace gpuinstr::profile {

/// Time in calls by kind, longest first; then YourCode, what is left of
/// the recorded time, where threads that wait side by side do not
/// add up to more than the recorded time. CUDA's own start-up, inside the process's first call and
/// the first of the site that made the context, is told apart. Empty when no call was timed.
std::vector<HostShare> hostShares(const Profile &profile);

} // namespace gpuinstr::profile

#endif
