package fft

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels"
	"gamma/kernels/dd"
	"gamma/kernels/eft"
	"gamma/kernels/internal/cpu"
	"gamma/model/fourier"
)

// onMachine runs f as if the machine had no more than these instructions, if it has them.
func onMachine(t *testing.T, name string, m cpu.Features, f func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		if m.AVX512 && !machine.AVX512 || m.FMA && !machine.FMA {
			t.Skip("this machine has no " + name)
		}
		kept := machine
		defer func() { machine = kept }()
		machine = m
		f(t)
	})
}

// fusedTimes is the product of the assembly: x.re·w.re - RN(x.im·w.im) and x.im·w.re + RN(x.re·w.im), each rounded once.
func fusedTimes[F kernels.Float](x, w single[F]) single[F] {
	return single[F]{eft.FMA(x.re, w.re, -F(x.im*w.im)), eft.FMA(x.im, w.re, F(x.re*w.im))}
}

// twin does what columns does, number by number.
func twin[C number[C]](t *columns[C], x []C, times func(x, w C) C, half C) []C {
	n := len(x)
	matrix, y := make([]C, n), make([]C, n)
	table := append([]C(nil), t.table...)
	if t.code.twist != nil {
		unpack(table)
	}
	for c := range t.cols {
		column := make([]C, t.rows)
		for r := range column {
			column[r] = x[r*t.cols+c]
		}
		for r, v := range twinSteps(t.down, column, times, half) {
			matrix[r*t.cols+c] = times(v, table[r*t.cols+c])
		}
	}
	for r := range t.rows {
		for c, v := range twinSteps(t.along, matrix[r*t.cols:(r+1)*t.cols], times, half) {
			y[r+t.rows*c] = v
		}
	}
	return y
}

// twinSteps makes the passes of one column.
func twinSteps[C number[C]](steps []step[C], x []C, times func(x, w C) C, half C) []C {
	for i, s := range steps {
		y := make([]C, len(x))
		b := pass[C]{r: s.r, small: []C{half}}
		for p := range s.m {
			for j := range s.t {
				var v [maxRadix]C
				for k := range s.r {
					v[k] = x[j+s.t*(p+s.m*k)]
				}
				b.butterfly(&v)
				for k := range s.r {
					leg := k
					if s.inverse {
						leg = (s.r - k) % s.r
					}
					if k > 0 && i < len(steps)-1 {
						v[k] = times(v[k], s.w[(s.r-1)*p+k-1])
					}
					y[j+s.t*(s.r*p+leg)] = v[k]
				}
			}
		}
		x = y
	}
	return x
}

// TestTwins holds the assembly to its twin, bit by bit.
func TestTwins(t *testing.T) {
	avx2, avx512 := cpu.Features{AVX2: true, FMA: true}, cpu.Features{AVX2: true, FMA: true, AVX512: true}
	for name, m := range map[string]cpu.Features{"AVX2": avx2, "AVX-512": avx512} {
		onMachine(t, name, m, func(t *testing.T) {
			for k := 6; k <= 15; k++ {
				for _, inverse := range []bool{false, true} {
					twins(t, 1<<k, inverse, singleFrom[float32], fusedTimes)
					twins(t, 1<<k, inverse, singleFrom[float64], fusedTimes)
					if m.AVX512 && k <= 12 {
						twins(t, 1<<k, inverse, doubleFrom, double.times)
					}
				}
			}
		})
	}
}

func twins[C comparableNumber[C]](t *testing.T, n int, inverse bool, from func(re, im dd.DD64) C, times func(x, w C) C) {
	t.Helper()
	r, radices := vectorised(n, inverse, scaleOf(n, true), from)
	require.NotNil(t, r)
	product := 1
	for _, radix := range radices {
		product *= radix
	}
	require.Equal(t, n, product)
	rng := rand.New(rand.NewPCG(uint64(n), 7))
	word := func() dd.DD64 { return dd.FromPair(rng.Float64()-0.5, 0x1p-54*rng.Float64()) }
	x, y := make([]C, n), make([]C, n)
	for i := range x {
		x[i] = from(word(), word())
	}
	want := twin(r.(*columns[C]), x, times, part(from, 1, 8, 0))
	r.run(y, x)
	for i := range y {
		if y[i] != want[i] {
			t.Fatalf("%d points, inverse %t: value %d is %v, and its twin %v", n, inverse, i, y[i], want[i])
		}
	}
	r.run(x, x)
	require.Equal(t, y, x, "in place")
}

// TestPaths runs the tests of plans on the code for older machines.
func TestPaths(t *testing.T) {
	for name, m := range map[string]cpu.Features{"Go": {}, "AVX2": {AVX2: true, FMA: true}} {
		onMachine(t, name, m, func(t *testing.T) {
			single, wide, _, plain, double := kits()
			for _, n := range []int{64, 1 << 9, 1 << 12, 997} {
				roundTripOf(t, single, n)
				roundTripOf(t, wide, n)
				roundTripOf(t, plain, n)
				roundTripOf(t, double, n)
			}
			p, err := New[complex64](fourier.Transform{N: 256})
			require.NoError(t, err)
			require.Equal(t, m.FMA, p.Algorithm().Fused, fmt.Sprint(m))
		})
	}
}

// comparableNumber is a number that == compares.
type comparableNumber[C any] interface {
	comparable
	number[C]
}
