// Names that clang's preprocessor answers otherwise for the device.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_CONDITIONS_TARGETNAMES_H
#define GPUINSTR_PLUGIN_AST_CONDITIONS_TARGETNAMES_H

#include "llvm/ADT/StringRef.h"

namespace gpuinstr {

bool isOfTarget(llvm::StringRef Name);

} // namespace gpuinstr

#endif
