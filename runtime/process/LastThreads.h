// A program whose main thread leaves by pthread_exit ends with its last thread.
// SPDX-License-Identifier: Apache-2.0
//
// The C library counts our background threads among them: with ours waiting, the process would
// never end.
#ifndef GPUINSTR_PROCESS_LASTTHREADS_H
#define GPUINSTR_PROCESS_LASTTHREADS_H

namespace gpuinstr {

/// From the thread that calls it, if it is the main one: `whenItLeaves` runs in it as one of its
/// last acts, where it leaves by pthread_exit. Again after fork. False: this is another thread.
bool watchMainThread(void (*whenItLeaves)());

/// The main thread has left, and of the others only background threads of the runtime remain.
bool onlyBackgroundThreadsRemain();

/// What the C library does when the last thread ends: exit(0), on a stack as programs expect it.
void endAsLastThread();

} // namespace gpuinstr

#endif
