// Wrappers that call others through virtual functions and pointers to functions hand on as well.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// EXPECT: leak proven function=main line=@made via=@alloc bytes=512
// EXPECT-ALL
// EXPECT-SITE[both]: kind=copy line=@sent via=@device calls=2
// EXPECT-SITE[both]: kind=copy line=@fetched via=@host calls=1
// EXPECT-NO-SITE[both]: line=@send calls>=1
// EXPECT-NO-SITE[both]: line=@fetch calls>=1
// EXPECT-SITE[both]: kind=set line=@cleared via=@set calls=1
// EXPECT-SITE[both]: kind=copy line=@each via=@device calls=3
// EXPECT-REPORT: via virtual.cpp:* Tensor::Tensor, virtual.cpp:* Default::allocate
#include "../Inputs/check.h"

#include <string.h>

struct Allocator {
  virtual ~Allocator() = default;
  virtual void allocate(void **memory, size_t bytes) = 0;
  virtual void release(void *memory) = 0;
};
struct Default : Allocator {
  void allocate(void **memory, size_t bytes) override {
    CHECK(cudaMalloc(memory, bytes)); // @alloc
  }
  void release(void *memory) override { CHECK(cudaFree(memory)); }
};

struct Channel {
  virtual ~Channel() = default;
  virtual void copy(void *to, const void *from, size_t bytes) = 0;
};
struct ToDevice : Channel {
  void copy(void *to, const void *from, size_t bytes) override {
    CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice)); // @device
  }
};
struct ToHost : Channel {
  void copy(void *to, const void *from, size_t bytes) override {
    CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost)); // @host
  }
};

class Tensor {
public:
  Tensor(Allocator &allocator, size_t bytes) : allocator(allocator), bytes(bytes) {
    allocator.allocate(&memory, bytes); // @tensor
  }
  ~Tensor() { allocator.release(memory); }
  void send(Channel &channel, const void *from) { channel.copy(memory, from, bytes); } // @send
  void fetch(Channel &channel, void *to) { channel.copy(to, memory, bytes); }          // @fetch
  void change(void (*by)(void *, size_t)) { by(memory, bytes); }
  void *data() { return memory; }

private:
  Allocator &allocator;
  size_t bytes;
  void *memory = nullptr;
};

static void clear(void *memory, size_t bytes) {
  CHECK(cudaMemset(memory, 0, bytes)); // @set
}

// No wrapper: a loop of its own.
static void sendParts(Channel &channel, char *to, char *from) {
  for (int i = 0; i < 3; ++i) {
    memset(from, i + 7, 16);
    channel.copy(to + 16 * i, from, 16); // @each
  }
}

int main() {
  char host[512], back[512];
  Default allocator;
  ToDevice toDevice;
  ToHost toHost;
  auto *tensor = new Tensor(allocator, sizeof host); // @made
  for (int i = 0; i < 2; ++i) {
    memset(host, i + 1, sizeof host);
    tensor->send(toDevice, host); // @sent
  }
  tensor->fetch(toHost, back); // @fetched
  tensor->change(clear);       // @cleared
  sendParts(toDevice, static_cast<char *>(tensor->data()), host);
#ifdef FIXED
  delete tensor;
#endif
  puts("done");
}
