#pragma once
#define FROM_A_FILE 1
__device__ inline void chosen(int *flag) { *flag = 1; }
