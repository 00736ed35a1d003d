package transforms

import (
	"fmt"
	"math/big"
	"slices"

	"gamma/model"
	"gamma/model/modular"
	"gamma/props/internal/verdict"
)

var rangeLawsNTT = []NTTLaw{
	{
		ID:         model.NTTRange,
		Statement:  "every word of a result lies in [0, f·q) of the claimed f, and after each stage in what its recurrence is proved to keep",
		Hypotheses: "words of the input are in their range, as any up to its end are; stages are looked at where the kernel offers them",
		Source:     "[Harvey 2014] §3; model/modular.Recurrence",
		Kills:      []string{"no final subtraction", "> for >= in the modular difference", "a lazy stage without its reduction"},
		Families:   []string{"lazy", "top", "boundary", "random", "lazy", "edges", "boundary", "alternating", "constant", "boundary"},
		Judge:      judgeNTTRange,
	},
}

// stageBounds are the proven bounds of one direction for one modulus and size.
type stageBounds struct {
	bounds []*big.Rat // in multiples of q, after each stage, and after the last pass if there is one
	limits []uint64   // words lie below; 0: any word does
	why    string     // there are none
}

// sides of a stageBounds in a plan.
const (
	forwardSide = iota
	inverseSide
)

// stages returns the proven bounds of one direction.
func (c *NTTCase) stages(side int) *stageBounds {
	if b := c.p.bounds[side]; b != nil {
		return b
	}
	d := &c.Claim.Forward
	if side == inverseSide {
		d = &c.Claim.Inverse
	}
	b := &stageBounds{}
	c.p.bounds[side] = b
	if d.Stages == nil {
		b.why = "the claim declares no recurrences"
		return b
	}
	in := new(big.Rat).SetInt(new(big.Int).SetUint64(d.In.Range))
	bounds, err := modular.StageBounds(d.Stages(c.N()), in, c.Q(), c.Claim.Bits)
	if err != nil {
		b.why = err.Error()
		return b
	}
	b.bounds = bounds
	q := new(big.Rat).SetInt(new(big.Int).SetUint64(c.Q()))
	for _, r := range bounds {
		v := new(big.Rat).Mul(r, q)
		up := new(big.Int).Add(v.Num(), v.Denom())
		up.Sub(up, big.NewInt(1)).Quo(up, v.Denom())
		if limit := uint64(0); up.IsUint64() {
			limit = up.Uint64()
			b.limits = append(b.limits, limit)
		} else {
			b.limits = append(b.limits, 0)
		}
	}
	return b
}

// CheckStages refuses a claim whose recurrences leave the words at a modulus that is claimed.
func CheckStages(c *modular.TransformClaim) error {
	for _, d := range []struct {
		name string
		d    *modular.Direction
	}{{"Forward", &c.Forward}, {"Inverse", &c.Inverse}} {
		if !d.d.Offered() || d.d.Stages == nil {
			continue
		}
		most := 1 << maxLogN
		if c.MaxN > 0 {
			most = c.MaxN
		}
		in := new(big.Rat).SetInt(new(big.Int).SetUint64(d.d.In.Range))
		claimed := c.Moduli.MaxModulus(c.Bits)
		claimed -= 1 - claimed&1 // the greatest odd one: no other has transforms
		for _, n := range []int{max(c.MinN, 2), most / 2, most} {
			if n < max(c.MinN, 1) {
				continue
			}
			stages := d.d.Stages(n)
			if slices.Contains(stages, nil) {
				return fmt.Errorf("Claim.%s.Stages(%d) returns a recurrence that is nil; leave Stages out where there is none", d.name, n)
			}
			// Conditions that hold for a modulus hold for all below.
			if _, err := modular.StageBounds(stages, in, claimed, c.Bits); err != nil {
				admits := modular.MaxModulus(stages, in, c.Bits)
				return fmt.Errorf("Claim.Moduli admits moduli up to %d = %#x, and the stages of Claim.%s for %d points leave words of %d bits there: %w; "+
					"the greatest modulus for which they are proved to stay is %d = %#x: claim that as Moduli.Max, or reduce more often",
					claimed, claimed, d.name, n, c.Bits, err, admits, admits)
			}
		}
	}
	return nil
}

// nttReach is how near to its bound a stage has come.
type nttReach struct {
	name  string
	ratio float64 // of a word and the bound
	word  float64 // the greatest, as a multiple of q
}

// reached notes how far the words of a stage went.
func (tr *nttTrial) reached(name string, word, q uint64, bound *big.Rat) float64 {
	limit, _ := new(big.Rat).Mul(bound, new(big.Rat).SetInt(new(big.Int).SetUint64(q))).Float64()
	ratio := float64(word) / limit
	i := slices.IndexFunc(tr.reach, func(r nttReach) bool { return r.name == name })
	if i < 0 {
		i = len(tr.reach)
		tr.reach = append(tr.reach, nttReach{name: name})
	}
	r := &tr.reach[i]
	r.ratio, r.word = max(r.ratio, ratio), max(r.word, float64(word)/float64(q))
	return ratio
}

func judgeNTTRange(c *NTTCase) verdict.Verdict {
	best := verdict.Held("", 0)
	worse := func(v verdict.Verdict) bool { // keeps the nearest to its bound; true: v fails
		if v.Fails() || v.Ratio > best.Ratio || best.Bound == "" {
			best = v
		}
		return v.Fails()
	}
	for side, d := range []*modular.Direction{&c.Claim.Forward, &c.Claim.Inverse} {
		if !d.Offered() {
			continue
		}
		what, run, stages := "forward transform", c.forward, c.p.k.ForwardStages
		if side == inverseSide {
			what, run, stages = "inverse transform", c.inverse, c.p.k.InverseStages
		}
		in := c.words(d.In, c.X)
		out := run(in)
		if worse(c.below(what, out, d.Out.Range)) {
			return best
		}
		if stages == nil {
			continue
		}
		if worse(c.stageByStage(side, what, d, stages, in[:c.N()], out[:c.N()])) {
			return best
		}
	}
	if c.Claim.Product {
		worse(c.below("product", c.product(c.words(productSide, c.X), c.words(productSide, c.Y)), 1))
	}
	return best
}

// stageByStage runs a transform piece by piece.
func (c *NTTCase) stageByStage(side int, what string, d *modular.Direction, st *modular.Stages, in, out []uint64) verdict.Verdict {
	tr := c.trial
	x := slices.Clone(in)
	run := func(name string, f func(x []uint64) error) {
		dst := tr.lendResult(len(x))
		copy(dst, x)
		tr.call(name, func() error { return f(dst) })
		c.wide(name, dst)
		copy(x, dst)
	}
	b := c.stages(side)
	best := verdict.Held("", 0)
	if b.bounds != nil && len(b.bounds) != st.Count && len(b.bounds) != st.Count+1 {
		return verdict.Fails(fmt.Sprintf("the %s has %d stages, and its claim declares the recurrences of %d", what, st.Count, len(b.bounds)), nil)
	}
	step := func(name string, i int, f func(x []uint64) error) *verdict.Verdict {
		run(name, f)
		if i >= len(b.bounds) {
			return nil
		}
		limit, most := b.limits[i], uint64(0)
		for k, w := range x {
			most = max(most, w)
			if limit == 0 || w < limit {
				continue
			}
			tr.diff = &nttDifference{What: name, Place: k, Got: w, Want: limit, Of: len(x), Differ: 1, word: true}
			v := verdict.Fails(fmt.Sprintf("after the %s the word at place %d in memory is %d = %s·q, and its recurrence is proved to stay below %s·q",
				name, k, w, multipleOf(w, c.Q()), b.bounds[i].FloatString(4)), nil)
			return &v
		}
		if r := tr.reached(name, most, c.Q(), b.bounds[i]); r > best.Ratio {
			best = verdict.Held(fmt.Sprintf("%s·q after the %s", b.bounds[i].FloatString(4), name), r)
		}
		return nil
	}
	if st.Prepare != nil {
		run("preparation of the "+what, st.Prepare)
	}
	for s := range st.Count {
		if v := step(fmt.Sprintf("%s, stage %d", what, s), s, func(x []uint64) error { return st.Stage(s, x) }); v != nil {
			return *v
		}
	}
	if st.Finish != nil {
		if v := step("end of the "+what, st.Count, st.Finish); v != nil {
			return *v
		}
	}
	if v := c.below(what+", stage by stage", x, d.Out.Range); v.Fails() {
		return v
	}
	if v := c.Equal(what+", stage by stage", c.residues(d.Out, x), c.residues(d.Out, out)); v.Fails() {
		return v
	}
	return best
}
