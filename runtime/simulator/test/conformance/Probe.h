// Prints what CUDA answers, one line for each question, so that a real device and the simulator can
// be compared line by line. Conformance.expected holds the answers of a real device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <string>

/// Prints "<section>: <question> -> <error name>".
#define ASK(Call) answer(#Call, (Call))
#define ASK_DRIVER(Call) answerDriver(#Call, (Call))
/// Prints a number under the question as written.
#define SHOW(Expression)                                                                           \
  std::printf("%s: %s = %lld\n", section(), #Expression, (long long)(Expression))

const char *section(const char *Name = nullptr);
cudaError_t answer(const char *Question, cudaError_t E);
CUresult answerDriver(const char *Question, CUresult R);

/// Launches an empty kernel of one int parameter.
cudaError_t launchEmpty(cudaStream_t Stream, unsigned Grid = 1, unsigned Block = 1,
                        size_t Shared = 0);

/// A host function that waits until the gate opens; for work that is pending while we ask.
struct Gate {
  volatile bool Open = false;
  static void wait(void *Self);
};

void probeMemory();
void probeCopies();
void probePointers();
void probePools();
void probeLaunches();
void probeStreams();
void probeCapture();
void probeAftermath();
void probeGraphs();
void probeDevice();
void probeDriver();
void probeReset();
void probeFork();
