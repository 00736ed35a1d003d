package real

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"math"
	"math/big"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

var updateTables = flag.Bool("update-tables", false, "write the tables of the fast half anew, from the slow half")

const tablesFile = "tables.go"

// TestTables computes the tables by the slow half.
func TestTables(t *testing.T) {
	src, err := format.Source(tables())
	require.NoError(t, err)
	if *updateTables {
		require.NoError(t, os.WriteFile(tablesFile, src, 0o644))
	}
	have, err := os.ReadFile(tablesFile)
	require.NoError(t, err)
	require.Equal(t, string(src), string(have), "%s is not what the slow half computes; go test ./oracle/real -run TestTables -update-tables writes it", tablesFile)
}

// long is enough to round every entry of a table correctly: near returns one float for both ends, or panics.
const long = Bits(320)

// nearestTo rounds x to a multiple of 2^grid, or to binary64 if grid is 0.
func nearestTo(x Interval, grid int) float64 {
	one := func(v *big.Float) float64 {
		if grid == 0 {
			f, _ := v.Float64()
			return f
		}
		f, _ := new(big.Float).SetMantExp(new(big.Float).SetInt(floor(new(big.Float).SetPrec(uint(long)).Add(new(big.Float).SetMantExp(v, -grid), big.NewFloat(0.5)))), grid).Float64()
		return f
	}
	if one(x.Lo) != one(x.Hi) {
		panic("an entry of a table lies too near to a tie")
	}
	return one(x.Lo)
}

// double splits x into a number on the grid and what is left, rounded to binary64.
func double(x Interval, grid int) (hi, lo float64) {
	hi = nearestTo(x, grid)
	return hi, nearestTo(long.Sub(x, Point(hi)), 0)
}

func hex(x float64) string {
	if x == 0 {
		return "0"
	}
	return fmt.Sprintf("%x", x)
}

type writer struct{ bytes.Buffer }

func (w *writer) numbers(xs ...float64) {
	w.WriteString("{")
	for i, x := range xs {
		if i > 0 {
			w.WriteString(", ")
		}
		w.WriteString(hex(x))
	}
	w.WriteString("},\n")
}

func (w *writer) constant(name, doc string, x Interval, grid int) {
	hi, lo := double(x, grid)
	fmt.Fprintf(w, "\t// %s\n\t%sHi = %s\n\t%sLo = %s\n", doc, name, hex(hi), name, hex(lo))
}

func tables() []byte {
	var w writer
	w.WriteString("package real\n\n// This file is written by TestTables, from the slow half: go test ./oracle/real -run TestTables -update-tables.\n\nconst (\n")
	ln2, pi := long.Ln2(), long.Pi()
	w.constant("ln2", "ln 2, a multiple of 2^-42 and the rest", ln2, -42)
	w.constant("stepE", "ln 2/128, a multiple of 2^-42 and the rest", scale(ln2, -7), -42)
	fmt.Fprintf(&w, "\tln2Nearest = %s\n", hex(nearestTo(ln2, 0)))
	w.constant("log2e", "1/ln 2, a multiple of 2^-25 and the rest", long.Div(whole(1), ln2), -25)
	w.constant("halfPi", "π/2 as a double word", scale(pi, -1), 0)
	w.constant("erfSlope", "2/√π as a double word", long.Div(whole(2), long.Sqrt(pi)), 0)
	fmt.Fprintf(&w, "\n// stepsPerE is 128/ln 2.\nstepsPerE = %s\n)\n\n", hex(nearestTo(long.Div(whole(128), ln2), 0)))
	w.WriteString("// powerTable holds 2^(i/128) as double words.\nvar powerTable = [128][2]float64{\n")
	for i := range 128 {
		hi, lo := double(long.Exp2(Point(float64(i)/128)), 0)
		w.numbers(hi, lo)
	}
	w.WriteString("}\n\n// logTable holds, for each interval of z, c near 1/z, a multiple of 2^-9, and -ln c and -log2 c, each a multiple of 2^-42 and the rest.\nvar logTable = [128][5]float64{\n")
	for i := range uint64(128) {
		z, end := math.Float64frombits(logFrom+i<<45), math.Float64frombits(logFrom+(i+1)<<45)
		c := math.Round(512/((z+end)/2)) / 512
		if z == 1 || end == 1 {
			c = 1
		}
		hi, lo := double(Neg(long.Log(Point(c))), -42)
		hi2, lo2 := double(Neg(long.Log2(Point(c))), -42)
		w.numbers(c, hi, lo, hi2, lo2)
	}
	w.WriteString("}\n\n// circleTable holds sin and cos of i/32 as double words.\nvar circleTable = [27][4]float64{\n")
	for i := range 27 {
		x := Point(float64(i) / 32)
		s, sl := double(long.Sin(x), 0)
		c, cl := double(long.Cos(x), 0)
		w.numbers(s, sl, c, cl)
	}
	fmt.Fprintf(&w, "}\n\n// erfTable holds the Taylor coefficients of erf at (i+1/2)/16, the first two as double words, up to degree %d.\nvar erfTable = [96][%d]float64{\n", erfDegree, erfDegree+3)
	for i := range 96 {
		w.numbers(erfRow((float64(i) + 0.5) / 16)...)
	}
	w.WriteString("}\n\n// twoOverPi holds 64 bits that are 0 and then those of 2/π.\nvar twoOverPi = [22]uint64{\n0,\n")
	bits := Bits(1500).Div(whole(2), Bits(1500).Pi())
	for i := 1; i < 22; i++ {
		lo, hi := floor(new(big.Float).SetMantExp(bits.Lo, 64*i)), floor(new(big.Float).SetMantExp(bits.Hi, 64*i))
		if lo.Cmp(hi) != 0 {
			panic("2/π is not known to that many bits")
		}
		fmt.Fprintf(&w, "%#016x,\n", new(big.Int).And(lo, new(big.Int).SetUint64(math.MaxUint64)).Uint64())
	}
	w.WriteString("}\n")
	return w.Bytes()
}

// erfRow expands erf at c: its derivative g = 2/√π·e^(-x²) has g' = -2x·g, so that g_(n+1) = -2·(c·g_n + g_(n-1))/(n+1).
func erfRow(c float64) []float64 {
	f, fl := double(long.Erf(Point(c)), 0)
	g := long.Mul(long.Div(whole(2), long.Sqrt(long.Pi())), long.Exp(Neg(long.Sqr(Point(c)))))
	before := whole(0)
	a, al := double(g, 0)
	row := []float64{f, fl, a, al}
	for n := int64(1); n < erfDegree; n++ {
		g, before = long.Div(long.Mul(whole(-2), long.Add(long.Mul(Point(c), g), before)), whole(n)), g
		row = append(row, nearestTo(long.Div(g, whole(n+1)), 0))
	}
	return row
}
