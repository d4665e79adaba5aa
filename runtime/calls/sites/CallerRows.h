// Sites that no descriptor of the program stands for: a wrapper's call, for each line that uses it,
// and chains of callers.
// SPDX-License-Identifier: Apache-2.0
//
// A site of a wrapper (GPUINSTR_SITE_WRAPPER) is charged to the line that uses the wrapper: the
// nearest caller that is no wrapper itself. Such a row has an index of its own, so counters,
// samplers, ledger and findings tell the lines apart and know nothing of it. Its descriptor says
// what the call does and where it is used. Each pair of lines makes one, once in the process.
#ifndef GPUINSTR_CALLS_SITES_CALLERROWS_H
#define GPUINSTR_CALLS_SITES_CALLERROWS_H

#include "calls/sites/Sites.h"
#include <vector>

namespace gpuinstr {

struct ThreadState;

/// Sets the root call's site and caller where that is not just the frame's. Frame has a caller.
/// Takes no lock once the lines have met before.
void attributeToCallers(ThreadState &thread, const gpuinstr_frame &frame);

/// Of a wrapper's row: the lines between it and the CUDA call, that call's own line last. Empty for
/// any other site.
std::vector<SiteIndex> viaOf(SiteIndex site);
/// The line that a wrapper's row stands at; 0 for any other site.
SiteIndex userOf(SiteIndex site);
/// Whether the line of a caller is that of Model model(n): its variable is the object.
bool constructs(const gpuinstr_site &line);
/// What its members are called: `model.n`, of one that a new made `model->n`. Without "this->".
std::string memberOf(const gpuinstr_site &line, std::string_view member);
/// Of a call that is GPUINSTR_SITE_THROUGH its function's parameter: what the line that called the
/// function has there, `d_x` for `*out` where it is `&d_x`; where that is its own function's
/// parameter, what the line before has. Empty: nobody knows.
std::string variableAt(SiteIndex caller, const gpuinstr_site &call);
/// Whether what the call makes reaches the user's line as a result; true of what is no row.
bool reachesUser(SiteIndex site);
/// Who called the function of `site`, as its calls name their caller: of a wrapper's row they name
/// the row's own line first. 0 unknown.
SiteIndex callerBeyond(SiteIndex site, SiteIndex caller);
/// The line that called the function of this caller; 0 unknown.
SiteIndex nextCaller(SiteIndex caller);

} // namespace gpuinstr

#endif
