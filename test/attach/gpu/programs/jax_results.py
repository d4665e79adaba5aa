# A step's output and its loss, as the host wants them: other ones each time, so silent, and judged.
# SPDX-License-Identifier: Apache-2.0
# CLEAN
import numpy as np
import jax
import jax.numpy as jnp
weights = jnp.linspace(0, 1, 1 << 18, dtype=jnp.float32)
step = jax.jit(lambda w, b: (w * 0.99 + b, (w * b).sum()))
rng = np.random.default_rng(1)
total = 0.0
for i in range(40):
    weights, loss = step(weights, jax.device_put(rng.random(1 << 18, dtype=np.float32)))
    total += float(loss) + float(np.asarray(weights)[i])
print(total)
