// What a line of Python hands to its library's threads to be sent.
// SPDX-License-Identifier: Apache-2.0
//
// JAX's device_put asks the driver what memory the array lies in, and a thread of XLA's copies it
// into pinned memory and sends it. No frame of Python is on that thread's stack: that the bytes are
// the same tells whose upload it is.
#ifndef GPUINSTR_ATTACH_HANDEDOVER_H
#define GPUINSTR_ATTACH_HANDEDOVER_H

#include "attach/Place.h"

namespace gpuinstr::attach {

/// CUPTI's number of cuPointerGetAttributes.
extern const uint32_t PointerQuestion;

/// In its enter, on any thread; `parameters` as CUPTI has them. Gives the address asked about.
uint64_t notePointerQuestion(AttachedThread &thread, const void *parameters);

/// In the enter of each copy. The sites of an upload for the line that handed it over, from a
/// thread without a frame of Python (`isOfLibrary`); no site: no line did.
Sites handedOver(AttachedThread &thread, const DriverCall &call, const gpuinstr_frame &frame,
                 bool isOfLibrary);

} // namespace gpuinstr::attach

#endif
