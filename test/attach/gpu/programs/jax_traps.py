# Constants made on the device: silent.
# SPDX-License-Identifier: Apache-2.0
# CLEAN
import jax
import jax.numpy as jnp
f = jax.jit(lambda z, o, e: z + o + e)
total = 0
for step in range(20):
    z = jnp.zeros(1 << 18)
    o = jnp.ones(1 << 18)
    e = jnp.full(1 << 18, 7.0)
    total += float(f(z, o, e).sum())
print(total)
