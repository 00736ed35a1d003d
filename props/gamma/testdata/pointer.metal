struct Arrays { device float* x; };
kernel void scaled(constant Arrays& p, device float* dst, uint i [[thread_position_in_grid]]) { dst[i] = 2.0f * p.x[i]; }
