package msl_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl"
)

// quantisedLines returns a source of the shape that libraries of quantised products have: for each of so many layouts of blocks two functions that take a block apart, and
// kernels, templates over the type of the vector, the rows of a simdgroup and the simdgroups of a threadgroup; and their number.
func quantisedLines(layouts int, rows, simdgroups []int) (source string, kernels int) {
	var s strings.Builder
	s.WriteString("#include <metal_stdlib>\nusing namespace metal;\n")
	s.WriteString("template <typename T> inline T sum_of(T v) { return simd_sum(v); }\n")
	for n := range layouts {
		bits := 2 + n%7
		fmt.Fprintf(&s, "struct block_%[1]d {\n    half d;\n    half m;\n    uchar q[%[2]d];\n};\n", n, 4*bits)
		fmt.Fprintf(&s, "template <typename T>\ninline void dequantise_%d(device const block_%d &b, thread T (&out)[32]) {\n", n, n)
		fmt.Fprintf(&s, "    const T d = T(b.d);\n    const T m = T(b.m);\n")
		for i := range 32 {
			at := i * bits
			fmt.Fprintf(&s, "    out[%d] = d * T((uint(b.q[%d]) | uint(b.q[%d]) << 8) >> %d & %du) + m;\n", i, at/8, min(at/8+1, 4*bits-1), at%8, 1<<bits-1)
		}
		fmt.Fprintf(&s, "}\ninline float dot_%d(device const block_%d &b, thread const float (&x)[32]) {\n    float s = 0;\n", n, n)
		for i := range 32 {
			fmt.Fprintf(&s, "    s += x[%d] * float(b.q[%d] >> %d & 3);\n", i, i*bits/8, i%4)
		}
		fmt.Fprintf(&s, `    return s * float(b.d) + float(b.m);
}
template <typename T, int R, int G>
kernel void mul_mv_%[1]d(device const block_%[1]d *w [[buffer(0)]],
                         device const T *x [[buffer(1)]],
                         device T *dst [[buffer(2)]],
                         constant uint &k [[buffer(3)]],
                         constant uint &m [[buffer(4)]],
                         uint at [[threadgroup_position_in_grid]],
                         uint lane [[thread_index_in_simdgroup]],
                         uint group [[simdgroup_index_in_threadgroup]]) {
    const uint first = (at * G + group) * R;
    float total[R] = {0};
    for (uint g = lane; g < k / 32; g += 32) {
        float v[32];
        for (uint i = 0; i < 32; i++) {
            v[i] = float(x[32 * g + i]);
        }
        for (uint r = 0; r < R; r++) {
            if (first + r < m) {
                float out[32];
                dequantise_%[1]d<float>(w[(first + r) * (k / 32) + g], out);
                for (uint i = 0; i < 32; i++) {
                    total[r] += out[i] * v[i];
                }
                total[r] += dot_%[1]d(w[(first + r) * (k / 32) + g], v);
            }
        }
    }
    for (uint r = 0; r < R; r++) {
        const float s = sum_of(total[r]);
        if (lane == 0 && first + r < m) {
            dst[first + r] = T(s);
        }
    }
}
`, n)
		for _, t := range []string{"float", "half", "bfloat"} {
			for _, r := range rows {
				for _, g := range simdgroups {
					fmt.Fprintf(&s, "template [[host_name(\"mul_mv_%[1]d_%[2]s_%[3]d_%[4]d\")]] [[kernel]] decltype(mul_mv_%[1]d<%[2]s, %[3]d, %[4]d>) mul_mv_%[1]d<%[2]s, %[3]d, %[4]d>;\n", n, t, r, g)
					kernels++
				}
			}
		}
	}
	return s.String(), kernels
}

// BenchmarkLibraries compiles sources of the size of public ones, and lowers every kernel: ggml's has 12,000 lines with 606 kernels, MLX's quantized.metal 2,052 kernels. These are
// written by quantisedLines.
func BenchmarkLibraries(b *testing.B) {
	for _, c := range []struct {
		name             string
		layouts          int
		rows, simdgroups []int
	}{
		{"606", 101, []int{1, 2}, []int{2}},
		{"2052", 57, []int{1, 2, 4, 8}, []int{1, 2, 4}},
	} {
		b.Run(c.name, func(b *testing.B) {
			src, kernels := quantisedLines(c.layouts, c.rows, c.simdgroups)
			for b.Loop() {
				lib, err := msl.Compile(src, msl.Options{})
				require.NoError(b, err)
				require.Len(b, lib.Functions(), kernels)
				for _, f := range lib.Functions() {
					_, err := lib.Kernel(f.Name, nil)
					require.NoError(b, err)
				}
			}
			b.ReportMetric(peak(b), "MB")
			b.ReportMetric(float64(strings.Count(src, "\n")), "lines")
		})
	}
}

// peak returns the most memory that this process had, in MB, where the system says it.
func peak(b *testing.B) (most float64) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if _, err := fmt.Sscanf(line, "VmHWM: %f kB", &most); err == nil {
			return most / 1024
		}
	}
	b.Log("the system does not say how much memory a process had")
	return 0
}
