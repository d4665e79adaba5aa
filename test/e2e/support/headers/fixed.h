// Stands for -DFIXED where headers are precompiled: clang wants one for each set of macros of the
// command line.
#define FIXED 1
