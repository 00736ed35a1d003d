package transforms

import (
	"fmt"
	"math/bits"
	"slices"

	"gamma/model"
	"gamma/model/modular"
	"gamma/oracle"
	"gamma/props/internal/draw"
	"gamma/props/internal/vectors"
	"gamma/props/internal/verdict"
)

// The laws of what transforms compute. ζ is the root: ω of order N, with exponents j·k, or ψ of order 2N, with j·(2k+1).
var valueLawsNTT = []NTTLaw{
	{
		ID:         model.NTTExact,
		Statement:  "every number of the transform, of its inverse and of the product is the one that division computes",
		Hypotheses: "the modulus, the size and the root are claimed; words are in their ranges",
		Source:     "[Cooley-Tukey 1965]; the definition in model/modular.Transform",
		Kills:      []string{"every fault of values"},
		Pair:       true,
		Judge:      JudgeNTTExact,
	},
	{
		ID:         model.NTTRoundtrip,
		Statement:  "the inverse of the forward transform is the input, and the forward transform of the inverse; N times it if the inverse is unscaled",
		Hypotheses: "both directions are claimed",
		Source:     "[Pollard 1971] Theorem 1",
		Kills:      []string{"Montgomery's carry dropped", "1/N missing", "one wrong twiddle in one direction"},
		Applies: func(c *modular.TransformClaim) string {
			return vectors.Unless(c.Forward.Offered() && c.Inverse.Offered(), "the claim offers one direction alone")
		},
		Judge: judgeNTTRoundtrip,
	},
	{
		ID:         model.NTTShift,
		Statement:  "F(x·a)_k = ζ_k·F(a)_k, ζ_k = ω^k or ψ^(2k+1); and x·I(A) = I(ζ_k·A_k)",
		Hypotheses: "a direction is claimed",
		Source:     "[Pollard 1971] §3",
		Kills:      []string{"no bit reversal on both sides", "ψ^3 for ψ", "one wrong twiddle with its inverse", "identity"},
		Applies:    directionOffered,
		Judge:      judgeNTTShift,
	},
	{
		ID:         model.NTTImpulse,
		Statement:  "F(c·x^j)_k = c·ζ^(j·k) or c·ψ^(j·(2k+1)); I of c at k alone has c·ζ^(-j·k)/N at j, likewise",
		Hypotheses: "the input has at most one number that is not 0",
		Source:     "the definition in model/modular.Transform",
		Kills:      []string{"last stage missing on both sides", "twiddles in natural order", "identity"},
		Applies:    directionOffered,
		Families:   []string{"impulse"},
		Judge:      judgeNTTImpulse,
	},
	{
		ID:         model.NTTEval,
		Statement:  "F(a)_k is the value of a at ω^k, or at ψ^(2k+1), by Horner; I(A)_j is that of A at ω^(-j), times ψ^(-j) if negacyclic, over N",
		Hypotheses: "single k: all of small transforms, some of large ones",
		Source:     "Horner's rule; the definition in model/modular.Transform",
		Kills:      []string{"another primitive root", "cyclic for negacyclic root", "stage order reversed"},
		Applies:    directionOffered,
		Judge:      judgeNTTEval,
	},
	{
		ID:         model.NTTLinear,
		Statement:  "F(c·a+b) = c·F(a)+F(b), and so with I; the product P has P(c·a, b) = c·P(a, b) = c·P(b, a)",
		Hypotheses: "none",
		Source:     "the definition in model/modular.Transform",
		Kills:      []string{"Montgomery's carry dropped", "% on partial products", "no final subtraction"},
		Pair:       true,
		Judge:      judgeNTTLinear,
	},
	{
		ID:         model.NTTConvolution,
		Statement:  "I(F(a)·F(b)) and P(a, b) are a·b modulo x^N-1 or x^N+1, by the schoolbook",
		Hypotheses: "of large dense operands single coefficients; of a kernel that offers one direction its own side of the equation",
		Source:     "[Pollard 1971] §3; [Nussbaumer 1980]",
		Kills:      []string{"cyclic for negacyclic root", "1/N missing", "twiddles in natural order"},
		Pair:       true,
		Judge:      judgeNTTConvolution,
	},
	{
		ID:         model.NTTButterfly,
		Statement:  "where butterflies of a stage meet u+t ≡ 0 or u ≡ t, every result is exact and in its range",
		Hypotheses: "the input comes of the stages before the chosen one, run backwards; of both decimations",
		Source:     "[Gentleman-Sande 1966]; [Cooley-Tukey 1965]",
		Kills:      []string{"> for >= in the modular sum", "> for >= in the modular difference", "no final subtraction"},
		Families:   []string{"boundary", "boundary", "boundary", "edges"},
		Pair:       true,
		Judge:      judgeNTTButterfly,
	},
	{
		ID:         model.NTTFactor,
		Statement:  "F(c·x^0) is c everywhere, and I of c everywhere is c·x^0, times N if unscaled: no factor but the claimed one, and the claimed power of R",
		Hypotheses: "none",
		Source:     "the claim: Unscaled, and Power of each side",
		Kills:      []string{"1/N missing", "a factor R left in the results"},
		Families:   []string{"constant", "edges"},
		Judge:      judgeNTTFactor,
	},
	{
		ID:         model.NTTRefuses,
		Statement:  "Plan refuses moduli, sizes and roots that are not claimed, and transforms refuse wrong lengths, each with an error; if so claimed, it names the number",
		Hypotheses: "no modulus is asked for primality unless Moduli.Prime is claimed",
		Source:     "the claim: Moduli, MinN, MaxN",
		Kills:      []string{"even modulus accepted", "modulus above the range accepted", "root of another order accepted", "wrong length accepted"},
		Applies: func(c *modular.TransformClaim) string {
			return vectors.Unless(!c.Unchecked, "the claim leaves it to the caller to ask for what it admits")
		},
		Families: []string{"outside"},
		Judge:    func(*NTTCase) verdict.Verdict { return verdict.NotMet("the law is judged without a plan") },
		Refuses:  true,
	},
}

func directionOffered(c *modular.TransformClaim) string {
	return vectors.Unless(c.Forward.Offered() || c.Inverse.Offered(), "the claim offers a product alone")
}

// each calls f with every transform of a batch.
func (c *NTTCase) each(f func(from, to int)) {
	for i := 0; i < len(c.X); i += c.N() {
		f(i, i+c.N())
	}
}

// scaled multiplies by a residue, in place.
func (c *NTTCase) scaled(x []uint64, by uint64) []uint64 {
	if by != 1 {
		for i, v := range x {
			x[i] = oracle.MulMod(v, by, c.Q())
		}
	}
	return x
}

// reduced returns the residues of numbers.
func (c *NTTCase) reduced(x []uint64) []uint64 {
	r := c.trial.take(len(x))
	for i, v := range x {
		r[i] = v % c.Q()
	}
	return r
}

// exactly returns the transforms of the oracle.
func (c *NTTCase) exactly(x []uint64, f func(dst, src []uint64)) []uint64 {
	want := c.reduced(x)
	for i := 0; i < len(want); i += c.N() {
		f(want[i:i+c.N()], want[i:i+c.N()])
	}
	return want
}

// times returns the product of two vectors, number by number.
func (c *NTTCase) times(a, b []uint64) []uint64 {
	z := c.trial.take(len(a))
	for i := range a {
		z[i] = oracle.MulMod(a[i], b[i], c.Q())
	}
	return z
}

// JudgeNTTExact compares every transform offered with the definition, word by word.
func JudgeNTTExact(c *NTTCase) verdict.Verdict {
	if c.Claim.Forward.Offered() {
		if v := c.Equal("forward transform", c.Forward(c.X), c.exactly(c.X, c.p.o.Forward)); v.Fails() {
			return v
		}
	}
	if c.Claim.Inverse.Offered() {
		if v := c.Equal("inverse transform", c.Inverse(c.X), c.scaled(c.exactly(c.X, c.p.o.Inverse), c.Scale())); v.Fails() {
			return v
		}
	}
	if c.Claim.Product {
		z := c.times(c.exactly(c.X, c.p.o.Forward), c.exactly(c.Y, c.p.o.Forward))
		if v := c.Equal("product", c.Product(c.X, c.Y), c.exactly(z, c.p.o.Inverse)); v.Fails() {
			return v
		}
		x := c.exactly(c.X, c.p.o.Forward)
		return c.Equal("product of a slice with itself", c.residues(productSide, c.square(c.words(productSide, c.X))), c.exactly(c.times(x, x), c.p.o.Inverse))
	}
	return verdict.Held("", 0)
}

// there turns the words of one side into those of another. Where the one's are the other's they go over as they are.
func (c *NTTCase) there(from, to modular.Side, words []uint64) []uint64 {
	if from.Order == to.Order && from.Power == to.Power && from.Range <= to.Range {
		return words
	}
	return c.words(to, c.residues(from, words))
}

func judgeNTTRoundtrip(c *NTTCase) verdict.Verdict {
	f, i := &c.Claim.Forward, &c.Claim.Inverse
	want := c.scaled(c.reduced(c.X), c.Scale())
	got := c.residues(i.Out, c.inverse(c.there(f.Out, i.In, c.forward(c.words(f.In, c.X)))))
	if v := c.Equal("inverse of forward transform", got, want); v.Fails() {
		return v
	}
	got = c.residues(f.Out, c.forward(c.there(i.Out, f.In, c.inverse(c.words(i.In, c.X)))))
	return c.Equal("forward of inverse transform", got, want)
}

// shifted returns x·a for each polynomial a.
func (c *NTTCase) shifted(a []uint64) []uint64 {
	s := c.trial.take(len(a))
	c.each(func(from, to int) {
		last := a[to-1] % c.Q()
		if c.Transform.Negacyclic && last != 0 {
			last = c.Q() - last
		}
		copy(s[from+1:to], a[from:to-1])
		s[from] = last
	})
	return s
}

// turned multiplies number k of each transform by the point at which it is the value.
func (c *NTTCase) turned(x []uint64) []uint64 {
	z := c.trial.take(len(x))
	root, q := c.Transform.Root, c.Q()
	step := root
	if c.Transform.Negacyclic {
		step = oracle.MulMod(root, root, q)
	}
	c.each(func(from, to int) {
		at := 1 % q
		if c.Transform.Negacyclic {
			at = root
		}
		for k := from; k < to; k++ {
			z[k] = oracle.MulMod(x[k], at, q)
			at = oracle.MulMod(at, step, q)
		}
	})
	return z
}

func judgeNTTShift(c *NTTCase) verdict.Verdict {
	if c.Claim.Forward.Offered() {
		if v := c.Equal("forward transform of x·a", c.Forward(c.shifted(c.X)), c.turned(c.Forward(c.X))); v.Fails() {
			return v
		}
	}
	if c.Claim.Inverse.Offered() {
		return c.Equal("inverse transform of the turned values", c.Inverse(c.turned(c.X)), c.shifted(c.Inverse(c.X)))
	}
	return verdict.Held("", 0)
}

func judgeNTTImpulse(c *NTTCase) verdict.Verdict {
	q, n := c.Q(), c.N()
	forward, inverse := c.trial.take(len(c.X)), c.trial.take(len(c.X))
	back, _ := oracle.InvMod(c.Transform.Root, q)
	perN, _ := oracle.InvMod(uint64(n), q)
	dense := false
	c.each(func(from, to int) {
		j, value := 0, uint64(0)
		for i, v := range c.X[from:to] {
			if v%q != 0 {
				dense = dense || value != 0
				j, value = i, v%q
			}
		}
		// The forward transform is a progression in k, the inverse one in j.
		start, step := uint64(1%q), oracle.PowMod(c.Transform.Root, uint64(j), q)
		backStep := oracle.PowMod(back, uint64(j), q)
		if c.Transform.Negacyclic {
			start, step = step, oracle.MulMod(step, step, q)
			backStep = oracle.MulMod(oracle.MulMod(backStep, backStep, q), back, q)
		}
		at := oracle.MulMod(value, start, q)
		from0 := oracle.MulMod(oracle.MulMod(value, perN, q), c.Scale(), q)
		for k := from; k < to; k++ {
			forward[k], inverse[k] = at, from0
			at, from0 = oracle.MulMod(at, step, q), oracle.MulMod(from0, backStep, q)
		}
	})
	if dense {
		return verdict.NotMet("the input is no impulse")
	}
	if c.Claim.Forward.Offered() {
		if v := c.Equal("forward transform of an impulse", c.Forward(c.X), forward); v.Fails() {
			return v
		}
	}
	if c.Claim.Inverse.Offered() {
		return c.Equal("inverse transform of an impulse", c.Inverse(c.X), inverse)
	}
	return verdict.Held("", 0)
}

// hash returns a number that follows from the case's first vector.
func (c *NTTCase) hash() uint64 {
	h := draw.Mix(uint64(c.N()) ^ c.Q()<<20)
	for _, v := range c.X {
		h = draw.Mix(h ^ v)
	}
	return h
}

// allPoints is the size up to which all numbers are evaluated one by one; of larger transforms somePoints are.
const (
	allPoints  = 32
	somePoints = 6
)

// points returns the places to look at.
func (c *NTTCase) points() []int {
	n := c.N()
	var list []int
	if n <= allPoints {
		for k := range n {
			list = append(list, k)
		}
		return list
	}
	rng := draw.Splitmix(c.hash())
	list = append(list, 0, n/2)
	for len(list) < somePoints {
		list = append(list, rng.Below(n))
	}
	return list
}

func judgeNTTEval(c *NTTCase) verdict.Verdict {
	q, n := c.Q(), c.N()
	points := c.points()
	x := c.reduced(c.X)
	look := func(what string, got []uint64, value func(x []uint64, k int) uint64) verdict.Verdict {
		is, want := c.trial.take(len(points)), c.trial.take(len(points))
		for from := 0; from < len(x); from += n {
			for i, k := range points {
				is[i], want[i] = got[from+k], value(x[from:from+n], k)
			}
			if v := c.Equal(what, is, want); v.Fails() {
				// The places are those of the points.
				d := c.trial.diff
				first := 0
				for is[first] == want[first] {
					first++
				}
				d.Batch, d.Place = from/n, points[first]
				v.Reason = fmt.Sprintf("%s: number %d%s is %d, and the polynomial has %d there; %s looked at",
					what, d.Place, batchText(d.Batch), d.Got, d.Want, placesText(d.Differ, d.Of))
				return v
			}
		}
		return verdict.Held("", 0)
	}
	if c.Claim.Forward.Offered() {
		if v := look("forward transform", c.Forward(c.X), c.p.o.At); v.Fails() {
			return v
		}
	}
	if c.Claim.Inverse.Offered() {
		back, _ := oracle.InvMod(c.Transform.Root, q)
		perN, _ := oracle.InvMod(uint64(n), q)
		factor := oracle.MulMod(perN, c.Scale(), q)
		return look("inverse transform", c.Inverse(c.X), func(x []uint64, j int) uint64 {
			first := oracle.PowMod(back, uint64(j), q)
			at, turn := first, uint64(1%q)
			if c.Transform.Negacyclic {
				at, turn = oracle.MulMod(first, first, q), first
			}
			sum := uint64(0)
			for k := n - 1; k >= 0; k-- {
				sum = oracle.AddMod(oracle.MulMod(sum, at, q), x[k], q)
			}
			return oracle.MulMod(oracle.MulMod(sum, turn, q), factor, q)
		})
	}
	return verdict.Held("", 0)
}

func judgeNTTLinear(c *NTTCase) verdict.Verdict {
	q := c.Q()
	h := c.hash()
	by := [...]uint64{h % q, q - 1, 1 % q, 2 % q, h >> 8 % q, h >> 16 % q}[h>>60%6]
	sum := func(x, y []uint64) []uint64 {
		z := c.trial.take(len(x))
		for i := range x {
			z[i] = oracle.AddMod(oracle.MulMod(x[i]%q, by, q), y[i]%q, q)
		}
		return z
	}
	z := sum(c.X, c.Y)
	if c.Claim.Forward.Offered() {
		if v := c.Equal(fmt.Sprintf("forward transform of %d·a+b", by), c.Forward(z), sum(c.Forward(c.X), c.Forward(c.Y))); v.Fails() {
			return v
		}
	}
	if c.Claim.Inverse.Offered() {
		if v := c.Equal(fmt.Sprintf("inverse transform of %d·a+b", by), c.Inverse(z), sum(c.Inverse(c.X), c.Inverse(c.Y))); v.Fails() {
			return v
		}
	}
	if c.Claim.Product {
		want := c.scaled(c.Product(c.X, c.Y), by)
		if v := c.Equal(fmt.Sprintf("product of %d·a and b", by), c.Product(c.scaled(c.reduced(c.X), by), c.Y), want); v.Fails() {
			return v
		}
		return c.Equal(fmt.Sprintf("%d times the product of b and a", by), c.scaled(c.Product(c.Y, c.X), by), want)
	}
	return verdict.Held("", 0)
}

// schoolbook says how many products of numbers a case may take.
const schoolbook = 1 << 20

// multiplied returns the product of polynomials by the schoolbook; whole is false if only the places are computed.
func (c *NTTCase) multiplied(a, b []uint64) (z []uint64, places []int, whole bool) {
	q, n := c.Q(), c.N()
	count := func(x []uint64) (most int) {
		for from := 0; from < len(x); from += n {
			k := 0
			for _, v := range x[from : from+n] {
				if v != 0 {
					k++
				}
			}
			most = max(most, k)
		}
		return most
	}
	z = c.trial.take(len(a))
	if few := count(a); few < count(b) {
		a, b = b, a
	}
	if count(b)*len(a) <= schoolbook {
		times := oracle.CyclicProductSparse
		if c.Transform.Negacyclic {
			times = oracle.NegacyclicProductSparse
		}
		for from := 0; from < len(a); from += n {
			var terms []oracle.Term
			for i, v := range b[from : from+n] {
				if v != 0 {
					terms = append(terms, oracle.Term{Index: i, Value: v})
				}
			}
			times(z[from:from+n], a[from:from+n], terms, q)
		}
		return z, nil, true
	}
	places = c.points()
	for from := 0; from < len(a); from += n {
		for _, k := range places {
			sum := uint64(0)
			for i := range n {
				p := oracle.MulMod(a[from+i], b[from+(k-i+n)%n], q)
				if i > k && c.Transform.Negacyclic {
					p = oracle.SubMod(0, p, q)
				}
				sum = oracle.AddMod(sum, p, q)
			}
			z[from+k] = sum
		}
	}
	return z, places, false
}

// product judges got against a·b, scaled.
func (c *NTTCase) isProduct(what string, got, a, b []uint64, scale uint64) verdict.Verdict {
	want, places, whole := c.multiplied(a, b)
	if !whole {
		g, w := c.trial.take(len(got)), c.trial.take(len(got))
		clear(g)
		clear(w)
		for from := 0; from < len(got); from += c.N() {
			for _, k := range places {
				g[from+k], w[from+k] = got[from+k], want[from+k]
			}
		}
		got, want = g, w
	}
	return c.Equal(what, got, c.scaled(want, scale))
}

func judgeNTTConvolution(c *NTTCase) verdict.Verdict {
	x, y := c.reduced(c.X), c.reduced(c.Y)
	forward, inverse := c.Claim.Forward.Offered(), c.Claim.Inverse.Offered()
	switch {
	case forward && inverse:
		got := c.Inverse(c.times(c.Forward(c.X), c.Forward(c.Y)))
		if v := c.isProduct("inverse of the product of transforms", got, x, y, c.Scale()); v.Fails() {
			return v
		}
	case forward:
		z, _, whole := c.multiplied(x, y)
		if !whole {
			return verdict.NotMet("the operands are large and dense, and no inverse is offered")
		}
		if v := c.Equal("forward transform of the product a·b", c.Forward(z), c.times(c.Forward(c.X), c.Forward(c.Y))); v.Fails() {
			return v
		}
	case inverse:
		got := c.scaled(c.Inverse(c.times(x, y)), c.Scale())
		if v := c.isProduct("inverse transform of the product of values", got, c.Inverse(c.X), c.Inverse(c.Y), 1%c.Q()); v.Fails() {
			return v
		}
	}
	if c.Claim.Product {
		return c.isProduct("product", c.Product(c.X, c.Y), x, y, 1%c.Q())
	}
	return verdict.Held("", 0)
}

// judgeNTTFactor looks at constants alone, where no root matters.
func judgeNTTFactor(c *NTTCase) verdict.Verdict {
	q := c.Q()
	at0, all := c.trial.take(len(c.X)), c.trial.take(len(c.X))
	clear(at0)
	c.each(func(from, to int) {
		at0[from] = c.X[from] % q
		for i := from; i < to; i++ {
			all[i] = c.X[from] % q
		}
	})
	if c.Claim.Forward.Offered() {
		if v := c.Equal("forward transform of a constant", c.Forward(at0), all); v.Fails() {
			return v
		}
	}
	if c.Claim.Inverse.Offered() {
		want := c.scaled(slices.Clone(at0), c.Scale())
		if v := c.Equal("inverse transform of equal values", c.Inverse(all), want); v.Fails() {
			return v
		}
	}
	if c.Claim.Product {
		return c.Equal("product with a constant", c.Product(all, at0), c.times(all, all))
	}
	return verdict.Held("", 0)
}

// judgeNTTButterfly is exactness and range at once.
func judgeNTTButterfly(c *NTTCase) verdict.Verdict {
	if c.Claim.Forward.Offered() {
		w := c.forward(c.words(c.Claim.Forward.In, c.X))
		if v := c.below("forward transform", w, c.Claim.Forward.Out.Range); v.Fails() {
			return v
		}
		if v := c.Equal("forward transform", c.residues(c.Claim.Forward.Out, w), c.exactly(c.X, c.p.o.Forward)); v.Fails() {
			return v
		}
	}
	if c.Claim.Inverse.Offered() {
		w := c.inverse(c.words(c.Claim.Inverse.In, c.X))
		if v := c.below("inverse transform", w, c.Claim.Inverse.Out.Range); v.Fails() {
			return v
		}
		if v := c.Equal("inverse transform", c.residues(c.Claim.Inverse.Out, w), c.scaled(c.exactly(c.X, c.p.o.Inverse), c.Scale())); v.Fails() {
			return v
		}
	}
	if c.Claim.Product {
		w := c.product(c.words(productSide, c.X), c.words(productSide, c.Y))
		if v := c.below("product", w, 1); v.Fails() {
			return v
		}
		z := c.times(c.exactly(c.X, c.p.o.Forward), c.exactly(c.Y, c.p.o.Forward))
		return c.Equal("product", w, c.exactly(z, c.p.o.Inverse))
	}
	return verdict.Held("", 0)
}

// below judges that words lie in [0, f·q).
func (c *NTTCase) below(what string, words []uint64, f uint64) verdict.Verdict {
	hi, limit := bits.Mul64(f, c.Q())
	if hi != 0 {
		return verdict.Held(fmt.Sprintf("%d·q of the %s", f, what), 0)
	}
	most := uint64(0)
	for i, w := range words {
		if w >= limit {
			d := &nttDifference{What: what, Batch: i / c.N(), Place: i % c.N(), Got: w, Want: limit, Of: len(words), word: true}
			for _, w := range words {
				if w >= limit {
					d.Differ++
				}
			}
			c.trial.diff = d
			return verdict.Fails(fmt.Sprintf("%s: the word at place %d%s is %d = %s·q, and must lie below %d·q = %d; %s",
				what, d.Place, batchText(d.Batch), w, multipleOf(w, c.Q()), f, limit, outsideText(d.Differ, d.Of)), nil)
		}
		most = max(most, w)
	}
	return verdict.Held(fmt.Sprintf("%d·q of the %s", f, what), float64(most)/float64(limit))
}

func outsideText(differ, of int) string {
	if of == 1 {
		return "it is the only word"
	}
	return fmt.Sprintf("%d of %d words do not", differ, of)
}

// multipleOf writes w as a multiple of q, to four places, cut off.
func multipleOf(w, q uint64) string {
	hi, lo := bits.Mul64(w%q, 10000)
	part, _ := bits.Div64(hi, lo, q)
	return fmt.Sprintf("%d.%04d", w/q, part)
}
