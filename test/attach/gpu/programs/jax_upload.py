# The same weights in each step.
# SPDX-License-Identifier: Apache-2.0
# CLEAN
import sys
import numpy as np
import jax
import jax.numpy as jnp
twin = len(sys.argv) > 1
weights = np.arange(1 << 18, dtype=np.float32)
x = jnp.ones(1 << 18)
f = jax.jit(lambda x, w: x * 0.5 + w)
for step in range(12):
    if not twin or step == 0:
        w = jax.device_put(weights)  # EXPECT: reupload
    x = f(x, w)
    x.block_until_ready()
print(float(x.sum()))
