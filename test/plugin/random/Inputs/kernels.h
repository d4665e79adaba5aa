// What random kernels are made of: classes, functions, and kernels around closures.
// SPDX-License-Identifier: Apache-2.0
//
// Compiled as CUDA, where each launch is there for its facts, and as C++ with -DOBSERVED, where it
// is run and watched.
#ifndef GPUINSTR_TEST_RANDOM_KERNELS_H
#define GPUINSTR_TEST_RANDOM_KERNELS_H
#include <cstdint>
#include <cstring>
#include <new>
#include <tuple>
#include <utility>
#include "library.h"
#define UNPACK(...) __VA_ARGS__
#ifdef OBSERVED
#include "observe.h"
#else
#include <cuda_runtime.h>
#define LAUNCH(N, KERNEL, ...) UNPACK KERNEL<<<1, 8>>>(3, __VA_ARGS__)
#define ROUND
constexpr int Buffers = 12, Floats = 4096;
float buffer[Buffers][Floats];
float *table[2][4];
#endif
#ifndef ON
#define ON __device__
#endif
__device__ float total;
__device__ float *last;

ON void wrapTo(int &x, int n) {
  while (x < 0) { ROUND; x += n; }
  while (x >= n) { ROUND; x -= n; }
}
ON void countBy(int &x, int &y, const float *p) {
  while (x < 10) { ROUND; y = *p > 2048.f ? 0 : x; ++x; }
}
ON void resetBy(int &x, const float *p) { x = *p > 2048.f ? 0 : x; }
ON int sumOf(const int &a, const int &b) { return a + b; }
ON int *placeOf(int &x) { return &x; }
ON void setTo(int &x, int n) { x = n; }

struct S2 {
  float *a, *b;
  ON void w(int i) const { a[i & 7] += 1; }
  ON float r(int i) const { return b[i & 7]; }
  ON void swap() { float *t = a; a = b; b = t; }
  ON float *const &first() const { return a; }
  ON float *&second() { return b; }
  ON S2 flipped() const { return {b, a}; }
  ON S2 &self() { return *this; }
  ON const S2 &cself() const { return *this; }
  ON float &operator[](int i) const { return a[i & 7]; }
  ON float operator()(int i) const { return b[i & 7]; }
  ON S2 &operator+=(int n) { a += n; return *this; }
  ON float *operator->*(int i) const { return i & 1 ? a : b; }
};
struct OB { S2 *in; };
ON void numberAt(const OB &o, uintptr_t n) { *reinterpret_cast<uintptr_t *>(o.in) = n; }
ON void numberInto(S2 *in, uintptr_t n) { numberAt(OB{in}, n); }
ON void numberOf(float *to, const OB &o) { memcpy(to, o.in, 8); }
ON void numberFrom(float *to, S2 *in) { numberOf(to, OB{in}); }
struct A3 {
  float *v[3];
  ON float *at(int i) const { return v[i % 3]; }
  ON float &operator()(int k, int i) const { return v[k][i & 7]; }
  ON float *&operator[](int k) { return v[k]; }
};
struct M2 {
  mutable float *a, *b;
  ON void swap() const { float *t = a; a = b; b = t; }
};
struct B1 { float *x; ON void wx(int i) const { x[i & 7] += 1; } };
struct B2 { float *y; ON void wy(int i) const { y[i & 7] += 1; } };
struct DD : B1, B2 {
  float *z;
  ON void both(int i) const { wx(i); y[i & 7] += 0.5f * z[i & 7]; }
  ON B2 &second() { return *this; }
};
struct C2 {
  float *a, *b;
  __host__ __device__ C2(float *p, float *q) : a(q), b(p) {}
  __host__ __device__ C2(const C2 &o) : a(o.b), b(o.a) {}
};
struct NE { // members of members, arrays of objects
  S2 s;
  struct In { A3 v; float *z; } in;
  S2 two[2];
  ON auto writer() { return [this](int i) { two[1].a[i & 7] += 1; }; }
  ON auto copied() const { return [*this](int i) { in.z[i & 7] += s.b[i & 7]; }; }
};
struct UN { union { float *a; float *b; }; float *c; };
struct UM { union { float *a; uint64_t n; }; float *c; };
#pragma pack(push, 4)
struct PK { int n; float *a, *b; };
#pragma pack(pop)
struct VI { // a pointer behind defaults and delegated constructors
  float *a, *b = nullptr;
  __host__ __device__ explicit VI(float *p) : a(p) {}
  __host__ __device__ VI(float *p, float *q) : VI(p) { b = q; }
  VI(const VI &) = default;
};
struct VJ : VI { using VI::VI; };
struct CV { float *a; ON operator float *() const { return a; } };
template <class D> struct CR { // a base that knows what it is part of
  ON void wr(int i) { static_cast<D *>(this)->a[i & 7] += 1; }
  ON void to(float *p) { static_cast<D *>(this)->b = p; }
};
struct CD : CR<CD> { float *a, *b; ON const CD &own() const { return *this; } };
struct RF { float &r; float *const c; const float *k; };
struct Putter { ON void operator()(float *p, int i) const { p[i & 7] += 1; } };
struct NU { [[no_unique_address]] Putter e; float *a; S2 s; };
struct A2 { float *v[2]; };
struct V0 { ON virtual void f(float *p, int i) { p[i & 7] += 1; } };
struct V1 : V0 { ON void f(float *p, int i) override { p[0] += 1; } };
struct It {
  float *p;
  int n;
  ON float &operator*() const { return p[n & 7]; }
  ON It &operator++() { ++n; return *this; }
  ON bool operator!=(const It &o) const { return n != o.n; }
};
struct Rng { float *p; ON It begin() const { return {p, 0}; } ON It end() const { return {p, 3}; } };

struct W0 { void *v; };
struct W1 { void *v; ON W1(void *p) : v(p) {} };

ON inline void *same(void *p) { return p; }
ON inline void asBytes(void *to, const void *from, int n) {
  for (int i = 0; i < n; ++i)
    ((char *)to)[i] = ((const char *)from)[i];
}
ON inline void put(float *p, int i) { p[i & 7] += 1; }
ON inline float get(const float *p, int i) { return p[i & 7]; }
ON inline float *sel(float *a, float *b, int i) { return i & 1 ? a : b; }
ON inline float *&selr(float *&a, float *&b, int i) { return i & 1 ? a : b; }
ON inline void setp(float *&x, float *y) { x = y; }
ON inline void setpp(float **x, float *y) { *x = y; }
ON inline void setc(const float *&x, const float *y) { x = y; }
ON inline void swp(float *&x, float *&y) { float *t = x; x = y; y = t; }
ON inline float &elem(float *p, int i) { return p[i & 7]; }
ON inline float *next(float *&p) { return p++; }
ON inline float *keep(float **to, float *p) { float *was = *to; *to = p; return was; }
ON inline void down(float *p, float *q, int n) {
  if (n > 0)
    down(q, p, n - 1);
  else
    p[0] += 1;
}
ON inline float *walk(float *p, float *q, int n) { return n ? walk(q, p, n - 1) : p; }
template <class... A> ON void all(int i, float *p, A... rest) { ((p[i & 7] += rest[i & 7]), ...); }
template <class... A> ON void each(int i, A... p) { ((p[i & 7] += 1), ...); }
template <class... A> ON float *lastOf(A... p) { float *x = nullptr; ((x = p), ...); return x; }
template <int I, class A, class... B> ON auto nth(A a, B... b) {
  if constexpr (I == 0) return a; else return nth<I - 1>(b...);
}
template <class T> ON T &id(T &x) { return x; }
template <class T> ON T val(T x) { return x; }
template <class T> ON void exch(T &x, T &y) { T t = std::move(x); x = std::move(y); y = std::move(t); }
template <class F> ON void app(F f, int i) { f(i); }
template <class F> ON void appr(F &f, int i) { f(i); }
template <class F> ON void appc(const F &f, int i) { f(i); }
template <class F> ON void appf(F &&f, int i) { std::forward<F>(f)(i); }
template <class F> ON auto wrapm(F f) { return [f](int i) mutable { f(i); }; }
template <class F, class G> ON auto both(F f, G g) { return [=](int i) mutable { f(i); g(i); }; }
ON inline auto writer(float *p) { return [p](int i) { p[i & 7] += 1; }; }
ON inline auto mover(float *p, float *q) { return [p, q](int i) { p[i & 7] += 0.5f * q[i & 7]; }; }

template <class F> struct H0 { F f; float *x; };
template <class F> struct H1 { float *x; F f; };
template <class F> struct HA { F f[2]; };
template <class F> struct HN { H1<F> in; H0<F> out[2]; };
template <class F> struct D0 : F { float *x; using F::operator(); };
template <class F> struct D1 : F {
  float *x;
  ON void operator()(int i) { F::operator()(i); x[i & 7] += 1; }
};
template <class F, class G> struct Two : F, G {};
template <class F> struct Fn { F f; ON void operator()(int i) { f(i); } };
template <class F> struct Hold { F f; ON F &get() { return f; } ON Hold(const F &g) : f(g) {} };

#define I int(n - 3 + threadIdx.x)
#define T1 template <int N, class F> __global__ void
#define T2 template <int N, class F, class G> __global__ void
T1 kn(int n, F f) { f(I); }
T1 kn_ref(int n, F f) { F &g = f; g(I); }
T1 kn_cref(int n, F f) { const F &g = f; const_cast<F &>(g)(I); }
T1 kn_copy(int n, F f) { F g = f; g(I); }
T1 kn_move(int n, F f) { F g = std::move(f); g(I); f(I); }
T1 kn_app(int n, F f) { app(f, I); }
T1 kn_appr(int n, F f) { appr(f, I); }
T1 kn_appf(int n, F f) { appf(f, I); appf(std::move(f), I); }
T1 kn_ptr(int n, F f) { F *g = &f; (*g)(I); g->operator()(I); }
T1 kn_lam(int n, F f) { [&] { f(I); }(); }
T1 kn_lamc(int n, F f) { auto h = [f](int j) mutable { f(j); }; h(I); }
T1 kn_id(int n, F f) { id(f)(I); val(f)(I); }
T1 kn_arr(int n, F f) { F g[2] = {f, f}; g[I & 1](I); }
T1 kn_loop(int n, F f) { for (int k = 0; k < n; ++k) f(k); }
T1 kn_half(int n, F f) { if (I < 4) f(I); else f(n); }
T1 kn_hold(int n, F f) { Hold<F> h(f); h.get()(I); }
T1 kn_h0(int n, H0<F> h) { h.f(I); }
T1 kn_h1(int n, H1<F> h) { h.f(I); }
T1 kn_h0x(int n, H0<F> h) { h.f(I); h.x[I & 7] += 1; }
T1 kn_h0p(int n, H0<F> h) { float *&x = h.x; ++x; h.f(I); *x += 1; }
T1 kn_hn(int n, HN<F> h) { h.in.f(I); h.out[1].x[I & 7] += h.out[0].x[I & 7]; }
T1 kn_hn2(int n, HN<F> h) { H0<F> g = h.out[I & 1]; g.f(I); }
T1 kn_ha(int n, HA<F> h) { h.f[0](I); }
T1 kn_ha1(int n, HA<F> h) { h.f[1](I); }
T1 kn_hai(int n, HA<F> h) { h.f[I & 1](I); }
T1 kn_har(int n, HA<F> h) { for (F &f : h.f) f(I); }
T1 kn_d0(int n, D0<F> h) { h(I); }
T1 kn_d0b(int n, D0<F> h) { static_cast<F &>(h)(I); }
T1 kn_d1(int n, D1<F> h) { h(I); }
T1 kn_fn(int n, Fn<F> h) { h(I); }
T1 kn_as(int n, F f, F g) { memcpy(&f, &g, sizeof f); f(I); }
T1 kn_cond(int n, F f, F g) { (I & 1 ? f : g)(I); }
T1 kn_sw(int n, F f, F g) { F *x = I & 1 ? &f : &g; (*x)(I); }
T2 kn_two(int n, Two<F, G> t) { static_cast<F &>(t)(I); }
T2 kn_twog(int n, Two<F, G> t) { static_cast<G &>(t)(I); }
T2 kn_fg(int n, F f, G g) { f(I); g(I); }
T2 kn_both(int n, F f, G g) { both(f, g)(I); }
T2 kn_only(int n, F f, G g) { if (I < 100) f(I); else g(I); }
T2 kn_asm(int n, F f, G g) { g(I); F h = f; h(I); f(I); }
T2 kn_tie(int n, F f, G g) { auto h = [&](int j) { f(j); g(j); }; appr(h, I); }
template <int N, class... A> __global__ void kn_pack(int n, A... a) { each(I, a...); }
template <int N, class... A> __global__ void kn_packf(int n, A... f) { (f(I), ...); }
template <int N, class... A> __global__ void kn_packl(int n, A... a) { [&](auto *p, auto... b) { all(I, p, b...); }(a...); }
#undef I
#endif
