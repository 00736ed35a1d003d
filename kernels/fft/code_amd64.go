package fft

import "gamma/kernels/dd"

var (
	code32on512 = code{
		lanes: 8, turn: turnx32on512,
		column: [9]func(*sweep){4: column4x32on512, 8: column8x32on512},
		last:   [9]func(*sweep){4: column4Lastx32on512, 8: column8Lastx32on512},
	}
	code32on256 = code{
		lanes: 4, turn: turnx32on256,
		column: [9]func(*sweep){4: column4x32on256, 8: column8x32on256},
		last:   [9]func(*sweep){4: column4Lastx32on256, 8: column8Lastx32on256},
	}
	code64on512 = code{
		lanes: 4, turn: turnx64on512,
		column: [9]func(*sweep){4: column4x64on512, 8: column8x64on512},
		last:   [9]func(*sweep){4: column4Lastx64on512, 8: column8Lastx64on512},
	}
	code64on256 = code{
		lanes: 2, turn: turnx64on256,
		column: [9]func(*sweep){4: column4x64on256, 8: column8x64on256},
		last:   [9]func(*sweep){4: column4Lastx64on256, 8: column8Lastx64on256},
	}
	codeDD = code{
		lanes: 8, turn: turnxDD, twist: twistxDD,
		column: [9]func(*sweep){2: column2xDD, 4: column4xDD},
		last:   [9]func(*sweep){4: column4LastxDD},
	}
)

// vectorised returns a transform of a power of two in vector instructions and its radices, or nil where the machine or the package has none.
func vectorised[C number[C]](n int, inverse bool, scale dd.DD64, from func(re, im dd.DD64) C) (runner[C], []int) {
	var c *code
	switch any(from).(type) {
	case func(re, im dd.DD64) single[float32]:
		c = pick(&code32on512, &code32on256)
	case func(re, im dd.DD64) single[float64]:
		c = pick(&code64on512, &code64on256)
	case func(re, im dd.DD64) double:
		c = pick(&codeDD, nil)
	}
	if c == nil || n < leastColumns {
		return nil, nil
	}
	t := newColumns(n, inverse, scale, from, c)
	return t, t.radices()
}

// pick returns the code for the machine.
func pick(wide, narrow *code) *code {
	switch {
	case machine.AVX512:
		return wide
	case machine.FMA:
		return narrow
	}
	return nil
}

// With AVX-512 F: see the fields of code.
//
//go:noescape
func column4x32on512(s *sweep)

//go:noescape
func column4Lastx32on512(s *sweep)

//go:noescape
func column8x32on512(s *sweep)

//go:noescape
func column8Lastx32on512(s *sweep)

//go:noescape
func turnx32on512(s *sweep)

// With AVX2 and FMA: see the fields of code.
//
//go:noescape
func column4x32on256(s *sweep)

//go:noescape
func column4Lastx32on256(s *sweep)

//go:noescape
func column8x32on256(s *sweep)

//go:noescape
func column8Lastx32on256(s *sweep)

//go:noescape
func turnx32on256(s *sweep)

// With AVX-512 F: see the fields of code.
//
//go:noescape
func column4x64on512(s *sweep)

//go:noescape
func column4Lastx64on512(s *sweep)

//go:noescape
func column8x64on512(s *sweep)

//go:noescape
func column8Lastx64on512(s *sweep)

//go:noescape
func turnx64on512(s *sweep)

// With AVX2 and FMA: see the fields of code.
//
//go:noescape
func column4x64on256(s *sweep)

//go:noescape
func column4Lastx64on256(s *sweep)

//go:noescape
func column8x64on256(s *sweep)

//go:noescape
func column8Lastx64on256(s *sweep)

//go:noescape
func turnx64on256(s *sweep)

// With AVX-512 F, in double words.
//
//go:noescape
func column2xDD(s *sweep)

//go:noescape
func column4xDD(s *sweep)

//go:noescape
func column4LastxDD(s *sweep)

//go:noescape
func twistxDD(s *sweep)

//go:noescape
func turnxDD(s *sweep)
