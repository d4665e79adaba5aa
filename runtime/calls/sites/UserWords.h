// What a wrapper's function calls its operands, in the words of the line that uses it.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CALLS_SITES_USERWORDS_H
#define GPUINSTR_CALLS_SITES_USERWORDS_H

#include "calls/sites/Sites.h"
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpuinstr {

/// Buffer<float>::Buffer
bool isConstructor(std::string_view callee);
/// A member of the own object: this->weights.
bool isMember(std::string_view variable);
/// The names of its function's parameters, up to a null; nullptr unknown.
const char *const *parametersOf(const gpuinstr_site &site);

/// What the call's function names so, in the words of the line that called it. Empty: nobody knows.
std::string namedAt(const gpuinstr_site &line, const gpuinstr_site &call, std::string_view text);
/// `line.weights` for `this->weights` of the object whose function the line calls; as it is, where
/// that is the line's own. Empty: which object that is, nobody knows.
std::string memberAt(const gpuinstr_site &line, std::string_view member);

/// What is written inside the wrapper, in the words of the line that uses it.
class UserWords {
public:
  /// lines: that which calls the function that has the call, and so on, up to the user's.
  /// isNamed: they say what each function's parameters are.
  UserWords(const gpuinstr_site &call, const gpuinstr_site *const *lines, unsigned user,
            bool isNamed);

  /// What the call's function returns, of which `part` is a part, becomes `receiver`.
  void addResult(std::string_view part, std::string_view receiver);
  /// Whether the text begins with something that the line gives, behind `*`.
  bool isGiven(std::string_view text) const;
  /// `weights.data()` for `h.data()`, `grid.u` for `g->u` and `grid->u` for `(*g)->u`, where g is
  /// `&grid`.
  std::string of(std::string_view text) const;
  /// `grid.halo` for `this->halo`.
  std::string ofVariable(std::string_view text) const;
  /// As the source has it, where nobody knows the object.
  std::string ofArgument(std::string_view text) const;

private:
  /// `parts[0].ptr` for `parts[k].ptr`: a member has its own name.
  std::string behindFirst(std::string_view member) const;
  std::string ofMember(std::string_view member, unsigned first) const;
  bool enter(const gpuinstr_site &inside, unsigned i);
  std::string given(std::string_view word) const;

  const gpuinstr_site &Call;
  const gpuinstr_site *const *Lines; ///< the caller's; User + 1 of them
  unsigned User;
  bool IsNamed;
  std::vector<std::pair<std::string_view, std::string>> Words;
};

} // namespace gpuinstr

#endif
