// Number-theoretic transforms over 64-bit primes, a stage a dispatch, and the fault of doing all stages in one.
#include <metal_stdlib>
using namespace metal;

struct Stage {
    ulong q;    // the modulus, odd, below 2^63
    ulong qinv; // -1/q mod 2^64
    uint half_; // distance of a butterfly's two elements
};

// a·b/2^64 mod q in [0, q), for a·b < q·2^64.
static inline ulong mont_mul(ulong a, ulong b, ulong q, ulong qinv) {
    ulong lo = a * b;
    ulong hi = mulhi(a, b);
    ulong m = lo * qinv;
    ulong t = hi + mulhi(m, q) + (lo != 0 ? 1UL : 0UL);
    return t >= q ? t - q : t;
}

// One stage of a decimation in time; w[half_ + j] is the j-th root of the stage, times 2^64.
// Threads: one a butterfly, in threadgroups of any size. Barriers: none.
kernel void ntt_stage(device ulong *x [[buffer(0)]],
                      device const ulong *w [[buffer(1)]],
                      constant Stage &p [[buffer(2)]],
                      uint id [[thread_position_in_grid]]) {
    const ulong q = p.q;
    const uint half_ = p.half_;
    uint j = id & (half_ - 1);
    uint i = 2 * (id - j) + j;
    ulong u = x[i];
    ulong t = mont_mul(x[i + half_], w[half_ + j], q, p.qinv);
    ulong s = u + t;
    x[i] = s >= q ? s - q : s;
    x[i + half_] = u < t ? u + q - t : u - t;
}

// The fault: every stage of a decimation in frequency in one dispatch (n = 4, q = 17, root 4), with a barrier that orders
// the threads of one threadgroup alone.
// Threads: 2. Barriers: one after the first stage.
kernel void ntt_all_stages(device uint *x [[buffer(0)]],
                           uint id [[thread_position_in_grid]]) {
    const uint q = 17;
    for (uint half_ = 2; half_ > 0; half_ /= 2) {
        uint j = id & (half_ - 1);
        uint i = 2 * (id - j) + j;
        uint w = j == 0 ? 1 : 4;
        uint u = x[i];
        uint v = x[i + half_];
        x[i] = (u + v) % q;
        x[i + half_] = (u + q - v) * w % q;
        threadgroup_barrier(mem_flags::mem_device);
    }
}
