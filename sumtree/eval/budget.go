package eval

import (
	"fmt"
	"math/big"

	"gamma/model"
	"gamma/model/round"
	"gamma/sumtree"
)

// LocalAddBound reports whether |roundAdd(a, b) - (a+b)| <= u·(|a|+|b|) for every given pair, and
// if not, the first pair that violates it.
//
// Source: [TorchLean] LocalAddBound, which requires it of all pairs of reals. No binary format's
// rounding satisfies that for u = 2^-P, since a+b may be a real below the least subnormal; for pairs
// of numbers of the format it holds unless they overflow [FloatLib].
func LocalAddBound(roundAdd func(a, b *big.Rat) *big.Rat, u *big.Rat, pairs [][2]*big.Rat) (ok bool, at int) {
	for i, p := range pairs {
		e := new(big.Rat).Add(p[0], p[1])
		e.Sub(roundAdd(p[0], p[1]), e)
		bound := new(big.Rat).Add(new(big.Rat).Abs(p[0]), new(big.Rat).Abs(p[1]))
		if e.Abs(e).Cmp(bound.Mul(bound, u)) > 0 {
			return false, i
		}
	}
	return true, -1
}

// LocalAddBound reports whether |fl(a+b) - (a+b)| <= 2^-P·(|a|+|b|) for the operands a and b that
// every addition of the run has: the premise of [FloatLib]. If not, at is the first node that
// violates it. Other nodes are not examined.
//
// Domain: a run that is Finite; it panics otherwise.
func (run *Run) LocalAddBound() (ok bool, at sumtree.Ref) {
	var buf [2]sumtree.Ref
	for i := range run.Node {
		r := sumtree.Ref(i)
		if run.Tree.Kind(r) != sumtree.Add {
			continue
		}
		ops := run.Tree.Operands(r, buf[:])
		a, b := run.value(ops[0]), run.value(ops[1])
		e := run.value(r).add(a.add(b).neg()).abs()
		bound := a.abs().add(b.abs())
		bound.e -= run.Arith.F.P
		if bound.add(e.neg()).m.Sign() < 0 {
			return false, r
		}
	}
	return true, 0
}

// value returns the number that leaf or node r of a finite run is.
func (run *Run) value(r sumtree.Ref) dyadic { return decoded(run.Format(r), run.Bits(r)) }

// LocalErrors returns the sum over all nodes of |result - exact operation on its operands|,
// exactly. For a tree of additions, fused multiply-adds of leaves and products of leaves it bounds
// |computed - exact|, for every rounding, flushing and format.
//
// Domain: a run that is Finite; it panics otherwise.
// Error:  trees in which a factor is not a leaf, where an error may be multiplied.
// Source: [FloatLib] abs_eval_sub_exact_le_errorBudget.
func (run *Run) LocalErrors() (*big.Rat, error) {
	sum := zero()
	err := run.eachNode(func(r sumtree.Ref, vals []dyadic) error {
		exact, err := exactNode(run.Tree, r, vals)
		if err == nil {
			sum = sum.add(run.value(r).add(exact.neg()).abs())
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return sum.rat(), nil
}

// eachNode calls f for every node with the values of its operands, after checking that errors only
// add up in the tree.
func (run *Run) eachNode(f func(r sumtree.Ref, vals []dyadic) error) error {
	var (
		buf  [2]sumtree.Ref
		vals []dyadic
	)
	for i := range run.Node {
		r := sumtree.Ref(i)
		ops := run.Tree.Operands(r, buf[:])
		if err := leafFactors(run.Tree, r, ops); err != nil {
			return err
		}
		vals = vals[:0]
		for _, o := range ops {
			vals = append(vals, run.value(o))
		}
		if err := f(r, vals); err != nil {
			return err
		}
	}
	return nil
}

// leafFactors returns an error if node r multiplies anything but leaves.
func leafFactors(t *sumtree.Tree, r sumtree.Ref, ops []sumtree.Ref) error {
	factors := 0
	switch t.Kind(r) {
	case sumtree.Product, sumtree.Fma:
		factors = 2
	case sumtree.Fused:
		if t.Adder(r).Pairs {
			factors = len(ops) &^ 1
		}
	case sumtree.Opaque:
		return noValue(t, r)
	}
	for _, o := range ops[:factors] {
		if !o.IsLeaf() {
			return fmt.Errorf("eval: node %d multiplies the result of node %d, whose error is not covered by a budget", r, o)
		}
	}
	return nil
}

// HalfUlps returns the a-posteriori bound Σ ulp(fl)/2 over the nodes' results fl, exactly; in
// directed roundings Σ ulp(fl). Additions whose result is zero or subnormal are exact and add
// nothing.
//
// Domain: a run that is Finite; it panics otherwise.
// Error:  |computed - exact| <= HalfUlps for trees of Add, Round, Product and Fma over leaves;
// other trees, and arithmetics that flush, are an error: LocalErrors bounds those.
// Source: [FloatLib] abs_toReal_eval_sub_sum_le.
func (run *Run) HalfUlps() (*big.Rat, error) {
	if run.Arith.Fl.Any() {
		return nil, fmt.Errorf("eval: half an ulp does not bound the error of an operation that flushes; use LocalErrors")
	}
	sum := zero()
	err := run.eachNode(func(r sumtree.Ref, _ []dyadic) error {
		k := run.Tree.Kind(r)
		switch k {
		case sumtree.Fused, sumtree.AnyOrder:
			return fmt.Errorf("eval: half an ulp does not bound the error of node %d, %s; use LocalErrors", r, k)
		}
		if k != sumtree.Round && !run.uniform(r) {
			return fmt.Errorf("eval: node %d meets operands of another format, whose conversion half an ulp does not bound; use LocalErrors", r)
		}
		f, b := run.Format(r), run.Bits(r)
		if k == sumtree.Add && f.Class(b) < model.ClassNormal {
			return nil
		}
		e := f.UlpExp(b)
		if run.Arith.R.Nearest() {
			e--
		}
		sum = sum.add(dyadic{big.NewInt(1), e})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return sum.rat(), nil
}

// uniform reports whether the operands of r have the format of the arithmetic.
func (run *Run) uniform(r sumtree.Ref) bool {
	var buf [2]sumtree.Ref
	for _, o := range run.Tree.Operands(r, buf[:]) {
		if run.Format(o) != run.Arith.F {
			return false
		}
	}
	return true
}

// budgetPrec is the precision at which budgets are kept, every operation rounded up.
const budgetPrec = 128

// upward is a non-negative number that only grows by rounding.
type upward struct{ f *big.Float }

func newUpward() upward {
	return upward{new(big.Float).SetPrec(budgetPrec).SetMode(big.ToPositiveInf)}
}

func (a upward) add(b upward) upward {
	r := newUpward()
	r.f.Add(a.f, b.f)
	return r
}

func (a upward) mul(b upward) upward {
	r := newUpward()
	r.f.Mul(a.f, b.f)
	return r
}

// above returns |d|, rounded up.
func above(d dyadic) upward {
	r := newUpward()
	r.f.SetInt(new(big.Int).Abs(d.m))
	r.f.SetMantExp(r.f, d.e)
	return r
}

// RecursiveBudget returns an upper bound for |computed - exact| of t over leaves x in arithmetic a:
// the E of the root, where E(leaf) = 0 and, over a node's operands l and r with exact values Sl and Sr,
//
//	E(l+r)   = (1+v)·(El+Er) + v·|Sl+Sr|
//	E(x·y)   = v·|xy| + η
//	E(xy+z)  = (1+v)·Ez + v·|xy+Sz| + η
//	E(round) = (1+w)·El + w·|Sl| + η'
//
// v = u/(1+u) to nearest, 2u in directed roundings, and η twice as large there; w and η' those of
// the format that is rounded to. With Flush.Out each node adds 2^Emin. With Flush.In each operand
// adds what it may lose: a subnormal leaf itself, a node 2^Emin unless Flush.Out, and a
// product with a subnormal factor the product.
//
// Proof. A node adds operands that are off by El and Er at most, so that what it rounds is at most |Sl+Sr|+El+Er; rounding errs by v of
// that (model.V) or, for a product, by η where it underflows. A flush loses less than 2^Emin. The rest is the triangle inequality.
//
// Domain: no overflow: true of runs that are Finite and formats that do not saturate.
// Error:  exact recursion <= RecursiveBudget <= (1+2^-120)^(4·nodes) times it.
// It is not a bound for leaves that are not finite, factors that are not leaves, operands of Add, Product
// and Fma in another format, and nodes Fused, AnyOrder and Opaque, which give an error.
// Source: [Gamma T3].
func RecursiveBudget(t *sumtree.Tree, a round.Arith, x []uint64) (*big.Rat, error) {
	if len(x) != t.LeafCount() {
		panic(tooFewValues(t.LeafCount(), len(x)))
	}
	if err := finiteLeaves(a.F, x); err != nil {
		return nil, err
	}
	var (
		budget  = make([]upward, t.NodeCount())
		failure error
		b       = newBudget(a)
	)
	subnormal := func(r sumtree.Ref) bool {
		return r.IsLeaf() && a.Fl.In && a.F.Class(x[r.Leaf()]) == model.ClassSubnormal
	}
	// of returns the error of an operand as a node reads it.
	of := func(r sumtree.Ref, v dyadic) upward {
		switch {
		case subnormal(r):
			return above(v)
		case r.IsLeaf():
			return newUpward()
		}
		e := budget[r]
		budget[r] = upward{}
		if a.Fl.In && !a.Fl.Out {
			e = e.add(b.normal)
		}
		return e
	}
	see := func(r sumtree.Ref, ops []sumtree.Ref, vals []dyadic, v dyadic) {
		if failure != nil {
			return
		}
		if failure = leafFactors(t, r, ops); failure != nil {
			return
		}
		var e upward
		switch k := t.Kind(r); k {
		case sumtree.Add:
			e = b.grow.mul(of(ops[0], vals[0]).add(of(ops[1], vals[1]))).add(b.v.mul(above(v)))
		case sumtree.Product, sumtree.Fma:
			lost, product := newUpward(), vals[0].mul(vals[1])
			if subnormal(ops[0]) || subnormal(ops[1]) {
				lost = above(product)
			}
			if k == sumtree.Fma {
				lost = lost.add(of(ops[2], vals[2]))
			}
			e = b.grow.mul(lost).add(b.v.mul(above(v))).add(b.eta)
		case sumtree.Round:
			w := newBudget(round.Arith{F: t.Format(r), R: a.R, Fl: a.Fl})
			e = w.grow.mul(of(ops[0], vals[0])).add(w.v.mul(above(v))).add(w.eta).add(w.flushed)
		default:
			failure = fmt.Errorf("eval: node %d, %s, has no budget", r, k)
			return
		}
		isRound := t.Kind(r) == sumtree.Round
		for _, o := range ops {
			if !o.IsLeaf() && t.Kind(o) == sumtree.Round && t.Format(o) != a.F && (!isRound || a.Fl.In) {
				failure = fmt.Errorf("eval: node %d meets an operand of %s, whose conversion is not covered by a budget", r, t.Format(o))
			}
		}
		if !isRound {
			e = e.add(b.flushed)
		}
		budget[r] = e
	}
	leaf := func(r sumtree.Ref) dyadic { return decoded(a.F, x[r.Leaf()]) }
	if _, err := exactNodes(t, leaf, see); err != nil {
		return nil, err
	}
	if failure != nil {
		return nil, failure
	}
	if t.NodeCount() == 0 || t.Root().IsLeaf() {
		return new(big.Rat), nil
	}
	r, _ := budget[t.Root()].f.Rat(nil)
	return r, nil
}

// budget holds the constants of one arithmetic, rounded up.
type budget struct{ v, grow, eta, normal, flushed upward }

func newBudget(a round.Arith) budget {
	pow := func(e int) upward { return above(dyadic{big.NewInt(1), e}) }
	b := budget{normal: pow(a.F.Emin), flushed: newUpward()}
	if a.R.Nearest() {
		b.v = newUpward()
		one := new(big.Float).SetPrec(budgetPrec).SetInt64(1)
		den := new(big.Float).SetPrec(budgetPrec).SetInt64(1<<a.F.P + 1)
		b.v.f.Quo(one, den) // u/(1+u) = 1/(2^P+1)
		b.eta = pow(a.F.EtaExp())
	} else {
		b.v, b.eta = pow(1-a.F.P), pow(a.F.EtaExp()+1)
	}
	b.grow = pow(0).add(b.v)
	if a.Fl.Out {
		b.flushed = b.normal
	}
	return b
}
