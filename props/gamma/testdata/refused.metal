kernel void broken(device float* out) { out[0] = nosuch; }
