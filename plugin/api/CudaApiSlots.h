// The operands of CudaApi.def that are one parameter's value: SLOT_PLAIN(slot, n) makes each.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_API_CUDAAPISLOTS_H
#define GPUINSTR_PLUGIN_API_CUDAAPISLOTS_H

#define DST(n) SLOT_PLAIN(DST, n)
#define SRC(n) SLOT_PLAIN(SRC, n)
#define BYTES(n) SLOT_PLAIN(BYTES, n)
#define STREAM(n) SLOT_PLAIN(STREAM, n)
#define KIND(n) SLOT_PLAIN(KIND, n)
#define HEIGHT(n) SLOT_PLAIN(HEIGHT, n)
#define DPITCH(n) SLOT_PLAIN(DPITCH, n)
#define SPITCH(n) SLOT_PLAIN(SPITCH, n)
#define DEPTH(n) SLOT_PLAIN(DEPTH, n)
#define ARGS(n) SLOT_PLAIN(ARGS, n)
#define PARAMS(n) SLOT_PLAIN(PARAMS, n)
#define FUNC(n) SLOT_PLAIN(FUNC, n)
#define SHARED(n) SLOT_PLAIN(SHARED, n)

#endif
