// extern declares constants and functions that the program defines further below.
#include <metal_stdlib>
using namespace metal;

extern constant int answer;
extern constant int list[3];
extern int twice(int);
int get() { return twice(answer) + list[1]; }
constant int answer = 42;
constant int list[3] = {1, 2, 3};
int twice(int x) { return 2 * x; }
extern constant int answer;
// run k 0=int*1 -> 0=int[86]
kernel void k(device int *o) { *o = get(); }
