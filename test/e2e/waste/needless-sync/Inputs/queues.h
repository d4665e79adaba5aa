// Copies and sets that a unit of their own makes.
// SPDX-License-Identifier: Apache-2.0
#ifndef QUEUES_H
#define QUEUES_H

void fill(float *d_x, int byte, int n);
void duplicate(float *to, const float *from, int n);
/// Looks at a clock behind what it queues.
double fillTimed(float *d_x, int byte, int n);
/// Does not return before the copy is made.
void fetch(float *x, const float *d_x, int n);
/// The other end of a time that somebody else began.
double stop();

#endif
