// Decides which device operations are timed, and puts the events around them.
// SPDX-License-Identifier: Apache-2.0
//
// The hot path of an operation that is not timed is one countdown in the thread's counters of the
// site. Some operations of every site are timed densely at first, then ever more rarely: the stride
// grows with the samples and with how little time lies between two operations, and it is drawn at
// random about its mean, so that a program's own period cannot meet it.
#ifndef GPUINSTR_TIME_SAMPLED_SAMPLER_H
#define GPUINSTR_TIME_SAMPLED_SAMPLER_H

#include "calls/CallHooks.h"
#include "calls/threads/Thread.h"
#include <atomic>
#include <string>
#include <vector>

namespace gpuinstr::timing {

/// False: the options leave no budget for it.
bool startSampling();

/// For good.
void stopSampling();

/// In enter, when it is the operation's turn: puts the first event in. Sets thread.timed where it
/// did.
void beginTimed(ThreadState &thread, const gpuinstr_frame &frame);
/// In leave, first of all: the second event.
void endTimed(ThreadState &thread, const gpuinstr_frame &frame, bool failed);
/// The timed call was left by an exception.
void dropTimed(ThreadState &thread);

/// In a forked child: the streams were the parent's.
void forgetDependents();

/// While CUDA is alive: reads what the device has finished.
void collectSamples();
/// What was left out, for coverage.notes.
std::vector<std::string> samplingNotes();

/// 0 shortest stride: the level (log2 of the mean stride) after `due` turns when operations lie
/// `periodNs` apart and timing one costs `costNs`.
/// `dense`: a site's first operations that are all timed, whatever it costs, see denseTurns().
unsigned levelFor(uint64_t due, double periodNs, double costNs, double share, uint64_t dense);
/// Of a process in which so many sites put work into streams. Where there are many, few of them
/// have more than a small share of the time.
uint64_t denseTurns(uint64_t sites);

/// The level after a turn at `level` for which nothing could be timed.
unsigned backOffLevel(unsigned level, double periodNs);

} // namespace gpuinstr::timing

#endif
