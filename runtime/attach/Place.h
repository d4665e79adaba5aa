// The place in the program that a driver call comes from, and the site that stands for it.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_ATTACH_PLACE_H
#define GPUINSTR_ATTACH_PLACE_H

#include "attach/driver/DriverCalls.h"
#include "attach/source/PlaceKey.h"

namespace gpuinstr::attach {

/// The place of the call in progress on this thread.
Places currentPlaces(const DriverCall &call);

/// The site of this function at this place, made at first use. Never freed. `pool`: the call sets
/// memory that this pool hands out again and again.
const gpuinstr_site *siteOf(const DriverCall &call, PlaceKey place, const char *pool);
/// The line that called the function with that site.
const gpuinstr_site *callerOf(PlaceKey caller, const gpuinstr_site &called);

} // namespace gpuinstr::attach

#endif
