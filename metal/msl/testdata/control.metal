// Statements.
#include <metal_stdlib>
using namespace metal;

enum Op { OP_ADD, OP_SUB, OP_MUL, OP_NEG = 10 };
int apply(Op op, int a, int b) {
    switch (op) {
        case OP_ADD: return a + b;
        case OP_SUB: return a - b;
        case OP_MUL: {
            int r = a * b;
            return r;
        }
        default: break;
    }
    return -a;
}
// run ops threads=4 0=int[0 1 2 10] 1=int*4 -> 1=int[13 7 30 -10]
kernel void ops(device const int *op, device int *out, uint i [[thread_position_in_grid]]) {
    out[i] = apply(Op(op[i]), 10, 3);
}

// Fallthrough, and break out of a loop's switch with continue.
// run falls threads=5 0=int*5 -> 0=int[7 6 4 0 7]
kernel void falls(device int *out, uint i [[thread_position_in_grid]]) {
    int r = 0;
    switch (i % 4) {
        case 0: r += 1;
        case 1: r += 2;
        case 2: r += 4; break;
        case 3: if (r == 0) break; r = 99;
    }
    out[i] = r;
}

// run loops threads=3 0=uint*3 -> 0=uint[25 25 11]
kernel void loops(device uint *out, uint i [[thread_position_in_grid]]) {
    uint s = 0;
    for (uint k = 0;; k++) {
        if (k % 2 == 0) continue;
        if (k > 9) break;
        s += k;
        switch (k) {
            case 3: if (i == 2) { s = 1; continue; } break;
            case 5: if (i == 2) s += 5;
        }
        if (i == 2 && k == 5) break;
    }
    out[i] = s;
}

// do, while, comma, nested loops left by a flag, ++ and -- as values.
// run whiles threads=2 0=int*2 -> 0=int[21 27]
kernel void whiles(device int *out, uint i [[thread_position_in_grid]]) {
    int n = 0, k = 5;
    do {
        n += k--;
    } while (k > 0);
    while (n < 20) n++, k++;
    bool done = false;
    for (int a = 0; a < 3 && !done; a++)
        for (int b = 0; b < 3; b++) {
            if (a * b == int(i) * 2) {
                n += a + b * 2;
                done = true;
                break;
            }
        }
    int m = n++;
    out[i] = n + (m - n) * 0 + int(i);
}

// Early returns from functions in loops, recursion replaced by a template.
int find(device const int *x, int n, int what) {
    for (int i = 0; i < n; i++) {
        if (x[i] == what) return i;
        if (x[i] > what) return -1;
    }
    return -2;
}
// run finds threads=4 0=int[2 4 6 8] 1=int[6 2 5 9] 2=int*4 -> 2=int[2 0 -1 -2]
kernel void finds(device const int *x, device const int *what, device int *out, uint i [[thread_position_in_grid]]) {
    out[i] = find(x, 4, what[i]);
}

// Ternaries, short circuits that guard memory, chained comparisons.
// run guards threads=4 0=int[1 0 3] 1=int*4 -> 1=int[1 -1 1 -2]
kernel void guards(device const int *x, device int *out, uint i [[thread_position_in_grid]]) {
    bool in = i < 3 && x[i] > 0;
    out[i] = in ? (x[i] & 1) : i >= 3 || x[i] < 0 ? -2 : -1;
}

// Locals without initialiser that every path writes.
// run late threads=3 0=int*3 -> 0=int[5 10 15]
kernel void late(device int *out, uint i [[thread_position_in_grid]]) {
    int a, b;
    if (i == 0) {
        a = 5;
        b = 0;
    } else {
        b = 5 * int(i);
        a = 5;
    }
    out[i] = a + b;
}
