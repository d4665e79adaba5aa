// Wrappers of wrappers, through a base class, in a lambda and again in themselves: the row is that
// of the line which is in none of them.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// EXPECT: leak proven variable=kept function=main line=@kept via=@Inputs/buffer.h:alloc count=1 bytes=256
// EXPECT-ALL
// EXPECT-SITE[both]: kind=copy line=@direct via=@Inputs/buffer.h:upload calls=1
// EXPECT-SITE[both]: kind=copy line=@virtual via=@Inputs/buffer.h:upload calls=2
// EXPECT-SITE[both]: kind=free callee=cudaFree line=@list via=@released via-function=Node::release calls=3
// EXPECT-SITE[both]: kind=set line=@lambda via=@set calls=1
// EXPECT-SITE[both]: kind=copy line=@loop via=@twice calls=3
// EXPECT-NO-SITE[both]: line=@twice calls>=1
// EXPECT-NO-SITE[both]: line=@Inputs/buffer.h:fill calls>=1
// EXPECT-REPORT: leak *256 B x1*kept*chain.cpp:{@kept}*main
// EXPECT-REPORT: via buffer.h:* Matrix::Matrix, buffer.h:* Buffer<float>::Buffer
#include "Inputs/buffer.h"

#include <memory>

struct Node {
  std::unique_ptr<Node> next;
  void *memory = nullptr;
  void release() {
    CHECK(cudaFree(memory)); // @released
    if (next)
      next->release();
  }
};

static void copy(float *to, const float *from, size_t n) {
  CHECK(cudaMemcpy(to, from, n * sizeof(float), cudaMemcpyHostToDevice)); // @twice
}

// No wrapper: it has a loop of its own.
static void fill(float *to, std::vector<float> &from) {
  for (int i = 0; i < 3; ++i) {
    from[i] = float(i) + 9.0f;
    copy(to, from.data(), from.size()); // @loop
  }
}

int main() {
  std::vector<float> host(64, 1.0f);
  auto *kept = new Matrix(64); // @kept
  kept->fill(host);            // @direct
  Source *source = kept;
  for (int i = 0; i < 2; ++i) {
    host[i] = float(i) + 5.0f;
    source->fill(host); // @virtual
  }
  fill(kept->data(), host);
  auto clear = [](float *x) {
    CHECK(cudaMemset(x, 0, 256)); // @set
  };
  clear(kept->data()); // @lambda
  Node head;
  Node *last = &head;
  for (int i = 0; i < 3; ++i) {
    if (i) {
      last->next = std::make_unique<Node>();
      last = last->next.get();
    }
    CHECK(cudaMalloc(&last->memory, 64));
  }
  head.release(); // @list
#ifdef FIXED
  delete kept;
#endif
  puts("done");
}
