package props

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/eft"
	"gamma/model"
	"gamma/model/modular"
	"gamma/props/judge"
)

// power returns x^e mod q.
func power(q, x, e uint64) uint64 {
	z := 1 % q
	for ; e > 0; e >>= 1 {
		if e&1 == 1 {
			z = z * x % q
		}
		x = x * x % q
	}
	return z
}

// TestReducedResidues: moduli, words, and exponents, which are no residues, become the smallest that fail, whether the kernel is wrong or
// breaks, on one row or on a batch.
func TestReducedResidues(t *testing.T) {
	value := lawNamedOf(t, judge.ModularLaws(), model.MontValue)
	for name, tt := range map[string]struct {
		moduli modular.Moduli
		fault  func(q, x, e uint64, rows int) (wrong bool)
		q      uint64
		rows   [][]uint64
	}{
		"an exponent": {fault: func(_, _, e uint64, _ int) bool { return e >= 2 }, q: 3, rows: [][]uint64{{0, 2}}},
		"a kernel that breaks": {fault: func(_, _, e uint64, _ int) bool {
			if e >= 2 {
				panic("no")
			}
			return false
		}, q: 3, rows: [][]uint64{{0, 2}}},
		"a prime":     {modular.Moduli{Prime: true}, func(q, x, _ uint64, _ int) bool { return q > 1000 && x == q-1 }, 1009, [][]uint64{{1008, 0}}},
		"an even one": {modular.Moduli{Even: true}, func(_, _, e uint64, _ int) bool { return e%2 == 1 }, 2, [][]uint64{{0, 1}}},
		"a batch":     {fault: func(q, _, e uint64, rows int) bool { return rows >= 3 && q > 100 }, q: 101, rows: [][]uint64{{0, 0}, {0, 0}, {0, 0}}},
	} {
		t.Run(name, func(t *testing.T) {
			tt.moduli.Max = 1<<31 - 1
			f, _, err := judge.Find(value, Modular{Name: "reduced.Power", Run: func(q uint64, dst, src []uint64) error {
				for i := range dst {
					x, e := src[2*i], src[2*i+1]
					if dst[i] = power(q, x, e); tt.fault(q, x, e, len(dst)) {
						dst[i] = (dst[i] + 1) % q
					}
				}
				return nil
			}, Claim: modular.Claim{
				Function: modular.Power, Bits: 32, In: []modular.Word{{Range: 1}, {Integer: true}}, Out: []modular.Word{{Range: 1}}, Moduli: tt.moduli,
			}}, 20000)
			require.NoError(t, err)
			require.NotNil(t, f)
			small := f.(*ModularFailure)
			require.Equal(t, tt.q, small.Modulus)
			require.Equal(t, tt.rows, small.Rows)
		})
	}
}

// TestReducedWords: digits and exponents of operands that only count together go together.
func TestReducedWords(t *testing.T) {
	two := eft.All()[0]
	bits := func(v float32) uint32 { return math.Float32bits(v) & 0x7fffff }
	for name, tt := range map[string]struct {
		fault func(a, b float32) bool
		want  []uint64
	}{
		"the digits of both": {func(a, b float32) bool { return bits(a) == bits(b) && bits(a) != 0 }, []uint64{0x40400000, 0x40400000}}, // 3, 3
		"some digits":        {func(a, b float32) bool { return bits(a)>>20&5 == 5 && b != 0 }, []uint64{0x41500000, 0x3f800000}},       // 13, 1
		"both exponents": {func(a, b float32) bool {
			_, e := math.Frexp(float64(a))
			_, f := math.Frexp(float64(b))
			return a > 0 && b > 0 && e-f == 12 && e > 16
		}, []uint64{0x47800000, 0x41800000}}, // 2^16, 2^4
	} {
		t.Run(name, func(t *testing.T) {
			f, _, err := judge.Find(lawNamedOf(t, judge.WordLaws(), model.EFTSum), Operation{Name: "reduced.TwoSum", Claim: two.Claim, Run: func(dst, src []float32) {
				two.Run32(dst, src)
				for i := 0; i < len(src); i += 2 {
					if tt.fault(src[i], src[i+1]) {
						dst[i] = -1
					}
				}
			}}, 200000)
			require.NoError(t, err)
			require.NotNil(t, f)
			require.Equal(t, [][]uint64{tt.want}, f.(*WordFailure).Rows)
		})
	}
}
