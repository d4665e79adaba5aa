// Places in compiled code: return addresses, and what is known of them.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_ATTACH_NATIVE_NATIVE_H
#define GPUINSTR_ATTACH_NATIVE_NATIVE_H

#include "attach/native/FrameRules.h"
#include "attach/source/PlaceKey.h"

namespace gpuinstr::attach {

/// Unwinds to the innermost function that is neither CUDA's, a vendor's nor the interpreter's, and
/// to its caller. `onlyPool`: only to say which allocator stands on the stack. `from`: a function
/// below which nothing counts.
Places nativePlaces(const StackPosition &from, bool onlyPool);
PlaceText nativeText(PlaceKey place);
/// Where libraries were unloaded, what comes to lie at their addresses is looked up anew.
void noteUnloads();

/// A place of a thread without a frame of Python: the library that the call came from.
PlaceKey libraryOf(PlaceKey place);
bool isLibrary(PlaceKey place);

} // namespace gpuinstr::attach

#endif
