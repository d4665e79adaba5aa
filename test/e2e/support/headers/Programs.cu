// What most programs here include, precompiled by pch.py. Clang itself puts cuda_runtime.h before each CUDA source.
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utility>
#include <vector>
