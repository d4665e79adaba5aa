// Places in compiled code: return addresses, and what is known of them.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_ATTACH_NATIVE_NATIVE_H
#define GPUINSTR_ATTACH_NATIVE_NATIVE_H

#include "attach/native/FrameRules.h"
#include "attach/source/PlaceKey.h"

namespace gpuinstr::attach {

/// What is looked for on the stack: the innermost function that is neither CUDA's, a vendor's nor
/// the interpreter's, and its caller; it alone; only which allocator stands there.
enum class WalkFor : uint8_t { PlaceAndCaller, Place, Pool };

struct NativeThread; ///< of KnownWalks.h: what this thread knows

/// Unwinds from a function below which nothing counts.
Places nativePlaces(NativeThread &thread, const StackPosition &from, WalkFor wanted);
/// The same for a call that is made again and again: the walk is kept, and sites with it.
Places nativePlacesAgain(NativeThread &thread, const StackPosition &from, WalkFor wanted,
                         const void *call);
/// The sites that are kept of such a walk, where this one is like it. nullptr: it has to be made.
const KeptSites *nativeSitesAgain(NativeThread &thread, const StackPosition &from, WalkFor wanted,
                                  const void *call);
PlaceText nativeText(PlaceKey place);
/// The function that the place's was inlined into, at its call; none: the place's function is one
/// of the stack.
PlaceKey inlinedInto(PlaceKey place);
/// Of a library that communicates with other processes and keeps this memory: a part of its path.
/// nullptr: none.
const char *communicatorOf(const char *pool);
/// Where libraries were unloaded, what comes to lie at their addresses is looked up anew.
void noteUnloads();

/// A place of a thread without a frame of Python: the library that the call came from.
PlaceKey libraryOf(PlaceKey place);
bool isLibrary(PlaceKey place);

} // namespace gpuinstr::attach

#endif
