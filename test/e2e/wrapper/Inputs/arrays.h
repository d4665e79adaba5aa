// Arrays of any type, in memory that another file allocates.
// SPDX-License-Identifier: Apache-2.0
#ifndef ARRAYS_H
#define ARRAYS_H

#include <stddef.h>

namespace arrays {

namespace detail {
void *allocate(size_t bytes);
void deallocate(void *memory);
} // namespace detail

template <class T> T *create(size_t number) { return static_cast<T *>(detail::allocate(number * sizeof(T))); }
template <class T> T *createOf(const size_t &rows, size_t columns) { return create<T>(rows * columns); }
template <class T> void destroy(T *memory) { detail::deallocate(memory); }

} // namespace arrays

#endif
