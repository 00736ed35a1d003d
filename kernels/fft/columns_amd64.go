package fft

import (
	"gamma/kernels/dd"
)

var (
	code32on512 = code[float32]{
		lanes: 8, column4: column4x32on512, column4Last: column4Lastx32on512, column8: column8x32on512, column8Last: column8Lastx32on512, turn: turnx32on512,
	}
	code32on256 = code[float32]{
		lanes: 4, column4: column4x32on256, column4Last: column4Lastx32on256, column8: column8x32on256, column8Last: column8Lastx32on256, turn: turnx32on256,
	}
	code64on512 = code[float64]{
		lanes: 4, column4: column4x64on512, column4Last: column4Lastx64on512, column8: column8x64on512, column8Last: column8Lastx64on512, turn: turnx64on512,
	}
	code64on256 = code[float64]{
		lanes: 2, column4: column4x64on256, column4Last: column4Lastx64on256, column8: column8x64on256, column8Last: column8Lastx64on256, turn: turnx64on256,
	}
)

// vectorised returns a transform of a power of two in vector instructions and its radices, or nil where the machine or the package has none.
func vectorised[C number[C]](n int, inverse bool, scale dd.DD64, from func(re, im dd.DD64) C) (runner[C], []int) {
	if n < leastColumns || !machine.FMA {
		return nil, nil
	}
	switch from := any(from).(type) {
	case func(re, im dd.DD64) single[float32]:
		c := &code32on256
		if machine.AVX512 {
			c = &code32on512
		}
		t := newColumns(n, inverse, scale, from, c)
		return any(t).(runner[C]), t.radices()
	case func(re, im dd.DD64) single[float64]:
		c := &code64on256
		if machine.AVX512 {
			c = &code64on512
		}
		t := newColumns(n, inverse, scale, from, c)
		return any(t).(runner[C]), t.radices()
	}
	return nil, nil
}

// With AVX-512 F: see the fields of code.
//
//go:noescape
func column4x32on512(s *sweep[float32])

//go:noescape
func column4Lastx32on512(s *sweep[float32])

//go:noescape
func column8x32on512(s *sweep[float32])

//go:noescape
func column8Lastx32on512(s *sweep[float32])

//go:noescape
func turnx32on512(s *sweep[float32])

// With AVX2 and FMA: see the fields of code.
//
//go:noescape
func column4x32on256(s *sweep[float32])

//go:noescape
func column4Lastx32on256(s *sweep[float32])

//go:noescape
func column8x32on256(s *sweep[float32])

//go:noescape
func column8Lastx32on256(s *sweep[float32])

//go:noescape
func turnx32on256(s *sweep[float32])

// With AVX-512 F: see the fields of code.
//
//go:noescape
func column4x64on512(s *sweep[float64])

//go:noescape
func column4Lastx64on512(s *sweep[float64])

//go:noescape
func column8x64on512(s *sweep[float64])

//go:noescape
func column8Lastx64on512(s *sweep[float64])

//go:noescape
func turnx64on512(s *sweep[float64])

// With AVX2 and FMA: see the fields of code.
//
//go:noescape
func column4x64on256(s *sweep[float64])

//go:noescape
func column4Lastx64on256(s *sweep[float64])

//go:noescape
func column8x64on256(s *sweep[float64])

//go:noescape
func column8Lastx64on256(s *sweep[float64])

//go:noescape
func turnx64on256(s *sweep[float64])
