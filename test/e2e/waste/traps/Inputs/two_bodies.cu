// The second unit of two_bodies.cu, which is linked behind it.
#include "two_bodies.h"

void addElsewhere(const float *in, float *out, float limit) {
  add<float><<<64, 256>>>(in, out, limit);
  scale<float><<<64, 256>>>(in, out);
}
