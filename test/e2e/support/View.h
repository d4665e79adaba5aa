// Looks into a profile the way expectations speak of it.
// SPDX-License-Identifier: Apache-2.0
//
// The checker reads the JSON itself, not through the runtime's own reader: a profile that only its
// writer understands must fail here.
#ifndef GPUINSTR_TEST_E2E_VIEW_H
#define GPUINSTR_TEST_E2E_VIEW_H

#include "Spec.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace gpuinstr::e2e {

/// The entry of `sites` with this id, nullptr when there is none.
const nlohmann::json *siteOf(const nlohmann::json &profile, const std::string &id);

/// All objects of one subject: findings, sites, devices ...
std::vector<const nlohmann::json *> objectsOf(Subject subject, const nlohmann::json &profile);

/// A finding that totals count and that can fail a run or stands under LIKELY.
bool counts(const nlohmann::json &finding);

bool satisfies(const Condition &condition, const nlohmann::json &value);
bool matches(const Expectation &e, const nlohmann::json &profile, const nlohmann::json &object);

/// The name of the first condition that \p object does not meet; "" when it meets all.
std::string firstDifference(const Expectation &e, const nlohmann::json &profile,
                            const nlohmann::json &object);

/// One line in the notation of the expectations.
std::string describe(Subject subject, const nlohmann::json &profile, const nlohmann::json &object);
std::string spell(const Expectation &e);

} // namespace gpuinstr::e2e

#endif
