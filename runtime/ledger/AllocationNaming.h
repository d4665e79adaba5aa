// Which of two places gives memory its name: where it was made, or the line that asked for it.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_LEDGER_ALLOCATIONNAMING_H
#define GPUINSTR_LEDGER_ALLOCATIONNAMING_H

#include "calls/sites/Sites.h"

namespace gpuinstr {

/// Of memory that a function hands on, the caller's variable says more: `weights` of
/// Buffer weights(n), not its `this->data`, nor the `p` that an allocator returns. What a function
/// keeps, each of several members that it makes, and every other operation has its own name.
/// nullptr: neither is a site.
const gpuinstr_site *namingSite(SiteIndex site, SiteIndex caller);

/// The caller where it gives the name, or that of the object whose member it is; else 0: any other
/// only led here.
SiteIndex callerThatNames(SiteIndex site, SiteIndex caller);

/// Where the name is a member's: the line that constructs its object, as in `Model model(n);` for
/// model.weights. nullptr: no member, or the line is not known.
const gpuinstr_site *ownerOfMember(SiteIndex site, SiteIndex caller);

/// A call of one of Thrust's algorithms: what it allocates is its own, not what its result is put
/// into. Its vectors' memory is theirs.
bool isThrustAlgorithm(const gpuinstr_site &site);

} // namespace gpuinstr

#endif
