// What the device does for a call: kernel, copy, set or graph; of copies, from where to where.
// SPDX-License-Identifier: Apache-2.0
#include "cuda/operands/DeviceWorkKind.h"

namespace gpuinstr::cuda {

const char *directionName(CopyDirection direction) {
  static constexpr const char *Names[NumCopyDirections] = {"", "H2H", "H2D", "D2H", "D2D"};
  return unsigned(direction) < NumCopyDirections ? Names[unsigned(direction)] : "";
}

} // namespace gpuinstr::cuda
