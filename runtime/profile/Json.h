// The profile as JSON of docs/profile.schema.json.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PROFILE_JSON_H
#define GPUINSTR_PROFILE_JSON_H

#include "profile/Profile.h"
#include <string>
#include <string_view>

namespace gpuinstr::profile {

/// Indented JSON with a newline at the end. Bytes that are not UTF-8 become U+FFFD; a figure that
/// is not finite becomes 0. Throws only std::bad_alloc.
std::string toJson(const Profile &profile);

/// Replaces `profile`. Missing and unknown fields are fine (a missing one keeps its default); text
/// that is not JSON, another schema, a newer version or a wrong type is one line in `error`, and
/// `profile` stays as it was.
bool fromJson(std::string_view text, Profile &profile, std::string &error);

} // namespace gpuinstr::profile

#endif
