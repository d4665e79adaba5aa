// A function that makes several members of what it returns, through one wrapper or by itself: each
// has its line and its name.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// EXPECT: leak proven variable=layer.weights function=makeLayer line=@weights via=@made count=1 bytes=256
// EXPECT: leak proven variable=layer.bias function=makeLayer line=@bias via=@made count=1 bytes=128
// EXPECT: leak proven variable=cell->state function=makeCell line=@state caller=@cell count=1 bytes=64
// EXPECT: leak proven variable=cell->input function=makeCell line=@input caller=@cell count=1 bytes=32
// EXPECT: leak proven variable=only function=main line=@only via=@made count=1 bytes=512
// EXPECT-ALL
// EXPECT-REPORT: leak *256 B x1*layer.weights*several.cpp:{@weights}*makeLayer
#include "../Inputs/check.h"

#include <initializer_list>

struct Layer {
  float *weights, *bias;
};
struct Cell {
  float *state, *input;
};

static float *made(size_t n) {
  float *p;
  CHECK(cudaMalloc((void **)&p, n * sizeof *p)); // @made
  return p;
}
static Layer makeLayer(size_t n) {
  Layer layer = {nullptr, nullptr};
  layer.weights = made(n);  // @weights
  layer.bias = made(n / 2); // @bias
  return layer;
}
static Cell *makeCell() {
  auto *cell = new Cell;
  CHECK(cudaMalloc((void **)&cell->state, 64)); // @state
  CHECK(cudaMalloc((void **)&cell->input, 32)); // @input
  return cell;
}
static Layer makeBias(size_t n) {
  Layer layer = {nullptr, nullptr};
  layer.bias = made(n);
  return layer;
}

int main() {
  Layer layer = makeLayer(64);
  Cell *cell = makeCell();    // @cell
  Layer only = makeBias(128); // @only
#ifdef FIXED
  for (float *p : {layer.weights, layer.bias, cell->state, cell->input, only.bias})
    CHECK(cudaFree(p));
#endif
  printf("%d\n", layer.weights != layer.bias && only.bias);
  delete cell;
}
