// Peer access that is enabled already is no error.
// SPDX-License-Identifier: Apache-2.0
// ONLY: simulator
// ENV: GPUINSTR_SIM=devices=2:kernels=skip
// EXPECT-CLEAN
// EXPECT-SITE: callee=cudaDeviceEnablePeerAccess line=@again calls=1
// EXPECT-STDOUT: 2 devices
#include "../Inputs/check.h"

int main() {
  int devices = 0, possible = 0;
  CHECK(cudaGetDeviceCount(&devices));
  printf("%d devices\n", devices);
  CHECK(cudaDeviceCanAccessPeer(&possible, 0, 1));
  if (!possible)
    return 0;
  CHECK(cudaDeviceEnablePeerAccess(1, 0));
  cudaDeviceEnablePeerAccess(1, 0); // @again
}
