// & and * and -> of pointers, differences of pointers, comparisons.
#include <metal_stdlib>
using namespace metal;

struct P {
    int x, y;
};
// run k 0=int[1 2 3 4] 1=int*4 -> 0=int[1 2 30 4] 1=int[4 1 1 30]
kernel void k(device P *p, device int *o) {
    device P *q = p + 1;
    q->x = 30;
    o[0] = (*q).y;
    o[1] = &q->y - &q->x;
    o[2] = q > p && &p[1] == q;
    thread int t = q->x;
    thread int *r = &t;
    o[3] = *r;
}
