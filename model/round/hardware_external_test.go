package round_test

import (
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/round"
)

// The machine's own operations, as functions of encodings.

func native64(op string, x []uint64) uint64 {
	a := math.Float64frombits(x[0])
	if op == "sqrt" {
		return math.Float64bits(math.Sqrt(a))
	}
	b := math.Float64frombits(x[1])
	switch op {
	case "add":
		a += b
	case "sub":
		a -= b
	case "mul":
		a *= b
	case "div":
		a /= b
	case "fma":
		a = math.FMA(a, b, math.Float64frombits(x[2]))
	}
	return math.Float64bits(a)
}

func native32(op string, x []uint64) uint64 {
	a := math.Float32frombits(uint32(x[0]))
	if op == "sqrt" { // 53 >= 2·24+2, so that the second rounding is innocent
		return uint64(math.Float32bits(float32(math.Sqrt(float64(a)))))
	}
	b := math.Float32frombits(uint32(x[1]))
	switch op {
	case "add":
		a += b
	case "sub":
		a -= b
	case "mul":
		a *= b
	case "div":
		a /= b
	}
	return uint64(math.Float32bits(a))
}

// agree compares with the machine: bit for bit, except that a NaN's payload is the machine's own
// choice when there are several NaNs, or none, among the operands.
func agree(f model.Format, op string, x []uint64, got, native uint64) bool {
	if !f.IsNaN(native) {
		return got == native
	}
	nans, infs, zeros := 0, 0, 0
	for _, b := range x {
		switch f.Class(b) {
		case model.ClassNaN:
			nans++
		case model.ClassInf:
			infs++
		case model.ClassZero:
			zeros++
		}
	}
	known := runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64"
	if known && nans == 1 && (op != "fma" || infs == 0 || zeros == 0) {
		return got == native
	}
	return f.IsNaN(got)
}

func testHardware(t *testing.T, f model.Format, ops []string, native func(string, []uint64) uint64) {
	a := round.Arith{F: f}
	compare := func(op string, x []uint64) {
		if got, want := apply(a, op, x), native(op, x); !agree(f, op, x, got, want) {
			t.Fatal(&failure{a, op, x, got, want})
		}
	}
	table := edges(f)
	for i, op := range ops {
		t.Run(op+"/edges", func(t *testing.T) {
			eachTuple(table, operands(op), func(x []uint64) { compare(op, x) })
		})
		t.Run(op+"/random", func(t *testing.T) {
			d := newDrawer(f, uint64(i))
			x := make([]uint64, operands(op))
			for range level(100_000, 10_000_000) {
				d.operands(op, x)
				compare(op, x)
			}
		})
	}
}

// eachTuple calls visit with every n-tuple of table's elements.
func eachTuple(table []uint64, n int, visit func([]uint64)) {
	x := make([]uint64, n)
	var fill func(int)
	fill = func(i int) {
		if i == n {
			visit(x)
			return
		}
		for _, b := range table {
			x[i] = b
			fill(i + 1)
		}
	}
	fill(0)
}

func TestBinary64IsTheHardware(t *testing.T) {
	testHardware(t, model.Binary64, allOps, native64)
}

func TestBinary32IsTheHardware(t *testing.T) {
	testHardware(t, model.Binary32, allOps[:5], native32)
}

func TestConvertIsTheHardware(t *testing.T) {
	narrow, wide := round.Arith{F: model.Binary32}, round.Arith{F: model.Binary64}
	compare := func(b uint64) {
		got := round.Convert(narrow, model.Binary64, b)
		want := uint64(math.Float32bits(float32(math.Float64frombits(b))))
		if !agree(model.Binary32, "convert", nil, got, want) {
			t.Fatalf("binary64 %#x is %#x in binary32, want %#x", b, got, want)
		}
		b32 := b >> 32
		got = round.Convert(wide, model.Binary32, b32)
		want = math.Float64bits(float64(math.Float32frombits(uint32(b32))))
		if !agree(model.Binary64, "convert", nil, got, want) {
			t.Fatalf("binary32 %#x is %#x in binary64, want %#x", b32, got, want)
		}
	}
	for _, b := range edges(model.Binary32) {
		for d := range uint64(3) {
			compare(math.Float64bits(float64(math.Float32frombits(uint32(b)))) + d - 1)
			compare(b<<32 + d)
		}
	}
	for _, b := range edges(model.Binary64) {
		compare(b)
	}
	d := newDrawer(model.Binary64, 7)
	for range level(100_000, 10_000_000) {
		compare(d.any())
		// Exponents that binary32 has, and around its ends.
		compare(d.number(d.around(1023, 160)))
	}
}

// Results of an x86 processor (Xeon, MXCSR with FTZ set, round to nearest even and up, down, zero by
// its RC field; recorded with a C program): its FTZ detects tininess after rounding.
func TestFlushIsTheProcessors(t *testing.T) {
	require.NotEmpty(t, x86Flushed)
	for _, c := range x86Flushed {
		a := round.Arith{F: model.Binary32, R: c.r, Fl: model.Flush{Out: true}}
		require.Equal(t, c.product, a.Mul(c.x, c.y), "%v: %#x * %#x", c.r, c.x, c.y)
	}
}
