// Names and texts of the error codes.
// SPDX-License-Identifier: Apache-2.0
#include "common/ErrorTexts.h"

#include <algorithm>
#include <iterator>

namespace gpuinstr::sim {

namespace {
/// Sorted by value.
constexpr ErrorText Table[] = {
#define GPUINSTR_ERROR(Value, RuntimeName, DriverName, Text) {Value, RuntimeName, DriverName, Text},
#include "common/ErrorTexts.def"
#undef GPUINSTR_ERROR
};
} // namespace

const ErrorText *errorText(int value) {
  auto found = std::lower_bound(std::begin(Table), std::end(Table), value,
                                [](const ErrorText &e, int v) { return e.value < v; });
  return found != std::end(Table) && found->value == value ? found : nullptr;
}

} // namespace gpuinstr::sim
