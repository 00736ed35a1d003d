package formulas

import (
	"fmt"

	"gamma/model"
	"gamma/model/formula"
	"gamma/props/internal/report"
	"gamma/props/internal/verdict"
)

// deviceLaws are the laws of hardware: of what it gives beside a reference device, and run after run.
var deviceLaws = []Law{{
	ID:         model.DeviceEqual,
	Statement:  "the device gives the numbers that the reference device gives where the claim decides them; elsewhere both lie in their enclosures",
	Hypotheses: "round to nearest, no rewrites; the claim decides an element whose enclosure is a point, and all of a formula in which it leaves no choice. Zeros are one number",
	Source:     "[IEEE 754-2019] §4, §5.4; the claim",
	Kills:      []string{"a device that flushes, or rounds toward zero, and does not say so"},
	Hardware:   true, Compares: true,
	Judge: func(c *Call) verdict.Verdict { return c.t.beside(true) },
}, {
	ID:         model.DeviceRepeat,
	Statement:  "many runs give one result where the claim decides it; elsewhere each lies in its enclosure",
	Hypotheses: "round to nearest, no rewrites; the claim decides what Repeats says, all of a formula in which it leaves no choice, and all bytes of a kernel without one",
	Source:     "the claim",
	Kills:      []string{"a sum by atomics that claims one order"},
	Hardware:   true, Cost: 2,
	Judge: func(c *Call) verdict.Verdict { return c.t.beside(false) },
}}

// decided says why a kernel's claim leaves a choice of bits, "" if it leaves none: whoever computes the formula gives the same numbers.
func decided(k *Kernel) string {
	c := k.Claim.WithDefaults()
	switch {
	case k.Formula == nil:
		return valued(k)
	case !c.Exactly || !c.Unfused:
		return "the claim does not say Exactly and Unfused"
	case c.Flush.Any():
		return "the claim admits flushing"
	case len(c.AnyOf) > 0:
		return "the claim admits other formulas"
	}
	for _, e := range k.Formula.Nodes() {
		n := e.Node()
		switch n.Op {
		case formula.OpSum, formula.OpProd, formula.OpDot, formula.OpScanSum, formula.OpScanProd:
			if !n.Order.Left && e.Type().IsReal() {
				return fmt.Sprintf("the order of a %s is open", n.Op)
			}
		}
		if c.Functions.Ops[n.Op] != (formula.Promise{}) {
			return fmt.Sprintf("%s is not claimed to be correctly rounded", n.Op)
		}
	}
	return ""
}

// choice reports whether a kernel on a device may give other bits from run to run, and says why one is asked whether it does.
func (k *Kernel) choice() string {
	if k.Formula == nil || k.Repeats || decided(k) == "" {
		return ""
	}
	return "the kernel does not say Repeats, and " + decided(k)
}

// beside judges what a device gave by another run, on the reference device or on itself.
func (t *Trial) beside(compares bool) verdict.Verdict {
	if t.k.Formula != nil && t.overflows() {
		return verdict.Unclaimed("something overflows, and the claim says Finite")
	}
	own, other := t.at, make([]uint64, len(t.got))
	defer func() { t.at = own }()
	all := !compares && t.k.choice() == "" // every bit is claimed
	if compares {
		all = decided(&t.k) == "" && (own.Behaviour.Contract == model.ContractOff || t.k.Device.Strict) && !own.Behaviour.Flush.Any()
	}
	worst := 0.0
	v := t.Device.Beside(own, compares, func(at verdict.Setting, where string) verdict.Verdict {
		t.at = at
		if b := t.once(t.c, other); b != nil {
			if compares {
				b = b.On(t.Device.Reference)
			}
			return verdict.Breaks(b)
		}
		for i, bits := range other {
			if v := t.against(i, bits, all, where); v.Outcome == verdict.Violated {
				return v
			}
		}
		if t.k.Formula != nil && !all {
			worst = t.inside().Ratio
		}
		return verdict.Held("", 0)
	})
	if v.Outcome == verdict.Holds && worst > 0 {
		return verdict.Held("enclosure", worst)
	}
	return v
}

// against judges element i by the bits that another run gave; all says that the claim leaves no choice.
func (t *Trial) against(i int, bits uint64, all bool, where string) verdict.Verdict {
	if t.got[i] == bits || t.out.IsReal() && report.SameBits(t.out.Float, t.got[i], bits) {
		if t.k.Formula != nil && !t.allows(i, t.value[i]) {
			return t.outside(i, "")
		}
		return verdict.Held("", 0)
	}
	y := value(t.out, bits)
	if t.k.Formula == nil {
		t.failing = i
		return verdict.Fails(fmt.Sprintf("byte %d of %d is %#x, and %#x %s", i, len(t.got), t.got[i], bits, where),
			&verdict.Witness{N: len(t.got), Got: t.got[i], Own: true, WantText: fmt.Sprintf("%#x %s", bits, where)})
	}
	point := true
	for _, r := range t.allowed {
		point = point && r.Lo[i] == r.Hi[i] && !r.MayBeNaN(i)
	}
	differs := fmt.Sprintf("%s is %s, and %s %s", t.elementText(i), t.text(t.value[i]), t.text(y), where)
	switch {
	case (all || point && len(t.allowed) == 1) && t.value[i] != y:
		v := t.outside(i, differs+"; the claim leaves no choice")
		v.Witness.WantText = t.text(y) + ", " + where
		return v
	case !t.allows(i, t.value[i]):
		return t.outside(i, "")
	case !t.allows(i, y):
		return t.outside(i, differs+", which the formula does not allow")
	}
	return verdict.Held("", 0)
}
