// What C++ programs without nvcc's or clang's CUDA include, precompiled by pch.py.
#include <atomic>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <thread>
#include <unistd.h>
#include <vector>
