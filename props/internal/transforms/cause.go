package transforms

import (
	"fmt"
	"math/bits"
	"slices"

	"gamma/model/modular"
	"gamma/oracle"
	"gamma/props/internal/draw"
	"gamma/props/internal/verdict"
)

// hintN is a size at which one fault does not look like another, as they do in the smallest transforms.
const hintN = 16

// hintBits is how many bits an input has at least of which a pattern tells anything: with fewer, one of some hundred patterns fits by chance.
const hintBits = 24

// hints says what the results look like: those of a transform of some points, which tell most, or if these are right those of the case
// that was found, or if these are right, too, of the one it was reduced to. The first that is wrong decides, so that what is said of a
// reduced case is true of the others.
func (r *NttRun) hints(in, original *NttInput) []string {
	list := []*NttInput{original, in}
	if points := r.Pool.list(hintN); len(points) > 0 && in.T.N != hintN {
		telling := &NttInput{at: r.S.Device.Fitted(hintN, in.at), T: points[0], X: make([]uint64, hintN), Y: make([]uint64, hintN), Seed: in.Seed}
		if r.Own.Accepts(&NTTLaw{}, telling) == nil {
			list = slices.Insert(list, 0, telling)
		}
	}
	for _, in := range list {
		if texts, wrong := r.Own.hints(in); wrong {
			return texts
		}
	}
	return nil
}

// Bits of the seed of a case: where among eight words vectors begin, and, where they are 0, that functions run in place.
const (
	seedAddress = 7
	seedApart   = 7 << 3
)

// needs says in a sentence what a failure needs beside its input, and how that shows. It is true of the reduced case, of the one it was reduced from, and of two others
// that are drawn.
func (r *NttRun) needs(l *NTTLaw, small, original *NttInput) (fault, cause string) {
	cases := append([]*NttInput{small, original}, r.drawn(original, l.Pair)...)
	// right reports whether none of some cases fails with some bits of their seeds changed.
	right := func(cases []*NttInput, clear, set uint64) bool {
		return !slices.ContainsFunc(cases, func(in *NttInput) bool {
			own := *in
			own.Seed = in.Seed&^clear | set
			if r.Own.Accepts(l, &own) != nil {
				return true
			}
			v := r.Own.Judge(l, &own)
			return v.Fails()
		})
	}
	together, apart := right(cases[:1], seedApart, 0), right(cases[:1], 0, seedApart)
	switch {
	case apart && !together && right(cases, 0, seedApart):
		return "It is wrong in place alone.", "kernel: where dst is src the results are wrong, and where dst is another slice they are right."
	case together && !apart && right(cases, seedApart, 0):
		return "It is right in place alone.", "kernel: where dst is src the results are right, and where dst is another slice they are wrong."
	}
	for at := range uint64(seedAddress + 1) {
		if right(cases, seedAddress, at) {
			return "Its results depend on an address.", fmt.Sprintf("kernel: with the vectors %d words further on in memory they are right.", (at-small.Seed)&seedAddress)
		}
	}
	return "", ""
}

// drawn returns two inputs like one, with random numbers.
func (r *NttRun) drawn(like *NttInput, pair bool) (list []*NttInput) {
	for k := range uint64(2) {
		other := *like
		other.X, other.Y = r.Own.Expand(NTTRecipe{Family: "random", Seed: k, Batch: len(other.X) / other.T.N}, other.T, pair)
		list = append(list, &other)
	}
	return list
}

// unsubtracted says which conditional subtraction of q is missing, or wrong, where the words of an input and of two random ones are all right modulo q and below
// 2·q, and some are not below q, which is claimed; "" elsewhere.
func (r *NttRun) unsubtracted(original *NttInput) string {
	high, zeros := 0, 0 // words of q and more, and those that are q
	look := NTTLaw{Judge: func(c *NTTCase) verdict.Verdict {
		for side, d := range []*modular.Direction{&c.Claim.Forward, &c.Claim.Inverse} {
			if !d.Offered() {
				continue
			}
			run := c.forward
			if side == inverseSide {
				run = c.inverse
			}
			for _, w := range run(c.words(d.In, c.X)) {
				switch {
				case d.Out.Range != 1 || w >= 2*c.Q():
					return verdict.Fails("a word is claimed not to be below q, or is 2·q or more", &verdict.Witness{})
				case w >= c.Q():
					high++
				}
				if w == c.Q() {
					zeros++
				}
			}
		}
		return JudgeNTTExact(c)
	}}
	for _, in := range append([]*NttInput{original}, r.drawn(original, false)...) {
		if v := r.Own.Judge(&look, in); v.Fails() {
			return ""
		}
	}
	switch {
	case high == 0:
		return ""
	case high == zeros:
		return "every word is right modulo q, and some that stand for 0 are q: the last conditional subtraction tests > q where >= q is needed."
	}
	return "every word is right modulo q, and some lie in [q, 2·q): the last conditional subtraction of q is missing."
}

// hintRoots is the size up to which every primitive root is tried, and hintStates that up to which states between stages are.
const (
	hintRoots  = 64
	hintStates = 1 << 12
)

// hints says in whole sentences what the results of each direction look like where they are wrong, none if like nothing that is
// known, and whether any is wrong. The case must have run, and its kernel not have broken.
func (tr *nttTrial) hints(in *NttInput) (list []string, wrong bool) {
	defer func() {
		if p := recover(); p != nil {
			list = nil // the kernel broke on the way
		}
	}()
	p := tr.plan(in.at, in.T)
	if p.err != nil || len(in.X) == 0 {
		return nil, false
	}
	c := &NTTCase{Claim: tr.s.Claim, Transform: p.t, X: in.X, Y: in.Y, p: p, trial: tr}
	n := c.N()
	first := slices.Clone(c.reduced(in.X)[:n])
	// An input in which places and powers can be told apart tells more than the reduced one: such as 1, 2, 3, …
	rich := &NTTCase{Claim: c.Claim, Transform: c.Transform, p: p, trial: tr}
	telling := make([]uint64, len(in.X))
	for i := range telling {
		telling[i] = draw.Mix(uint64(i+1)) % c.Q()
	}
	rich.X = telling
	for _, d := range []struct {
		name string
		ok   bool
		run  func(x []uint64) []uint64
		want func(dst, src []uint64)
		back bool
	}{
		{"forward transform", c.Claim.Forward.Offered(), c.Forward, p.o.Forward, false},
		{"inverse transform", c.Claim.Inverse.Offered(), c.Inverse, p.o.Inverse, true},
	} {
		if !d.ok {
			continue
		}
		got := slices.Clone(d.run(telling)[:n])
		want := slices.Clone(telling[:n])
		d.want(want, want)
		if d.back {
			c.scaled(want, c.Scale())
		}
		x := telling[:n]
		if slices.Equal(got, want) {
			got, want, x = slices.Clone(d.run(in.X)[:n]), slices.Clone(first), first
			d.want(want, want)
			if d.back {
				c.scaled(want, c.Scale())
			}
			if slices.Equal(got, want) {
				continue
			}
		}
		wrong = true
		if n*bits.Len64(c.Q()-1) < hintBits {
			continue
		}
		if text := tr.pattern(c, x, got, want, d.back); text != "" {
			list = append(list, fmt.Sprintf("the %s %s.", d.name, text))
		}
	}
	return list, wrong
}

// pattern names a known way in which got differs from want, both residues in natural order; x is what was transformed.
func (tr *nttTrial) pattern(c *NTTCase, x, got, want []uint64, back bool) string {
	n, t := c.N(), c.Transform
	if text := factorText(c, got, want); text != "" {
		return text
	}
	if n < 2 {
		return ""
	}
	if slices.Equal(got, x) {
		return "gives back its input"
	}
	if slices.Equal(got, reversed(x)) {
		return "gives back its input in bit-reversed order"
	}
	if n > 2 {
		if slices.Equal(reversed(got), want) {
			return "has the right numbers in bit-reversed order: an order is claimed that the words do not have"
		}
		// Input order.
		z := c.run1(reversed(x), back)
		if slices.Equal(got, z) {
			return "takes its input in bit-reversed order: an order is claimed that the words do not have"
		}
	}
	if text := tr.otherRoot(c, x, got, back); text != "" {
		return text
	}
	if n <= hintStates && !back {
		s := Levels(t) - 1
		frequency := slices.Clone(x)
		ByFrequency(t, frequency, s)
		time := tr.ByTime(t, x, s)
		for _, z := range [][]uint64{frequency, reversed(frequency), time, reversed(time)} {
			if slices.Equal(z, got) {
				return "has all but its last stage"
			}
			if sorted := slices.Sorted(slices.Values(got)); slices.Equal(sorted, slices.Sorted(slices.Values(z))) {
				return "has the numbers of all but its last stage"
			}
		}
	}
	if sorted := slices.Sorted(slices.Values(got)); slices.Equal(sorted, slices.Sorted(slices.Values(want))) {
		return "has the right numbers in another order"
	}
	return ""
}

// reversed returns numbers in bit-reversed order.
func reversed(v []uint64) []uint64 {
	z := make([]uint64, len(v))
	for i := range v {
		z[i] = v[modular.BitReversed.Place(i, len(v))]
	}
	return z
}

// otherRoot says of which other root or ring, with or without its factor, the results are the transform, "" if of none that is tried.
func (tr *nttTrial) otherRoot(c *NTTCase, x, got []uint64, back bool) string {
	n, q, t := c.N(), c.Q(), c.Transform
	same := func(t modular.Transform) (string, bool) {
		o, err := tr.transform(t)
		if err != nil {
			return "", false
		}
		z := slices.Clone(x)
		if back {
			o.Inverse(z, z)
			c.scaled(z, c.Scale())
		} else {
			o.Forward(z, z)
		}
		switch {
		case slices.Equal(z, got):
			return "", true
		case slices.Equal(reversed(z), got):
			return " in bit-reversed order", true
		}
		return "", false
	}
	if t.Negacyclic {
		u := t
		u.Negacyclic, u.Root = false, oracle.MulMod(t.Root, t.Root, q)
		if how, ok := same(u); ok {
			return "is the cyclic one, of the root ψ^2" + how + ": its products are modulo x^N - 1"
		}
	} else if root, err := oracle.RootOfUnity(2*uint64(n), q); err == nil && oracle.MulMod(root, root, q) == t.Root {
		u := t
		u.Negacyclic, u.Root = true, root
		if how, ok := same(u); ok {
			return "is the negacyclic one" + how + ": its products are modulo x^N + 1"
		}
	}
	order := t.RootOrder()
	powers := []uint64{3, order - 1, 5, 7, order - 3}
	if n <= hintRoots {
		for k := uint64(9); k < order; k += 2 {
			powers = append(powers, k)
		}
	}
	for _, k := range powers {
		if k <= 1 || k >= order {
			continue
		}
		u := t
		u.Root = oracle.PowMod(t.Root, k, q)
		if how, ok := same(u); ok {
			name := "ω"
			if t.Negacyclic {
				name = "ψ"
			}
			if k == order-1 {
				return fmt.Sprintf("is that of the inverse root, %s^-1%s", name, how)
			}
			return fmt.Sprintf("is that of another primitive root, %s^%d%s", name, k, how)
		}
	}
	return ""
}

// run1 transforms by the oracle.
func (c *NTTCase) run1(x []uint64, back bool) []uint64 {
	if back {
		c.p.o.Inverse(x, x)
		return c.scaled(x, c.Scale())
	}
	c.p.o.Forward(x, x)
	return x
}

// factorText names a factor between got and want.
func factorText(c *NTTCase, got, want []uint64) string {
	q := c.Q()
	at := slices.IndexFunc(want, func(v uint64) bool { _, ok := oracle.InvMod(v, q); return ok && v != 0 })
	if at < 0 {
		return ""
	}
	inverse, _ := oracle.InvMod(want[at], q)
	f := oracle.MulMod(got[at], inverse, q)
	if f == 0 {
		return ""
	}
	for i := range got {
		if oracle.MulMod(want[i], f, q) != got[i] {
			return ""
		}
	}
	n := uint64(c.N()) % q
	perN, _ := oracle.InvMod(n, q)
	if c.N() > 1 {
		switch f {
		case n:
			return "is N times what it should be: the factor 1/N is missing, or Unscaled is not claimed"
		case perN:
			return "is 1/N of what it should be: Unscaled is claimed, and the results are scaled, or they are scaled twice"
		}
	}
	for k := 1; k <= 4; k++ {
		for _, with := range []struct {
			f    uint64
			text string
		}{{1 % q, ""}, {n, "N·"}, {perN, "1/N·"}} {
			switch f {
			case oracle.MulMod(with.f, c.p.powers[k], q):
				return fmt.Sprintf("is %sR^%d times what it should be, R = 2^%d: a word is in another domain than Power claims", with.text, k, c.Claim.Bits)
			case oracle.MulMod(with.f, c.p.inverses[k], q):
				return fmt.Sprintf("is %sR^-%d times what it should be, R = 2^%d: a word is in another domain than Power claims", with.text, k, c.Claim.Bits)
			}
		}
	}
	if f == q-1 {
		return "has the wrong sign"
	}
	if len(got) < 3 {
		return ""
	}
	return "is a constant times what it should be"
}
