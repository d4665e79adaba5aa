// Judges device memory's content on the device, in stream order: the auditor's hands.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_ENGINE_DEVICEHASHER_H
#define GPUINSTR_AUDIT_ENGINE_DEVICEHASHER_H

#include "audit/hash/ContentHash.h"
#include "cuda/operands/CallOperands.h"
#include <cstdint>

namespace gpuinstr::audit {

/// What one audited operation learns: a record in pinned mapped memory that the device fills in
/// stream order. Readable at exit, when CUDA is gone.
struct Reading {
  bool hasBefore = false, hasAfter = false;
  ContentHash before, after;
};

/// A record in use; 0 is none.
using Ticket = uint32_t;

/// Why a hash was not put into a stream. Counted and reported as unverified bytes.
enum class EnqueueResult {
  None,
  Busy,      ///< it might wait beside a kernel: HashScheduling.h
  NoDevice,  ///< no driver, no context, the kernels do not load, or the tool's memory is used up
  Capturing, ///< the stream is under capture
  Full,      ///< all records are waiting for the device
  Failed     ///< the driver refused; after a few in a row the context's engine is off for good
};

/// One for each context, found from the calling thread's current context. All calls are on the
/// thread of the program's call, between its enter and leave; no lock is held while the driver is
/// called, no call waits for the device but finish(). Never cuInit, never another context, each
/// driver call in relaxed capture mode, sticky errors stay the program's.
class DeviceHasher {
public:
  virtual ~DeviceHasher() = default;

  /// Takes a record, or 0 with the reason.
  virtual Ticket begin(EnqueueResult &why) = 0;

  /// Puts a hash of `region` into `stream` (as the program passed it: 0, 1 legacy, 2 per-thread).
  /// `after` chooses which of the record's two places it fills. Linear memory only; width, rows and
  /// slices as in Region, of device or managed memory, or pinned host memory that the device
  /// can read. Does not judge whether it is safe to run now: the auditor does.
  virtual EnqueueResult enqueue(Ticket ticket, bool after, const cuda::Region &region,
                                uint64_t stream) = 0;

  /// Waits until what was put into `stream` for this record is there: blocking calls only. False
  /// when the driver failed.
  virtual bool finish(Ticket ticket, uint64_t stream) = 0;

  /// Stream markers: places in streams, up to and including the hashes put in so far, that other
  /// streams can be put behind. `marker` below Markers; setting one anew moves it.
  static constexpr unsigned Markers = 32;
  virtual bool setMarker(unsigned marker, uint64_t stream) = 0;
  /// What the stream gets from now on waits, on the device, for the marker. False under capture.
  virtual bool putBehind(unsigned marker, uint64_t stream) = 0;
  /// As finish(), but waits for what stands before the marker alone.
  virtual bool finishMarker(Ticket ticket, unsigned marker) = 0;

  /// Whether all that the stream got has ended. Never waits; false when that is not known.
  virtual bool isIdle(uint64_t stream) = 0;
  /// Waits until it has: in blocking calls that would wait for the same.
  virtual bool settle(uint64_t stream) = 0;

  /// Whether all hashes of this ticket are there; never calls CUDA.
  virtual bool arrived(Ticket ticket) const = 0;

  /// What the device has filled so far; never calls CUDA.
  virtual Reading read(Ticket ticket) const = 0;

  /// Gives the record back. One whose hashes are still under way is reused when they arrived.
  virtual void release(Ticket ticket) = 0;

  /// Estimated cost of a hash of this many bytes, nanoseconds on the device plus the launch:
  /// calibrated at the first use. What the governor is asked for.
  virtual uint64_t estimateNs(uint64_t bytes) const = 0;

  /// What a stream of copies loses where two hashes stand between them, beside their own time.
  virtual uint64_t stallNs() const { return 0; }

  /// What the device had left when the engine was made; 0: nobody knows.
  virtual uint64_t bytesLeft() const { return 0; }
  virtual uint64_t deviceBytes() const = 0; ///< taken for scratch and modules
  virtual uint64_t pinnedBytes() const = 0;
};

/// The current context's engine; nullptr when it cannot be had (EnqueueResult::NoDevice). Its own
/// memory stays below the option device_memory, and it takes none when the device has less than
/// twice that left.
///
/// Making one loads a module and registers host memory. The driver may wait for the device in both,
/// and so must not do it while a kernel may be polling for the host: pass `create` only in the
/// leave of a call that blocks anyway, with nothing of the context pending (its first cudaMalloc is
/// the best moment); elsewhere, false finds what is there. While one thread makes an engine, others
/// get nullptr.
DeviceHasher *currentEngine(bool create = true);

/// Before cuCtxDestroy, cuDevicePrimaryCtxReset, cudaDeviceReset: records that arrived stay
/// readable.
void dropEngine(uint64_t context);
/// Whether a context of that handle had one that is gone.
bool hadEngine(uint64_t context);
/// Device memory that the engines of all contexts hold, for the report's own cost.
uint64_t engineDeviceBytes();
/// In a forked child: nothing of the parent's.
void forgetEngines();

} // namespace gpuinstr::audit

#endif
