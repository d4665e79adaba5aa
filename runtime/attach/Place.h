// The place in the program that a driver call comes from, and the site that stands for it.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_ATTACH_PLACE_H
#define GPUINSTR_ATTACH_PLACE_H

#include "attach/AttachedThread.h"

namespace gpuinstr::attach {

/// The place of the call in progress on this thread; `from` as nativePlaces().
Places currentPlaces(AttachedThread &thread, const DriverCall &call, const StackPosition &from);

struct Sites {
  const gpuinstr_site *site = nullptr;
  const gpuinstr_site *caller = nullptr; ///< the line that called the function with the site
};
struct KnownSites {
  Sites sites;
  bool ofLibrary = false; ///< as Places has it
};

/// The site of this function at this place, and its caller's; made at first use, never freed.
/// `variable`: of device code, which the call sets, or copies to or from; nullptr none.
Sites sitesOf(const DriverCall &call, const Places &places, const char *variable);

/// Both at once, for a call that is made again from where it was made before, and needs nothing
/// else of its place. False: it is another one.
bool sitesAgain(AttachedThread &thread, const DriverCall &call, const StackPosition &from,
                KnownSites &known);

} // namespace gpuinstr::attach

#endif
