// corpus: same -cl-std=CL2.0 -Xclang -finclude-default-header
__kernel void add(__global int *p, int n) { p[get_global_id(0)] += n; }
