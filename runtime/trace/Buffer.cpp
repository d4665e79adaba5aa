// A thread's records on their way to the writing thread: a ring with one producer and one consumer.
// SPDX-License-Identifier: Apache-2.0
#include "trace/Buffer.h"
#include "base/OwnMemory.h"
#include <new>
#include <sys/mman.h>

namespace gpuinstr::trace {

// Mapped, not allocated: pages come as they are used, and the program's allocator is left alone.
Buffer *Buffer::make(uint32_t capacity, uint32_t index, uint32_t tid) {
  std::size_t bytes = std::size_t(capacity) * sizeof(Record);
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return nullptr;
  auto *buffer = new (std::nothrow) Buffer(capacity, index, tid, static_cast<Record *>(memory));
  if (!buffer)
    munmap(memory, bytes);
  else
    noteOwnMapping(int64_t(bytes));
  return buffer;
}

void Buffer::destroy(Buffer *buffer) {
  std::size_t bytes = std::size_t(buffer->Capacity) * sizeof(Record);
  munmap(buffer->Records, bytes);
  noteOwnMapping(-int64_t(bytes));
  delete buffer;
}

} // namespace gpuinstr::trace
