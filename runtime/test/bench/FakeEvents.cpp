// Events for the stand-in for libcuda: with them the runtime takes device times, and asks which
// lines a graph was captured from. SPDX-License-Identifier: Apache-2.0
#define ENTRY extern "C" __attribute__((visibility("default"))) int

ENTRY cuEventCreate(void **event, unsigned) {
  static char place;
  *event = &place;
  return 0;
}
ENTRY cuEventRecord(void *, void *) { return 0; }
ENTRY cuEventQuery(void *) { return 0; }
ENTRY cuEventElapsedTime(float *ms, void *, void *) {
  *ms = 0.005f;
  return 0;
}
