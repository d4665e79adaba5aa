// Walks along Python's frames that a thread has made before.
// SPDX-License-Identifier: Apache-2.0
//
// Frames lie at the same addresses again when the same functions call each other again. A chain
// that is the same, frame by frame, with the same code in each, and with the user's frames at the
// same instructions, has the same lines: the tables of code objects are not touched, nor what a
// code object holds except the user's. So another object of a library's code that came to lie
// exactly where the former one lay would be taken for it: the whole is read anew now and then.
#ifndef GPUINSTR_ATTACH_PYTHON_KNOWNFRAMES_H
#define GPUINSTR_ATTACH_PYTHON_KNOWNFRAMES_H

#include "attach/python/Python.h"
#include "attach/python/PythonCode.h"
#include "attach/source/KeptTable.h"
#include <cstring>

namespace gpuinstr::attach {

/// One word of a frame or of what it leads to, which is known to be there.
inline uint64_t pythonWord(uint64_t address) {
  uint64_t word;
  std::memcpy(&word, reinterpret_cast<const void *>(address), sizeof word);
  return word;
}

/// What a walk found.
struct PythonWalk {
  PythonPlaces places;
  const PythonCode *via = nullptr, *user = nullptr; ///< below the user's frame, and its own
  uint64_t userFrame = 0, callerFrame = 0;          ///< their addresses
};

/// What is compared lies in as few lines of the processor's caches as it takes.
class alignas(64) KnownFrames {
public:
  const void *call = nullptr;
  KeptSites sites;

  /// The walk from the newest frame on; nullptr: it has to be made.
  const PythonWalk *again(const PythonLayout &layout, uint64_t newest) {
    constexpr uint8_t MostUses = 64;
    if (!Count || Uses == MostUses)
      return nullptr;
    ++Uses;
    uint64_t at = newest;
    for (unsigned i = 0; i < Count; ++i) {
      if (at != Steps[i].frame || pythonWord(at + layout.code) != Steps[i].code)
        return nullptr;
      at = pythonWord(at + layout.previous);
    }
    if (HasCaller ? !Caller.isAgain(layout, Steps[Count - 1].frame) : at != 0)
      return nullptr;
    return User.isAgain(layout, Steps[UserAt].frame) ? &Found : nullptr;
  }

  /// False: nothing that can be kept.
  bool keep(const PythonLayout &layout, uint64_t newest, const PythonWalk &walk) {
    Count = Uses = 0;
    if (!walk.userFrame || layout.copies) // a thread's instructions may be exchanged
      return false;
    unsigned count = 0;
    for (uint64_t at = newest; at; at = pythonWord(at + layout.previous)) {
      if (count == Most)
        return false;
      if (at == walk.userFrame)
        UserAt = uint8_t(count);
      Steps[count++] = {at, pythonWord(at + layout.code)};
      if (at == walk.callerFrame)
        break;
    }
    Found = walk;
    User.note(layout, walk.userFrame);
    HasCaller = walk.callerFrame != 0;
    if (HasCaller)
      Caller.note(layout, walk.callerFrame);
    Count = uint8_t(count);
    sites = {};
    return true;
  }

private:
  static constexpr unsigned Most = 32;
  struct Step {
    uint64_t frame, code;
  };

  /// A frame whose line is wanted: where it is, in which code object.
  struct Line {
    uint64_t instruction, fileName, qualName, lineTable;
    uint32_t firstLine;

    static Line of(const PythonLayout &layout, uint64_t frame) {
      constexpr uint64_t Tags = 3, Low = 0xffffffff;
      bool isNumber = layout.age != PythonLayout::Modern;
      uint64_t code = pythonWord(frame + layout.code) & ~Tags;
      return {pythonWord(frame + layout.instruction) & (isNumber ? Low : ~uint64_t(0)),
              pythonWord(code + layout.fileName), pythonWord(code + layout.qualName),
              pythonWord(code + layout.lineTable), uint32_t(pythonWord(code + layout.firstLine))};
    }
    void note(const PythonLayout &layout, uint64_t frame) { *this = of(layout, frame); }
    bool isAgain(const PythonLayout &layout, uint64_t frame) const {
      Line now = of(layout, frame);
      return instruction == now.instruction && fileName == now.fileName &&
             qualName == now.qualName && lineTable == now.lineTable && firstLine == now.firstLine;
    }
  };

  uint8_t Count = 0, Uses = 0, UserAt = 0;
  bool HasCaller = false;
  Line User, Caller;
  Step Steps[Most];
  PythonWalk Found;
};

struct PythonReader;

/// What a thread knows of its Python frames.
struct PythonThread {
  PythonReader *reader = nullptr;
  static constexpr unsigned KnownBits = 8;
  KeptTable<KnownFrames, KnownBits> known;
};

} // namespace gpuinstr::attach

#endif
