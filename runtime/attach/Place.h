// The place in the program that a driver call comes from, and the site that stands for it.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_ATTACH_PLACE_H
#define GPUINSTR_ATTACH_PLACE_H

#include "attach/driver/DriverCalls.h"
#include "attach/native/FrameRules.h"
#include "attach/source/PlaceKey.h"

namespace gpuinstr::attach {

/// The place of the call in progress on this thread; `from` as nativePlaces().
Places currentPlaces(const DriverCall &call, const StackPosition &from);

struct Sites {
  const gpuinstr_site *site = nullptr;
  const gpuinstr_site *caller = nullptr; ///< the line that called the function with the site
};
/// The site of this function at this place, and its caller's; made at first use, never freed.
/// `variable`: of device code, which the call sets, or copies to or from; nullptr none.
Sites sitesOf(const DriverCall &call, const Places &places, const char *variable);

} // namespace gpuinstr::attach

#endif
