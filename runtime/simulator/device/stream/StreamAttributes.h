// Looking at the stream behind a handle.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/stream/Stream.h"

namespace gpuinstr::sim {

/// Runs \p Body on the stream behind a handle, with the lock held.
template <typename F> CUresult onStream(CUcontext Context, CUstream Handle, F &&Body) {
  State &S = state();
  Lock L(S.M);
  StreamRef Stream;
  CUresult R = resolveStream(S, Context, Handle, Stream);
  return R ? R : Body(*Stream);
}

/// Stores what \p Field returns of the stream in \p Out.
template <typename T, typename F>
CUresult readStream(CUcontext Context, CUstream Handle, T *Out, F &&Field) {
  return onStream(Context, Handle, [&](CUstream_st &Stream) {
    if (!Out)
      return CUDA_ERROR_INVALID_VALUE;
    *Out = static_cast<T>(Field(Stream));
    return CUDA_SUCCESS;
  });
}

inline CUresult getStreamAttribute(CUcontext Context, CUstream Handle, int Attr,
                                   CUlaunchAttributeValue *Out) {
  return readStream(Context, Handle, Out, [&](CUstream_st &Stream) {
    CUlaunchAttributeValue Value = Stream.Attributes[Attr];
    if (Attr == CU_LAUNCH_ATTRIBUTE_PRIORITY)
      Value.priority = Stream.Priority;
    return Value;
  });
}

inline CUresult setStreamAttribute(CUcontext Context, CUstream Handle, int Attr,
                                   const CUlaunchAttributeValue *Value) {
  return onStream(Context, Handle, [&](CUstream_st &Stream) {
    if (!Value)
      return CUDA_ERROR_INVALID_VALUE;
    Stream.Attributes[Attr] = *Value;
    return CUDA_SUCCESS;
  });
}

inline CUresult copyStreamAttributes(CUcontext Context, CUstream Dst, CUstream Src) {
  std::map<int, CUlaunchAttributeValue> Copied;
  CUresult R = onStream(Context, Src, [&](CUstream_st &Stream) {
    Copied = Stream.Attributes;
    return CUDA_SUCCESS;
  });
  return R ? R : onStream(Context, Dst, [&](CUstream_st &Stream) {
    Stream.Attributes = Copied;
    return CUDA_SUCCESS;
  });
}

} // namespace gpuinstr::sim
