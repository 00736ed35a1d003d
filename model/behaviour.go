package model

import (
	"fmt"
	"strconv"
	"strings"
)

// Contraction says which multiplications and additions a compiler may fuse.
type Contraction uint8

const (
	ContractOff       Contraction = iota // none
	ContractStatement                    // inside one statement
	ContractFast                         // across statements
)

var contractionNames = [...]string{"off", "on", "fast"}

// String returns off, on or fast, the words of `#pragma … contract`.
func (c Contraction) String() string {
	if int(c) < len(contractionNames) {
		return contractionNames[c]
	}
	return fmt.Sprintf("Contraction(%d)", uint8(c))
}

// Rewrites are the algebraic transformations that a relaxed or fast math mode allows. The zero value allows none.
type Rewrites struct {
	Reassociate   bool // (a+b)+c as a+(b+c), which also collapses a two-sum's error word to 0
	NoSignedZeros bool // x+0 as x
	Reciprocal    bool // x/y as x·(1/y)
	NoNaNs        bool // results where an operand or result is a NaN are arbitrary
	NoInfs        bool // likewise for infinities
}

// Behaviour is one legal choice that a device may make where its specification leaves it free.
// The zero value is the plain one: round to nearest even, no flush, no contraction, program order.
//
// It is plain data, printable and replayable: everything random about it follows from Seed.
type Behaviour struct {
	Rounding Rounding
	Flush    Flush       // of binary32 and wider
	Flush16  Flush       // of binary16 and bfloat16
	Contract Contraction // of multiplications and additions into fma
	Rewrites Rewrites
	// Order names the order of threads, groups and atomics: "" is program order, "reverse",
	// "stages" (any interleaving at barriers) or "accesses" (at every access to shared memory),
	// the last two drawn from Seed.
	Order     string
	SIMDWidth int  // lanes of a simdgroup; 0 is the device's own
	ULP       bool // errors of library functions are drawn from Seed, within their specified limits
	Poison    bool // uninitialised memory and inactive lanes hold values drawn from Seed
	// Fair: a thread that waits for another lets those of its threadgroup, and of others that have begun, run (occupancy-bound execution).
	// Metal does not promise it. It is said once, of what a claim admits or of a device, and never of a case.
	Fair bool
	Seed uint64
}

// Plain reports whether b is the zero value.
func (b Behaviour) Plain() bool { return b == Behaviour{} }

var rewriteNames = []struct {
	name string
	get  func(*Rewrites) *bool
}{
	{"reassoc", func(r *Rewrites) *bool { return &r.Reassociate }},
	{"nsz", func(r *Rewrites) *bool { return &r.NoSignedZeros }},
	{"recip", func(r *Rewrites) *bool { return &r.Reciprocal }},
	{"nnan", func(r *Rewrites) *bool { return &r.NoNaNs }},
	{"ninf", func(r *Rewrites) *bool { return &r.NoInfs }},
}

// String returns b in the words of a case file, such as
// "rne ftz=off contract=off order=accesses seed=7"; fields at their zero value are left out,
// except the first three, which are always shown.
func (b Behaviour) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s ftz=%s contract=%s", b.Rounding, b.Flush, b.Contract)
	if b.Flush16 != (Flush{}) {
		fmt.Fprintf(&s, " ftz16=%s", b.Flush16)
	}
	for _, w := range rewriteNames {
		if *w.get(&b.Rewrites) {
			s.WriteString(" " + w.name)
		}
	}
	if b.Order != "" {
		s.WriteString(" order=" + b.Order)
	}
	if b.SIMDWidth != 0 {
		fmt.Fprintf(&s, " simd=%d", b.SIMDWidth)
	}
	if b.ULP {
		s.WriteString(" ulp")
	}
	if b.Poison {
		s.WriteString(" poison")
	}
	if b.Seed != 0 {
		fmt.Fprintf(&s, " seed=%d", b.Seed)
	}
	return s.String()
}

// ParseBehaviour is the inverse of Behaviour.String; words may come in any order.
func ParseBehaviour(s string) (Behaviour, error) {
	var b Behaviour
	seen := map[string]bool{}
	for _, word := range strings.Fields(s) {
		key, val, hasVal := strings.Cut(word, "=")
		if r, err := ParseRounding(key); err == nil && !hasVal {
			key = "rounding"
			b.Rounding = r
		} else if err := b.set(key, val, hasVal); err != nil {
			return Behaviour{}, err
		}
		if seen[key] {
			return Behaviour{}, fmt.Errorf("model: behaviour %q gives %s twice", s, key)
		}
		seen[key] = true
	}
	return b, nil
}

// set sets the field that key names to val.
func (b *Behaviour) set(key, val string, hasVal bool) (err error) {
	if !hasVal {
		for _, w := range rewriteNames {
			if w.name == key {
				*w.get(&b.Rewrites) = true
				return nil
			}
		}
		switch key {
		case "ulp":
			b.ULP = true
			return nil
		case "poison":
			b.Poison = true
			return nil
		}
		return fmt.Errorf("model: a behaviour has no key %q", key)
	}
	switch key {
	case "ftz":
		b.Flush, err = ParseFlush(val)
	case "ftz16":
		b.Flush16, err = ParseFlush(val)
	case "contract":
		for i, n := range contractionNames {
			if n == val {
				b.Contract = Contraction(i)
				return nil
			}
		}
		return fmt.Errorf("model: no contraction is called %q; use off, on or fast", val)
	case "order":
		switch val {
		case "reverse", "stages", "accesses":
			b.Order = val
		default:
			return fmt.Errorf("model: no order is called %q; use reverse, stages or accesses, or leave it out for program order", val)
		}
	case "simd":
		b.SIMDWidth, err = strconv.Atoi(val)
		if err == nil && (b.SIMDWidth < 1 || b.SIMDWidth > 1024) {
			err = fmt.Errorf("model: a simdgroup has 1 to 1024 lanes, not %d", b.SIMDWidth)
		}
	case "seed":
		b.Seed, err = strconv.ParseUint(val, 10, 64)
	default:
		return fmt.Errorf("model: a behaviour has no key %q", key)
	}
	return err
}
