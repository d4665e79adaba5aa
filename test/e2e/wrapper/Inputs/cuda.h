/* darknet's way: helpers in C, whose calls a function checks that asks for earlier errors, too. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
float *cuda_make_array(const float *x, size_t n);
void cuda_push_array(float *x_gpu, const float *x, size_t n);
void cuda_push_waited(float *x_gpu, const float *x, size_t n);
void cuda_free(float *x_gpu);
#ifdef __cplusplus
}
#endif
