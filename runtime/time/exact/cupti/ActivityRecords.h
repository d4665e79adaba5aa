// CUPTI's buffers: pooled, tagged with the thread that fills them, and read.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_EXACT_CUPTI_ACTIVITYRECORDS_H
#define GPUINSTR_TIME_EXACT_CUPTI_ACTIVITYRECORDS_H

#include "time/exact/cupti/Cupti.h"
#include "time/exact/cupti/DeviceRecord.h"
#include "time/exact/cupti/Overheads.h"

namespace gpuinstr::timing {

/// False: a kind that is not looked at.
bool readRecord(const void *record, DeviceRecord &to);
/// False: no overhead, or one whose time is not known. Reads a record once: frees what it owns.
bool readOverhead(const void *record, OverheadRecord &to);

/// Whose records a buffer holds, and the how-manieth of that thread's buffers it is.
struct BufferTag {
  void *owner = nullptr; ///< nullptr: a thread that never ran instrumented code
  uint64_t number = 0;
};

/// Any thread. nullptr: no memory, and CUPTI drops records.
uint8_t *takeBuffer(const BufferTag &tag, size_t &size);
/// The tag of a buffer that came back; its first `valid` bytes are cleared and it is used again.
BufferTag tagOf(const uint8_t *buffer);
void giveBackBuffer(uint8_t *buffer, size_t valid);

} // namespace gpuinstr::timing

#endif
