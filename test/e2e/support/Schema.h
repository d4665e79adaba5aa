// Validates JSON against the part of JSON Schema that docs/profile.schema.json uses.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TEST_E2E_SCHEMA_H
#define GPUINSTR_TEST_E2E_SCHEMA_H

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace gpuinstr::e2e {

/// Messages `/sites/0/line: ...`; empty when \p value is valid. A schema keyword that is not
/// understood is a message too: a rule that is never applied must not look kept.
std::vector<std::string> validate(const nlohmann::json &schema, const nlohmann::json &value);

} // namespace gpuinstr::e2e

#endif
