package process_test

import (
	"fmt"
	"math/bits"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/formula"
	"gamma/model/modular"
	"gamma/props/judge"
	"gamma/props/process"
)

// servedEnv is the variable that makes this test binary a program that serves the functions below.
const servedEnv = "GAMMA_TEST_SERVED"

func init() {
	if os.Getenv(servedEnv) == "" {
		return
	}
	if err := process.Serve(serve); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// served returns this program as one that serves.
func served(t *testing.T) *process.Process {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	p := process.Apart(func() *exec.Cmd {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), servedEnv+"=1")
		return cmd
	})
	t.Cleanup(p.Close)
	return p
}

// serve has a cyclic transform by its definition, and twice a matrix whose rows lie apart; names that end in _wrong have a fault.
func serve(function string, in []process.Array) ([]process.Array, error) {
	mul := func(a, b, q uint64) uint64 {
		hi, lo := bits.Mul64(a, b)
		return bits.Rem64(hi, lo, q)
	}
	switch function {
	case "ntt", "ntt_wrong":
		q, root, src := in[0].Data.([]uint64)[0], in[1].Data.([]uint64)[0], in[2].Data.([]uint64)
		n, scale := uint64(len(src)), uint64(1)
		if in[3].Data.([]int64)[0] > 0 && function == "ntt" { // the inverse has the root's inverse, and 1/n
			power := func(b, e uint64) (r uint64) {
				for r = 1 % q; e > 0; e, b = e/2, mul(b, b, q) {
					if e&1 != 0 {
						r = mul(r, b, q)
					}
				}
				return r
			}
			root, scale = power(root, q-2), power(n%q, q-2)
		}
		dst, w := make([]uint64, n), uint64(1)
		for k := range dst {
			sum, x := uint64(0), uint64(1)
			for _, a := range src {
				carry := uint64(0)
				sum, carry = bits.Add64(sum, mul(a, x, q), 0)
				sum, x = bits.Rem64(carry, sum, q), mul(x, w, q)
			}
			dst[k], w = mul(sum, scale, q), mul(w, root, q)
		}
		return []process.Array{process.Vector("", dst)}, nil
	case "twice", "twice_wrong":
		x, dst, from, to := in[0].Data.([]float32), in[1].Data.([]float32), in[2].Data.([]int64), in[3].Data.([]int64)
		if function == "twice_wrong" { // it takes neighbouring rows for the next ones
			from[2] = from[1]
		}
		for i := range from[0] {
			for j := range from[1] {
				dst[i*to[2]+j*to[3]] = 2 * x[i*from[2]+j*from[3]]
			}
		}
		return []process.Array{process.Vector("", dst)}, nil
	}
	return nil, fmt.Errorf("there is no %s", function)
}

// TestServedNTT judges a transform in another process, and one whose inverse is its forward transform.
func TestServedNTT(t *testing.T) {
	p := served(t)
	side := modular.Side{Range: 1}
	c := modular.TransformClaim{Bits: 64, Forward: modular.Direction{In: side, Out: side}, Inverse: modular.Direction{In: side, Out: side}, MaxN: 64, Unchecked: true, Moduli: modular.Moduli{Min: 3, Max: 1<<62 - 1, Prime: true, Unchecked: true}}
	for function, right := range map[string]bool{"ntt": true, "ntt_wrong": false} {
		s := judge.NTT{Name: "served." + function, Claim: c, Plan: p.NTT(function, c)}
		failed, judged := false, 0
		for _, l := range judge.NTTLaws() {
			f, n, err := judge.Find(l, s, 60)
			if err != nil {
				require.Contains(t, err.Error(), "says nothing about", l.ID)
				continue
			}
			judged += n
			failed = failed || f != nil
			if right && f != nil {
				t.Error(f.Text())
			}
		}
		require.Equal(t, right, !failed)
		require.Positive(t, judged)
	}
}

// TestServedStrided judges a kernel in another process whose arrays have rows that lie apart.
func TestServedStrided(t *testing.T) {
	p := served(t)
	x, strided := formula.Matrix("x", "m", "n"), map[string]string{"x": "m", "dst": "m"}
	for function, right := range map[string]bool{"twice": true, "twice_wrong": false} {
		s := judge.Kernel{Name: "served." + function, Formula: formula.Add(x, x), Strided: strided, Call: p.KernelStrided(function, strided)}
		f, n, err := judge.Find(enclosure(t), s, 200)
		require.NoError(t, err)
		require.Positive(t, n)
		require.Equal(t, right, f == nil)
	}
}

func enclosure(t *testing.T) judge.KernelLaw {
	t.Helper()
	l, err := judge.LawByID(judge.FormulaLaws(), model.FormulaEnclosure)
	require.NoError(t, err)
	return l
}
