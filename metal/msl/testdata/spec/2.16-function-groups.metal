// [[function_groups]] says which functions a call of a table may reach; a plain call is as it was.
#include <metal_stdlib>
using namespace metal;

[[function_groups("group1")]] int twice(int x) { return 2 * x; }
// run k 0=int[4] -> 0=int[8]
kernel void k(device int *x) { *x = twice(*x); }
