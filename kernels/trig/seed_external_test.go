package trig_test

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels"
	"gamma/kernels/trig"
	"gamma/oracle/real"
)

var update = flag.Bool("update", false, "write seed-claims.md")

// seed32 is the seed's binary32 version in its decimal constants. It is fused, as its machine code is: with rounded products the errors
// are others than those of its table.
func seed32(x float32, quadrants int) float32 {
	k := float32(math.RoundToEven(float64(x * float32(0.6366197723675814))))
	r := x
	for _, c := range []float32{1.5707963705062866, 4.3711388286738386e-08, 1.2560587133447677e-15} {
		r = kernels.FMA(-k, c, r)
	}
	return seedPolynomial(r, int(k)+quadrants, kernels.FMA)
}

// seed64 is the seed's binary64 version: two constants, and the same polynomials.
func seed64(x float64, quadrants int) float64 {
	t := float64(x * 0.6366197723675814)
	k := math.Trunc(t + math.Copysign(0.5, t))
	r := x - float64(k*1.5707963267948966)
	r -= float64(k * 6.123233995736766e-17)
	return seedPolynomial(r, int(k)+quadrants, math.FMA)
}

// seedPolynomial evaluates the seed's polynomials.
func seedPolynomial[T float32 | float64](r T, k int, fma func(x, y, z T) T) T {
	x2 := r * r
	c, coefficients := T(-1.95152959e-04), []T{8.33216030e-03, -1.66666552e-01}
	if k&1 != 0 {
		c, coefficients = 2.44331570e-05, []T{-1.38873163e-03, 4.16666418e-02, -0.5, 1}
	}
	for _, next := range coefficients {
		c = fma(c, x2, next)
	}
	if k&1 == 0 {
		c = fma(c*x2, r, r)
	}
	if k&2 != 0 {
		return -c
	}
	return c
}

// seedTable is the table of the seed, "Precision Comparison Test Results": what it expects, and the errors of its two versions against that.
var seedTable = []struct {
	x         float32
	quadrants int
	expected  float32
	f32, f64  string
}{
	{0, 0, 0, "0", "0"},
	{0.7853982, 0, 0.7071068, "6.0e-08", "6.0e-08"},
	{1.5707964, 0, 1, "0", "0"},
	{3.1415927, 0, 0, "8.7e-08", "8.7e-08"},
	{10, 0, -0.54402113, "4.2e-07", "0"},
	{100, 0, -0.5063657, "4.8e-06", "6.0e-08"},
	{0.7853982, 1, 0.7071068, "6.0e-08", "6.0e-08"},
	{1.5707964, 1, 0, "4.4e-08", "4.4e-08"},
	{4.712389, 1, 0, "2.5e-07", "1.2e-08"},
	{100, 1, 0.8623189, "2.8e-06", "0"},
}

// TestSeed computes the seed's table as the seed counts errors, and beside it the errors against the exact values.
func TestSeed(t *testing.T) {
	var b bytes.Buffer
	fmt.Fprint(&b, seedHead)
	for _, row := range seedTable {
		lo, hi := real.Sin(float64(row.x))
		name, ours := "sin", trig.Sin32(row.x)
		if row.quadrants == 1 {
			lo, hi = real.Cos(float64(row.x))
			name, ours = "cos", trig.Cos32(row.x)
		}
		f32, f64 := seed32(row.x, row.quadrants), float32(seed64(float64(row.x), row.quadrants))
		counted := func(y float32) string { return digits(math.Abs(float64(y) - float64(row.expected))) }
		off := func(y float32) string { return digits(max(math.Abs(float64(y)-lo), math.Abs(float64(y)-hi))) }
		require.Equal(t, row.f32, counted(f32), "%s %v", name, row.x)
		require.Equal(t, row.f64, counted(f64), "%s %v", name, row.x)
		require.LessOrEqual(t, errorInUlps(float64(ours), lo, hi, 24), 2.0)
		fmt.Fprintf(&b, "| %s %v | %s | %s | %s | %s | %s |\n", name, row.x, row.f32, row.f64, off(f32), off(f64), off(ours))
	}
	if *update {
		require.NoError(t, os.WriteFile("seed-claims.md", b.Bytes(), 0o644))
	}
	want, err := os.ReadFile("seed-claims.md")
	require.NoError(t, err)
	require.Equal(t, string(want), b.String(), "run with -update")
}

// digits prints an error with two digits.
func digits(v float64) string {
	if v == 0 {
		return "0"
	}
	return fmt.Sprintf("%.1e", v)
}

const seedHead = `# What the seed measured of sine and cosine

Written by ` + "`go test ./kernels/trig -run TestSeed -update`" + `. The seed, mojo-cuda-fft.txt, compares a binary32 version of its own, reduced by three decimal
constants that it subtracts, and a binary64 one, with what it expects. The test computes both versions and finds the seed's errors to their two digits, as the
seed counts them: against expected values of eight digits, and 0 where the exact value of the rounded argument is not 0. The other columns are errors
against exact values, the last one those of trig.Sin32 and trig.Cos32, whose constants are the machine code's.

Its binary32 errors grow with the argument, by 8.74e-8 for each π/2: the decimal constants sum to π/2 + 8.74e-8, since the second and the third are those of another
split with another sign. With the machine code's constants, the same steps and the same polynomials are within 1.5 ulp on the two million numbers of TestErrors: what the table shows is that one constant is wrong,
and not that binary32 or three parts are too little. Nor is its arithmetic a*b+c, as the seed says of it: the errors are those of fused steps.

| | seed: F32 Err | seed: F64 Err | its F32, exactly | its F64, exactly | ours |
|---|---|---|---|---|---|
`
