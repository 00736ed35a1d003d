package fused

import "math"

type number interface{ float32 | float64 }

type wide interface {
	~int | number
}

type pair struct{ h, l float32 }

var sink float64

// Within one expression.

func plus(x, y, z float32) float32         { return x*y + z }          // want 53 contraction write float32(x*y)
func minus(x, y, z float64) float64        { return z - x*y }          // want 57 contraction write float64(x*y)
func negated(x, y, z float64) float64      { return -(x * y) + z }     // want 55 contraction fused into the addition
func both(x, y float64) float64            { return x*x - y*y }        // want 53 contraction addition // want 59 contraction addition
func factor(x, y, z float64) float64       { return x*y*z + 1 }        // want 53 contraction addition
func generic[T number](x, y, z T) T        { return x*y + z }          // want 53 contraction write T(x*y)
func nested[T wide](x, y, z T) T           { return x*y + z }          // want 53 contraction write T(x*y)
func greater(x, y, z float64) float64      { return max(x*y, 0) + z }  // want 57 contraction addition
func complexes(x, y complex128) complex128 { return x * y }            // want 53 contraction sum of products
func wrapped(x, y complex64) complex64     { return complex64(x * y) } // want 63 contraction sum of products

// Across statements.

func short(x, y, z float64) float64 {
	p := x * y // want 7 contraction addition in line 33; write float64(x*y)

	return p + z
}

func declared(x, y, z float64) float64 {
	var p, q = x * y, z // want 13 contraction addition in line 38
	return q - p
}

func added(x, y, z float64) float64 {
	p := x * y // want 7 contraction addition in line 43
	p += z
	return p
}

func copied(x, y, z float64) float64 {
	p := x * y // want 7 contraction addition in line 50
	q := p
	return q + z
}

func target(p *float64, x, y, z float64) float64 {
	*p = x * y // want 7 contraction addition in line 55
	return *p + z
}

func field(p *pair, x, y, z float32) float32 {
	p.h = x * y // want 8 contraction addition in line 60
	return z - p.h
}

func element(a []float64, x, y float64) float64 {
	a[0], a[1] = x*y, y // want 15 contraction addition in line 65
	return a[0] + a[1]
}

func scaled(x, y, z float64) float64 {
	x *= y // want 2 contraction addition in line 70
	return x + z
}

func around(x []float64) float64 {
	s, p := 0.0, 1.0
	for _, v := range x {
		s += p
		p *= v // want 3 contraction addition in line 76
	}
	return s
}

func counted(x, y float64) float64 {
	p := x * y // want 7 contraction addition in line 84
	p++
	return p
}

func captured(x, y float64) func(float64) float64 {
	p := x * y // want 7 contraction addition in line 90
	return func(z float64) float64 { return p + z }
}

// Where a caller may add.

func returned(x, y float64) float64  { return x * y }            // leaves 47
func named(x, y float64) (z float64) { z = x * y; return }       // leaves 44
func held(x, y float32) pair         { return pair{h: x * y} }   // leaves 55
func global(x, y float64)            { sink = x * y }            // leaves 47
func passed(x, y float64)            { returned(x*y, y) }        // leaves 49
func dim(x, y, z float64) float64    { return math.Dim(x*y, z) } // leaves 56
func twice(x float64) float64        { return 2 * x }            // exact
func halved(x float64) float64       { return x * 0.5 }          // leaves 47

// Nothing: rounded first, exact by the language, no addition, no floats, constants.

func rounded(x, y, z float64) float64 { return float64(x*y) + z }
func again(x, y, z float64) float64 {
	p := float64(x * y)
	return p + z
}
func before(x, y, z float64) float64 {
	p := z + 1
	s := p + z
	p = x * y
	return s / p
}
func quotient(x, y, z float64) float64 { return x * y / z }
func less(x, y, z float64) bool        { return x*y < z }
func root(x, y, z float64) float64     { return math.Sqrt(x*y) + z }
func whole(x, y float64) int           { return int(x*y) + 1 }
func integers(i, j int) int            { return i*j + 1 }
func constants(x float64) float64 {
	const k = 2.0 * 3.0
	return x + k*k
}
func ignored(x, y float64) { _ = x * y }

// More of the same: a constraint in a constraint, a field that is kept, another field, a cycle.

type embedded interface{ number }

func deep[T embedded](x, y, z T) T { return x*y + z } // want 45 contraction write T(x*y)
func kept(p *pair, x, y float32)   { p.h = x * y }    // leaves 44
func other(p *pair, x, y, z float32) float32 {
	p.h = x * y // leaves 8
	return z - p.l
}

func cycle(x, y float64) float64 {
	p, q := x*y, 0.0 // want 10 contraction addition in line 144
	for range 3 {
		q = p
		p = q
		y += p
	}
	return y
}

// Fields and elements of local values: of literals, of copies, of pointers.

type nested2 struct {
	in   pair
	at   [2]float32
	name string
}

func literal(x, y, z float32) float32 {
	s := pair{h: x * y} // want 15 contraction addition in line 159
	return s.h + z
}

func unkeyed(x, y, z float32) float32 {
	var s = pair{1, x * y} // want 18 contraction addition in line 164
	return z - s.l
}

func pointed(x, y, z float32) float32 {
	s := &pair{l: z, h: x * y} // want 22 contraction addition in line 169
	return s.h + s.l
}

func inside(x, y, z float32) float32 {
	s := nested2{in: pair{h: x * y}} // want 27 contraction addition in line 175
	t := s
	return t.in.h + z
}

func partly(x, y, z float32) float32 {
	s := nested2{at: [2]float32{z, x * y}} // want 33 contraction addition in line 181
	t := s.at
	return t[1] + z
}

func copiedField(x, y, z float32) float32 {
	var s pair
	s.h = x * y // want 8 contraction addition in line 188
	t := s
	return t.h + z
}

func direct(x, y, z float32) float32 { return pair{h: x * y}.h + z } // want 55 contraction addition

func elementwise(x, y, z float64) float64 {
	a := []float64{x * y, 1: z} // want 17 contraction addition in line 195
	return a[0] + a[1]
}

func otherField(x, y, z float32) float32 {
	s := pair{h: x * y} // leaves 15
	t := s
	return z - t.l
}

func roundedField(x, y, z float32) float32 {
	s := pair{h: float32(x * y)}
	return s.h + z
}

func quotientOfField(x, y, z float32) float32 {
	s := pair{h: x * y} // leaves 15
	return s.h / z
}
