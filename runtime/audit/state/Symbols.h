// Device variables: where a symbol that the program copies to or from lies on the device.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_STATE_SYMBOLS_H
#define GPUINSTR_AUDIT_STATE_SYMBOLS_H

#include "audit/state/Auditor.h"

namespace gpuinstr::audit {

/// Gives the side of a COPY_SYMBOL that is the symbol its device address, where it is known. True
/// when it is, or was no symbol's copy.
bool placeSymbol(cuda::CallOperands &operation, uint64_t context);

/// After a copy that went well: asks the CUDA runtime for the symbol's place, once, and makes it a
/// range that every kernel may read and write. False where a runtime linked statically hides it.
bool learnSymbol(const cuda::CallOperands &operation, uint64_t context, int device);

/// No kernel can write the symbol's variable: constant memory, and nobody asked for an address.
bool isReadOnlySymbol(const cuda::CallOperands &operation);

/// The runtime was asked for its place and would not say.
bool isHiddenSymbol(const cuda::CallOperands &operation, uint64_t context);

void forgetSymbols();
/// Those of the library with that address go with it, and so do their variables: the next one that
/// is loaded there has others.
void dropSymbolsOf(const void *inside);
void lockSymbols(); ///< around a fork, behind the auditor's lock
void unlockSymbols();

/// After a call that told where a variable lies: from now on it is a range as any other, which
/// every kernel may read and write.
void learnVariable(const Call &call, uint64_t context, int device);
/// The same of the program's own variable, whose place the CUDA runtime told. Not of a library's,
/// which may be unloaded unseen, nor where a runtime linked statically hides the size.
void learnPlace(uint64_t symbol, uint64_t place, uint64_t context, int device);
/// After a module or library was unloaded: its variables are gone.
void dropVariablesOf(uint64_t owner);
/// The range of one goes. With the lock held.
void variableGone(const Range &range);
void forgetVariables();

} // namespace gpuinstr::audit

#endif
