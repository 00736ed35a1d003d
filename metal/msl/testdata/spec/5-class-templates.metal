// Templates of classes, with partial specialisation.
#include <metal_stdlib>
using namespace metal;

template <typename T, int N> struct Stack {
    T v[N];
    int n = 0;
    void push(T x) { v[n++] = x; }
    T pop() { return v[--n]; }
};
template <typename T> struct Stack<T, 1> {
    T v;
    void push(T x) { v = x; }
    T pop() { return v; }
};
// run k 0=int*3 -> 0=int[6 5 9]
kernel void k(device int *o) {
    Stack<int, 4> s;
    s.push(5);
    s.push(6);
    o[0] = s.pop();
    o[1] = s.pop();
    Stack<int, 1> t;
    t.push(9);
    o[2] = t.pop();
}
