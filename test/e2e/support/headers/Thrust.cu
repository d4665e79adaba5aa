// What programs with Thrust include, precompiled by pch.py: parsing it takes most of the time of compiling them.
#include "Programs.cu"

#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/sort.h>
