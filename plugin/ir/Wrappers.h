// Which functions are wrappers: their callers' lines get the rows.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_IR_WRAPPERS_H
#define GPUINSTR_PLUGIN_IR_WRAPPERS_H

#include "ir/SitePlanner.h"

namespace gpuinstr {

/// A wrapper hands on to CUDA, or to another wrapper, what it was given, what its object holds or
/// what it returns: Buffer::upload, Matrix::Matrix, launch(kernel, ...). It names no kernel itself,
/// has no such call in a loop, and not more than two of one kind that one run may make: a function
/// that does has a job of its own, and its lines say more than its caller's. So is what wrapper=
/// names, whatever it does. Nor is a constructor that makes several members a wrapper: each keeps
/// its line and its name, which GPUINSTR_SITE_RECEIVES at the allocation says. So does a function
/// that fills several members of an object that it makes, or receives for several places from one
/// function. Flags the sites of wrappers, and their lines that call other ones.
void markWrappers(std::vector<PlannedFunction> &Planned, ModuleView &View,
                  const CudaReachability &Reaching, DescriptorEmitter &Sites);

} // namespace gpuinstr

#endif
