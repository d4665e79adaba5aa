# What the host got goes back.
# SPDX-License-Identifier: Apache-2.0
# CLEAN
import sys
import numpy as np
import jax
import jax.numpy as jnp
twin = len(sys.argv) > 1
x = jnp.arange(1 << 18, dtype=jnp.float32)
f = jax.jit(lambda x: x * 1.5 + 1)
for step in range(12):
    x = f(x)
    h = np.array(x)
    if twin:
        h = h + 1
    x = jax.device_put(h)  # EXPECT: roundtrip
    x.block_until_ready()
print(float(x.sum()))
