// os_log writes a note and changes nothing.
#include <metal_stdlib>
#include <metal_logging>
using namespace metal;
constant os_log logger("gamma", "spec");
// run k 0=int[4] -> 0=int[5]
kernel void k(device int *x) {
    *x += 1;
    os_log_default.log("%d, %f and %v4f", *x, 1.5f, float4(1));
    logger.log_debug("%u %x %llu", 3u, 255, 7ul);
    logger.log_error("no number");
}
