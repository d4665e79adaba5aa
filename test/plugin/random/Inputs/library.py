# Random device code: CUDA's library classes, inline PTX, and pointers that travel as bytes.
# SPDX-License-Identifier: Apache-2.0

# As in phrases.py. U64 is a number of 64 bits, the macros stand in library.h.
_SWAPPED = "struct A { float *p; U64 n; }; struct B { U64 n; float *p; };"
LIBRARY = (
    "{ __half y = __float2half(0.001f * M); y += __half(1.5f); *P = __half2float(y); }",
    "reinterpret_cast<__half *>(P)[J & 7] = __half(1.5f);", "{ __half2 *y = reinterpret_cast<__half2 *>(P); y[1] = __hadd2(y[1], y[0]); }",
    "{ __half y[4] = {}; y[J & 3] = 2.5f; memcpy(P, y, 8); }", "{ __half2 y[2]; memcpy(y, &X, 8); **(float **)y += 1; }",
    "cuda::atomic_ref<float, cuda::thread_scope_device>(P[J & 7]).fetch_add(V);", "{ cuda::atomic_ref<float> y(*P); y.store(M); }",
    "*P = cuda::atomic_ref<float>(P[1]).load() + 1;", "cuda::atomic_ref<int>(*reinterpret_cast<int *>(P)).exchange(7);",
    "{ cuda::atomic_ref<float *> y(X); y.store(P); X[J & 7] += 1; }", "{ cuda::atomic_ref<float *> y(X); *y.load() = V; }",
    "{ float y = M; cuda::atomic_ref<float> z(P[2]); z.compare_exchange_strong(y, 1.5f); P[1] = y; }",
    "{ cuda::std::complex<float> y(M, V); y *= 2.f; P[J & 7] = y.imag(); }", "reinterpret_cast<cuda::std::complex<float> *>(P)[1] += 0.5f;",
    "*reinterpret_cast<cuda::std::complex<float> *>(P) = *reinterpret_cast<cuda::std::complex<float> *>(P) * 2.f;",
    "{ cuda::std::array<float *, 2> y{P, P}; y[J & 1] = P; *y[1] += 1; }", "{ cuda::std::array<float *, 2> y{P, P}; for (float *z : y) z[J & 7] += 1; }",
    "{ auto &y = *reinterpret_cast<cuda::std::array<float, 4> *>(P); y[J & 3] = V; }", "{ cuda::std::array<S2, 2> y{S2{P, P}, S2{P, P}}; y[J & 1].w(J); }",
    "{ cuda::std::span<float> y(P, 8); y[J & 7] += 1; }", "{ cuda::std::span<const float> y(P, 8); X[0] = y[J & 7]; }",
    "{ cuda::std::span<float> y(P, 8), z = y.subspan(2); for (float &w : z) w += 1; }", "{ cuda::std::span<float> y(P, 8); y = {P, 4}; y[1] = V; }",
    "{ float *y[2] = {P, P}; cuda::std::span<float *> z(y, 2); z[J & 1] = P; *y[0] += 1; }",
    "{ cuda::std::tuple<float *, int> y{P, 1}; cuda::std::get<0>(y) = P; *cuda::std::get<0>(y) += 1; }", "cuda::std::swap(X, Y);", "cuda::std::swap(P[0], P[1]);",
    "{ void *y = &X; *(float **)y = P; *X = V; }", "{ void *y = &X, *z = y; memcpy(z, &Y, 8); *X = V; }", "{ void *y = &X; float *z = *(float **)y; *z += 1; }",
    "{ S2 y{P, P}; void *z = &y; ((float **)z)[1] = P; y.b[J & 7] += 1; }", "{ const void *y = P; *(float *)const_cast<void *>(y) = V; }",
    "*(float **)same(&X) = P; *X = V;", "{ float *y = *(float **)same(&X); *y = V; }", "((float *)same(P))[J & 7] = V;", "{ W0 y{&X}; *(float **)y.v = P; *X += 1; }",
    "{ W1 y(&X); **(float **)y.v += 1; }", "{ W1 y(P); ((float *)y.v)[J & 7] += 1; }", "{ char y[8]; memcpy(y, &X, 8); float *z; memcpy(&z, y, 8); *z += 1; }",
    "{ unsigned y[2]; memcpy(y, &X, 8); float *z; ((unsigned *)&z)[0] = y[0]; ((unsigned *)&z)[1] = y[1]; *z += 1; }", "{ enum { E = 3 }; P[E] = V; }",
    "{ U64 y; memcpy(&y, &X, 8); *(float *)(y + 4) += 1; }", "{ U64 y = (U64)P; auto z = [&] { return (float **)&y; }; **z() += 1; }",
    f"{{ {_SWAPPED} A y{{P, (U64)P}}; B z = __builtin_bit_cast(B, y); *z.p += 1; }}", f"{{ {_SWAPPED} A y{{P, (U64)P}}; *reinterpret_cast<B &>(y).p += 1; }}",
    f"{{ {_SWAPPED} A y{{P, (U64)P}}; B z; memcpy(&z, &y, 16); *z.p += 1; }}", "{ S2 y{P, P}; auto z = __builtin_bit_cast(A2, y); z.v[J & 1][1] += 1; }",
    "{ struct z { float *p; ON void w(int i) const { p[i & 7] += 1; } ON float *at(int i) { return p + (i & 7); } }; z y{P}; y.w(J); *y.at(J) = V; }",
    "{ struct z { ON float *&of(float *&p) { return p; } }; z().of(X)[J & 7] = V; }", "P[J & 7] = fmaxf(-INFINITY, V) + (M > INFINITY ? NAN : 0.f);",
    "{ float *y; asBytes(&y, &X, 8); *y += 1; }", "{ S2 y{P, P}; asBytes(&y.a, &X, 8); y.w(J); }", "asBytes(P, P, 8);", "asBytes(P, &X, 8);",
)
# X: numbers in memory that are addresses.
ADDRESSES = (
    "*(float *)X[J & 3] += 1;", "{ float *y; memcpy(&y, X + 1, 8); *y = V; }", "{ float *y = P; void *z = &y; *(U64 *)z = X[1]; *y += 1; }",
    "{ float *y[2]; void *z = y; ((float2 *)z)[1] = ((const float2 *)X)[1]; *y[1] += 1; }", "{ float *y; asBytes(&y, X, 8); *y += 1; }",
    f"{{ {_SWAPPED} A y{{P, X[1]}}; B z = __builtin_bit_cast(B, y); *z.p += 1; }}", f"{{ {_SWAPPED} A y{{P, X[1]}}; B z; memcpy(&z, &y, 16); *z.p += 1; }}",
    f"{{ {_SWAPPED} A y{{P, X[2]}}; *((B *)&y)->p += 1; }}", f"{{ {_SWAPPED} A y{{P, X[2]}}; void *z = &y; *((B *)z)->p += 1; }}",
    "{ U64 y = X[0]; auto z = [&] { return (float **)&y; }; **z() += 1; }", "{ U64 y = X[0]; float **z = (float **)&y; y = X[1]; **z += 1; }",
    "{ cuda::std::array<U64, 2> y{X[0], X[1]}; *(float *)y[J & 1] += 1; }", "{ U64 y = X[2]; cuda::atomic_ref<U64> z(y); *(float *)z.load() += 1; }",
    "{ float *y = P; cuda::atomic_ref<U64> z((U64 &)y); z.store(X[1]); *y += 1; }", "{ float *y = P; void *w = &y; cuda::atomic_ref<U64> z(*(U64 *)w); z.store(X[1]); *y += 1; }",
    "{ union { U64 n; float *p; } y; y.n = X[1]; *y.p += 1; }", "{ void *y = (void *)X[1]; *(float *)y = V; }", "{ S2 y; memcpy(&y.a, X + 1, 8); *y.a += 1; }",
    "{ float *y = P; *(U64 *)same(&y) = X[1]; *y += 1; }", "{ float *y; W1 z(&y); *(U64 *)z.v = X[3]; *y += 1; }", "{ float *y; W0 z{&y}; *(U64 *)z.v = X[3]; *y += 1; }",
    "{ __shared__ float *y[2]; void *z = y; ((U64 *)z)[J & 1] = X[J & 1]; *y[J & 1] += 1; }", "X[0] = X[1];", "X[1] = (U64)P;", "P[0] = float(X[0] & 7);",
    "{ float *y = cuda::std::bit_cast<float *>(X[2]); *y += 1; }", "{ cuda::std::span<U64> y(X, 4); *(float *)y[1] += 1; }", "{ U64 y[2] = {X[0], X[1]}; ((float **)(void *)y)[1][0] += 1; }",
    "{ unsigned *y = (unsigned *)X; *(float *)((U64)y[1] << 32 | y[0]) += 1; }",
)
# In kernels alone: what both sides compile has none.
ASSEMBLY = (
    "{ __shared__ union { float f[8]; int i[8]; } y; y.f[J & 7] = M; P[J & 7] = y.f[J & 7]; }", "{ __shared__ struct { float *f; } y, z[2]; y.f = P; z[J & 1].f = P; *y.f = V; }",
    "ASM_STORE((P), V);", "ASM_STORE((P) + (J & 7), M);", "{ float y; ASM_LOAD(y, (P)); P[J & 7] = y; }", "ASM_RED((P), V);", "ASM_IF((P), V, J);",
    "{ float y = M; ASM_ADD(y, V); *P = y; }", "ASM_LOAD(P[J & 7], (P) + 1);", "ASM_STOREN((P), (U64)X);", "{ float *y; ASM_MOVE(y, X); *y += 1; }",
    "{ float *y; ASM_LOADN(y, &X); *y += 1; }", "{ void *y = &X; ASM_STOREN(y, (U64)P); *X += 1; }", "{ U64 y; ASM_MOVE(y, X); *(float *)y += 1; }",
    "{ float *y = X; ASM_NEXT(y); *y += 1; }", "{ U64 y = (U64)X; ASM_STORE(y, V); }", "while (true) { float y; ASM_LOAD(y, (P)); ROUND; if (!(y > 2048.f)) break; }",
    "{ float y = 9000; while (y > 2048.f) { ROUND; ASM_LOAD(y, (P)); } }", "for (int k = 0; k < 3; ) { float y; ROUND; ASM_LOAD(y, (P)); k += y > 2048.f ? 0 : 1; }",
)
ASSEMBLY_ADDRESSES = (
    "{ float *y = P; void *z = &y; ASM_STOREN(z, X[1]); *y += 1; }", "{ float *y; ASM_LOADN(y, X + 1); *y += 1; }", "ASM_STORE(X[1], V);", "{ float y; ASM_LOAD(y, X[1]); *P = y; }",
    "{ float *y; ASM_STOREN(&y, X[2]); *y += 1; }", "{ float *y; ASM_MOVE(y, X[1]); *y += 1; }", "ASM_RED(X[J & 3], V);",
)
