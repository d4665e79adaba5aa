# A constant window in each step, and a spectrum that goes to the host and back.
# SPDX-License-Identifier: Apache-2.0
# CLEAN
import sys
import numpy as np
import cupy as cp
twin = len(sys.argv) > 1
n = 1 << 20
signal = np.random.default_rng(1).standard_normal(n).astype(np.float32)
window = np.hanning(n).astype(np.float32)
kept = cp.asarray(window)
total = 0
for step in range(40):
    s = cp.asarray(signal + step)
    w = kept if twin else cp.asarray(window)  # EXPECT: reupload|noop-copy
    spectrum = cp.abs(cp.fft.rfft(s * w))
    host = cp.asnumpy(spectrum)
    if not twin:
        spectrum = cp.asarray(host)  # EXPECT: roundtrip
    total += float(spectrum.max())
print(total)
