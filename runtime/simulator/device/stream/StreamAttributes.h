// Looking at the stream behind a handle.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/stream/Stream.h"

namespace gpuinstr::sim {

/// Runs \p body on the stream behind a handle, with the lock held.
template <typename F> CUresult onStream(CUcontext context, CUstream handle, F &&body) {
  State &s = state();
  Lock l(s.m);
  StreamRef stream;
  CUresult r = resolveStream(s, context, handle, stream);
  return r ? r : body(*stream);
}

/// Stores what \p field returns of the stream in \p out.
template <typename T, typename F>
CUresult readStream(CUcontext context, CUstream handle, T *out, F &&field) {
  return onStream(context, handle, [&](CUstream_st &stream) {
    if (!out)
      return CUDA_ERROR_INVALID_VALUE;
    *out = static_cast<T>(field(stream));
    return CUDA_SUCCESS;
  });
}

inline CUresult getStreamAttribute(CUcontext context, CUstream handle, int attr,
                                   CUlaunchAttributeValue *out) {
  return readStream(context, handle, out, [&](CUstream_st &stream) {
    CUlaunchAttributeValue value = stream.attributes[attr];
    if (attr == CU_LAUNCH_ATTRIBUTE_PRIORITY)
      value.priority = stream.priority;
    return value;
  });
}

inline CUresult setStreamAttribute(CUcontext context, CUstream handle, int attr,
                                   const CUlaunchAttributeValue *value) {
  return onStream(context, handle, [&](CUstream_st &stream) {
    if (!value)
      return CUDA_ERROR_INVALID_VALUE;
    stream.attributes[attr] = *value;
    return CUDA_SUCCESS;
  });
}

inline CUresult copyStreamAttributes(CUcontext context, CUstream dst, CUstream src) {
  std::map<int, CUlaunchAttributeValue> copied;
  CUresult r = onStream(context, src, [&](CUstream_st &stream) {
    copied = stream.attributes;
    return CUDA_SUCCESS;
  });
  return r ? r : onStream(context, dst, [&](CUstream_st &stream) {
    stream.attributes = copied;
    return CUDA_SUCCESS;
  });
}

} // namespace gpuinstr::sim
