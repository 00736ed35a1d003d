package msl_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl"
	"gamma/model"
)

// floats are the bytes of numbers.
func floats(list ...float32) []byte {
	b := []byte{}
	for _, x := range list {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// grid is a matrix as the tests compute with it: columns of numbers.
type grid [][]float32

func newGrid(cols, rows int, at func(c, r int) float32) grid {
	g := make(grid, cols)
	for c := range g {
		g[c] = make([]float32, rows)
		for r := range g[c] {
			g[c][r] = at(c, r)
		}
	}
	return g
}

func (g grid) transposed() grid {
	return newGrid(len(g[0]), len(g), func(c, r int) float32 { return g[r][c] })
}

// times is g·h, the products of an element in the order of g's columns.
func (g grid) times(h grid) grid {
	return newGrid(len(h), len(g[0]), func(c, r int) float32 {
		sum := float32(g[0][r] * h[c][0])
		for k := 1; k < len(g); k++ {
			sum += float32(g[k][r] * h[c][k])
		}
		return sum
	})
}

func (g grid) flat() []float32 {
	var list []float32
	for _, column := range g {
		list = append(list, column...)
	}
	return list
}

const matrixSource = `#include <metal_stdlib>
using namespace metal;
template <typename T, int C, int R> void put(device float *&o, matrix<T, C, R> m) {
  for (int c = 0; c < C; c++)
    for (int r = 0; r < R; r++) *o++ = m[c][r];
}
template <typename T, int N> void put(device float *&o, vec<T, N> v) { for (int i = 0; i < N; i++) *o++ = v[i]; }
void put(device float *&o, bool b) { *o++ = b; }
kernel void k(device float *o, device const float *a, device const float *b, constant %[1]s%[2]dx%[3]d &c, device %[1]s%[2]dx%[3]d *d) {
  using M = %[1]s%[2]dx%[3]d;
  threadgroup M shared;
  M m, n(%[1]s(0));
  for (uint i = 0; i < %[2]d; i++)
    for (uint j = 0; j < %[3]d; j++) { m[i][j] = *a++; n[i][j] = *b++; }
  const %[1]s s = m[0][1];
  put(o, m + n); put(o, m - n); put(o, -m); put(o, +m); put(o, m * s); put(o, 3 * m);
  put(o, m * transpose(n)[1]); put(o, n[1] * m); put(o, m * transpose(n)); put(o, transpose(m));
  put(o, m == n); put(o, m == m); put(o, m != n);
  shared = m; shared += n; put(o, shared);
  d[1] = c; d[1] -= m; d[1] *= s; put(o, d[1]);
  thread M &last = m; last *= 2; put(o, last);
  put(o, c[1]); put(o, M(2)); put(o, %[4]s%[2]dx%[3]d(n));
}
`

// TestMatrices runs every operator on every shape of matrix.
func TestMatrices(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, kind := range []string{"float", "half"} {
		for shape := range 9 {
			cols, rows := 2+shape/3, 2+shape%3
			t.Run(fmt.Sprintf("%s%dx%d", kind, cols, rows), func(t *testing.T) {
				draw := func(c, r int) float32 {
					if kind == "half" { // small enough that no result is rounded
						return float32(rng.IntN(17) - 8)
					}
					return rng.Float32() - 0.5
				}
				other, round := "half", func(x float32) float32 { return x }
				if kind == "half" {
					other = "float"
				} else {
					round = func(x float32) float32 { return toHalf(x) }
				}
				m, n, k := newGrid(cols, rows, draw), newGrid(cols, rows, draw), newGrid(cols, rows, draw)
				s := m[0][1]
				each := func(f func(c, r int) float32) []float32 { return newGrid(cols, rows, f).flat() }
				var want []float32
				for _, part := range [][]float32{
					each(func(c, r int) float32 { return m[c][r] + n[c][r] }), each(func(c, r int) float32 { return m[c][r] - n[c][r] }),
					each(func(c, r int) float32 { return -m[c][r] }), m.flat(), each(func(c, r int) float32 { return m[c][r] * s }),
					each(func(c, r int) float32 { return 3 * m[c][r] }), m.times(n.transposed()[1:2]).flat(),
					m.transposed().times(n[1:2]).flat(), m.times(n.transposed()).flat(), m.transposed().flat(),
					{0, 1, 1},
					each(func(c, r int) float32 { return m[c][r] + n[c][r] }), each(func(c, r int) float32 { return float32(k[c][r]-m[c][r]) * s }),
					each(func(c, r int) float32 { return 2 * m[c][r] }), k[1], each(func(c, r int) float32 {
						if c == r {
							return 2
						}
						return 0
					}), each(func(c, r int) float32 { return round(n[c][r]) }),
				} {
					want = append(want, part...)
				}
				lib, err := msl.Compile(fmt.Sprintf(matrixSource, kind, cols, rows, other), msl.Options{})
				require.NoError(t, err)
				r := &runLine{
					file: "matrices", name: "k", groups: model.Size3{X: 1, Y: 1, Z: 1}, threads: model.Size3{X: 1, Y: 1, Z: 1},
					in: map[int][]byte{
						0: make([]byte, 4*len(want)), 1: floats(m.flat()...), 2: floats(n.flat()...), 3: laidOut(kind, k), 4: make([]byte, 2*len(laidOut(kind, k))),
					},
					want: map[int][]byte{0: floats(want...)},
				}
				r.everywhere(t, lib)
			})
		}
	}
}

// toHalf rounds a number of less than 1 to binary16.
func toHalf(x float32) float32 {
	_, exp := math.Frexp(float64(x))
	unit := math.Ldexp(1, max(exp-11, -24))
	return float32(math.RoundToEven(float64(x)/unit) * unit)
}

// laidOut is a matrix in memory: a column of three elements takes the room of four.
func laidOut(kind string, g grid) []byte {
	b := []byte{}
	for _, column := range g {
		for r := range 2 + (len(column)-1)/2*2 {
			x := float32(0)
			if r < len(column) {
				x = column[r]
			}
			if kind == "half" { // whole numbers below 16
				b = binary.LittleEndian.AppendUint16(b, halfBits(x))
				continue
			}
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
		}
	}
	return b
}

// halfBits are the bits of a number that is one of binary16, and no subnormal one.
func halfBits(x float32) uint16 {
	if x == 0 {
		return 0
	}
	frac, exp := math.Frexp(math.Abs(float64(x)))
	bits := uint16(frac*2048)&1023 | uint16(exp+14)<<10
	if x < 0 {
		bits |= 1 << 15
	}
	return bits
}
