#include <metal_stdlib>
using namespace metal;

// Right: each thread averages four texels of a picture that is twice as large as the grid.
kernel void halve(texture2d<float, access::read> from [[texture(0)]], texture2d<float, access::write> to [[texture(1)]], uint2 i [[thread_position_in_grid]])
{
    if (i.x < to.get_width() && i.y < to.get_height()) {
        to.write((from.read(2 * i) + from.read(2 * i + uint2(1, 0)) + from.read(2 * i + uint2(0, 1)) + from.read(2 * i + 1)) * 0.25f, i);
    }
}

// Right: a picture is turned by a sampler of the host's.
kernel void turn(texture2d<half> from [[texture(0)]], texture2d<half, access::write> to [[texture(1)]], sampler s [[sampler(0)]], uint2 i [[thread_position_in_grid]])
{
    to.write(from.sample(s, (float2(i.yx) + 0.5f) / float2(to.get_height(), to.get_width())), i);
}

// Wrong: threads add their values to a texel that others read, without an order.
kernel void smear(texture3d<uint, access::read_write> t [[texture(0)]], uint3 i [[thread_position_in_grid]])
{
    uint4 x = t.read(i);
    t.write(x + t.read(uint3(i.x ^ 1u, i.y, i.z)), i);
}

// Right: what is written far outside is ignored.
kernel void far(texture2d<int, access::write> t [[texture(0)]], uint2 i [[thread_position_in_grid]])
{
    t.write(int4(1), i + 10000);
}
