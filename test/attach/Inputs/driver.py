# The driver API by ctypes, with a context.
# SPDX-License-Identifier: Apache-2.0
import ctypes

cu = ctypes.CDLL("libcuda.so.1")
cu.cuInit(0)
device, context = ctypes.c_int(), ctypes.c_void_p()
cu.cuDeviceGet(ctypes.byref(device), 0)
cu.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
cu.cuCtxSetCurrent(context)
