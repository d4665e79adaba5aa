// Whether a descriptor still is what the program was started with.
// SPDX-License-Identifier: Apache-2.0
//
// A program may close descriptor 2 and open a data file, which gets its number: a report written
// there would destroy data. It may also redirect its stderr to a log, and want the report there.
// By the descriptor alone the two cannot be told apart. So a descriptor counts as the stream only
// where something says so:
// - it is the file that it was when the runtime started;
// - stdout and stderr are one now (2>&1 in the program's own words);
// - the C library's stderr was opened anew, by freopen.
// Else nothing is written there. A report that is missing costs a second run; a data file does not
// come back.
#ifndef GPUINSTR_BASE_SYSTEM_GIVENSTREAMS_H
#define GPUINSTR_BASE_SYSTEM_GIVENSTREAMS_H

namespace gpuinstr {

/// Once, at the start of the runtime: what descriptors below 64 are now.
void rememberGivenStreams();

/// Whether a report may be written there. The second rule holds for 1 and 2 alone, the third for 2.
/// Before anything was remembered all may.
bool isGivenStream(int fd);

} // namespace gpuinstr

#endif
