// Stands before libstdc++'s where nvcc builds tests: C++17's Bessel functions and the like, which
// <cmath> takes along and no program here calls. Parsed three times by each of nvcc's compiles,
// they take a quarter of its time.
//
// SPDX-License-Identifier: Apache-2.0
