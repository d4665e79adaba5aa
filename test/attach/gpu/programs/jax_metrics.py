# A metric's table that the host keeps, and sends again with each evaluation.
# SPDX-License-Identifier: Apache-2.0
import sys
import numpy as np
import jax
import jax.numpy as jnp
twin = len(sys.argv) > 1
table = np.random.default_rng(2).random((512, 512), dtype=np.float32)
kept = jax.device_put(table)
score = jax.jit(lambda x, t: jnp.abs(x @ t).mean())
total = 0.0
for batch in range(20):
    x = jnp.full((64, 512), batch + 1, dtype=jnp.float32)
    t = kept if twin else jax.device_put(table)  # EXPECT: reupload
    total += float(score(x, t))
print(total)
