// Lines of Python, read on the calling thread without the interpreter's lock.
// SPDX-License-Identifier: Apache-2.0
//
// Nothing of Python is called but PyGILState_GetThisThreadState, which reads one word of the
// thread's. A thread's own frames do not change while it is inside a call, and keep their code
// objects alive. How frames lie in memory differs by version; a function that Python itself calls
// soon, under its lock, compares what is read here with what Python's own functions say.
#ifndef GPUINSTR_ATTACH_PYTHON_PYTHON_H
#define GPUINSTR_ATTACH_PYTHON_PYTHON_H

#include "attach/source/PlaceKey.h"

namespace gpuinstr::attach {

/// Looks for an interpreter in the process; cheap until there is one. False: no Python, or a
/// version whose frames are not known here.
bool pythonIsHere();

/// An interpreter runs here, known or not: a call without a place in Python has none.
bool pythonRuns();

struct PythonPlaces {
  PlaceKey user, caller;        ///< the innermost two frames that are nobody's library
  const char *keeper = nullptr; ///< a library that frees its memory by itself
  KeptSites *kept = nullptr;    ///< of this thread, where sites are kept that go with these places
};
struct PythonThread; ///< of KnownFrames.h: what this thread knows

PythonPlaces pythonPlaces(PythonThread &thread);
/// The same for a call that is made again and again: the walk is kept, and sites with it.
PythonPlaces pythonPlacesAgain(PythonThread &thread, const void *call);
/// The sites that are kept of such a walk, where this one is like it.
struct PythonSites {
  enum Answer : uint8_t {
    NoFrame,
    Unknown,
    Known
  }; ///< this thread runs no Python; has to be walked
  Answer answer = Unknown;
  const KeptSites *sites = nullptr; ///< where known
};
PythonSites pythonSitesAgain(PythonThread &thread, const void *call);

PlaceText pythonText(PlaceKey place);

/// "" or why lines of Python are missing.
std::string pythonNote();

} // namespace gpuinstr::attach

#endif
