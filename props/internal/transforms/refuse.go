package transforms

import (
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"gamma/model/modular"
	"gamma/oracle"
	"gamma/props/internal/verdict"
)

// refusal says why a claim does not admit a transform, and the numbers of which an error must name one; "" if it admits it.
func refusal(c *modular.TransformClaim, t modular.Transform) (why string, numbers []uint64) {
	n, q := uint64(t.N), t.Modulus
	switch {
	case t.N < 1 || bits.OnesCount64(n) != 1:
		return fmt.Sprintf("the size %d is no power of two", t.N), []uint64{n}
	case t.N < c.MinN:
		return fmt.Sprintf("the size %d is below %d", t.N, c.MinN), []uint64{n}
	case c.MaxN != 0 && t.N > c.MaxN:
		return fmt.Sprintf("the size %d is above %d", t.N, c.MaxN), []uint64{n}
	}
	order := t.RootOrder()
	modulus := []uint64{q}
	if !c.OwnRoot && (q < 2 || t.Root >= q || !oracle.HasOrder(t.Root, order, q)) { // an error may name the root, which is wrong, too
		modulus = append(modulus, t.Root, order)
	}
	if err := c.Moduli.Admits(q, c.Bits); err != nil {
		return err.Error(), modulus
	}
	switch prime := oracle.IsPrime(q); {
	case c.Moduli.Prime && !prime:
		return fmt.Sprintf("the modulus %d is not prime", q), modulus
	case prime && (q-1)%order != 0:
		return fmt.Sprintf("modulo %d there is no root of order %d", q, order), append(modulus, order, n)
	case c.OwnRoot:
		return "", nil
	}
	if _, err := oracle.NewTransform(t); err != nil {
		return err.Error(), []uint64{t.Root, order, q, n}
	}
	return "", nil
}

// leftToCaller says why a claim does not oblige a kernel to refuse a transform that it does not admit, "" if it does.
func leftToCaller(c *modular.TransformClaim, t modular.Transform) string {
	m := &c.Moduli
	oneSize := c.MinN > 0 && c.MinN == c.MaxN
	switch admits := m.Admits(t.Modulus, c.Bits) == nil; {
	case c.Unchecked:
		return "the claim leaves it to the caller to ask for what it admits"
	case oneSize && t.N != c.MinN:
		return "the kernel has one size alone, and need not look at the one that it is given"
	case !admits && !m.Unchecked && len(m.Only) == 1:
		return "the kernel has one modulus alone, and need not look at the one that it is given"
	case !admits && !m.Refuses():
		return "the claim leaves it to the caller to give moduli that it admits"
	case admits && m.Prime && m.UncheckedPrime && !oracle.IsPrime(t.Modulus):
		return "the claim leaves it to the caller to give primes"
	}
	return ""
}

// weaker names the field of a claim that leaves what a law wants refused to the caller, "" of other laws.
func weaker(l *NTTLaw, c *modular.TransformClaim, t modular.Transform) string {
	own := *c
	switch own.Moduli.UncheckedPrime = own.Moduli.Prime; {
	case !l.Refuses:
		return ""
	case leftToCaller(&own, t) != "":
		return "Claim.Moduli.UncheckedPrime"
	}
	if own.Moduli.Unchecked = true; leftToCaller(&own, t) != "" {
		return "Claim.Moduli.Unchecked"
	}
	return "Claim.Unchecked"
}

// names reports whether a text names one of the numbers, in decimal or hex.
func names(text string, numbers []uint64) bool {
	for _, v := range numbers {
		if strings.Contains(text, strconv.FormatInt(int64(v), 10)) || strings.Contains(text, strconv.FormatUint(v, 10)) ||
			strings.Contains(strings.ToLower(text), strconv.FormatUint(v, 16)) {
			return true
		}
	}
	return false
}

// refuses judges a transform that may not be claimed, or the lengths of one that is.
func (tr *nttTrial) refuses(in *NttInput) verdict.Verdict {
	why, numbers := refusal(&tr.s.Claim, in.T)
	if why != "" {
		if why := leftToCaller(&tr.s.Claim, in.T); why != "" {
			return verdict.Unclaimed(why)
		}
		_, _, err := tr.ask(in.at, in.T)
		var b *verdict.Breakage
		switch {
		case err == nil:
			return verdict.Fails(fmt.Sprintf("Plan accepts the %s, and must refuse it: %s", in.T, why), nil)
		case errors.As(err, &b):
			return verdict.Breaks(b)
		case tr.s.Claim.Names && !names(err.Error(), numbers):
			return verdict.Fails(fmt.Sprintf("the error does not name what is wrong with the %s, %s: it says %q", in.T, why, err), nil)
		}
		return verdict.Held("", 0)
	}
	if !oracle.IsPrime(in.T.Modulus) {
		return verdict.NotMet("the modulus is composite, and yet some kernels have its transforms")
	}
	p := tr.plan(in.at, in.T)
	if p.err != nil {
		return verdict.Breaks(p.breakage())
	}
	k := p.k
	n := in.T.N
	for _, f := range []struct {
		name string
		f    func(dst, a, b []uint64) error
		ok   bool
		two  bool
	}{
		{"forward transform", func(dst, a, _ []uint64) error { return k.Forward(dst, a) }, k.Forward != nil, false},
		{"inverse transform", func(dst, a, _ []uint64) error { return k.Inverse(dst, a) }, k.Inverse != nil, false},
		{"product", func(dst, a, b []uint64) error { return k.Product(dst, a, b) }, k.Product != nil, true},
	} {
		if !f.ok {
			continue
		}
		for _, l := range [][3]int{{n, n + 1, n}, {n + 1, n, n}, {n + 1, n + 1, n + 1}, {n - 1, n - 1, n - 1}, {2 * n, 2 * n, 2 * n}, {n, n - 1, n}, {n, n, n + 1}} {
			same := l[0] == l[1] && (!f.two || l[1] == l[2])
			if l[0] == l[1] && l[1] == n && !f.two || same && tr.s.Claim.Batched && l[0]%n == 0 {
				continue
			}
			var err error
			b := tr.try(f.name, func() error {
				err = f.f(make([]uint64, l[0]), make([]uint64, l[1]), make([]uint64, l[2]))
				return nil
			})
			lengths := fmt.Sprintf("dst of %d words and src of %d", l[0], l[1])
			if f.two {
				lengths = fmt.Sprintf("dst, a and b of %d, %d and %d words", l[0], l[1], l[2])
			}
			switch {
			case b != nil:
				b.Reason += fmt.Sprintf("; it got %s, for %d points", lengths, n)
				return verdict.Breaks(b)
			case err == nil:
				return verdict.Fails(fmt.Sprintf("the %s accepts %s, for %d points; it must return an error", f.name, lengths, n), nil)
			case tr.s.Claim.Names && !names(err.Error(), []uint64{uint64(l[0]), uint64(l[1]), uint64(l[2])}):
				return verdict.Fails(fmt.Sprintf("the error of the %s for %s names none of the lengths: it says %q", f.name, lengths, err), nil)
			}
		}
	}
	return verdict.Held("", 0)
}
