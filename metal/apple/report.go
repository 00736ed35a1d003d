package apple

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"gamma/metal"
	"gamma/model"
)

// Report is what the self-test found: facts of one device, under one build of the operating system.
type Report struct {
	Name     string
	Families []string
	System   string
	Width    int // lanes of a simdgroup
	Modes    []Mode
	// Behaviour is all modes together, as the simulator takes it: what the device does wherever pragmas and options let it. Order,
	// ULP, Poison and Seed are not probed.
	Behaviour model.Behaviour
	// Notes are what no Behaviour can say.
	Notes []string
}

// Mode is what was found in one math mode.
type Mode struct {
	Name     string
	Absent   string // why the mode was not probed
	Rounding model.Rounding
	Flush    model.Flush
	Half     model.Flush // of binary16
	BFloat   model.Flush // of bfloat16
	Contract model.Contraction
	Rewrites model.Rewrites
	// DivisionErrors and SqrtErrors are how many results of as many probes are not correctly rounded, and DivisionULP and SqrtULP how
	// far the worst is away, in units in the last place of the right result.
	DivisionErrors, SqrtErrors int
	DivisionULP, SqrtULP       uint32
	Notes                      []string
}

// selfTest probes the device and fills in what was found.
func (d *Device) selfTest() error {
	r, err := examine(d)
	if err != nil {
		return errorf("the self-test of %s failed; Options.SkipSelfTest leaves it out: %w", d.p.Name, err)
	}
	r.Name, r.Families, r.System = d.p.Name, d.families, d.system
	d.report = r
	d.p.ThreadExecutionWidth = r.Width
	d.p.Behaviour = r.Behaviour
	for _, m := range r.Modes[:min(2, len(r.Modes))] { // of precise functions
		d.p.Behaviour.ULP = d.p.Behaviour.ULP || m.DivisionErrors > 0 || m.SqrtErrors > 0
	}
	for _, n := range r.Notes {
		d.p.Detail += "; " + n
	}
	return nil
}

// examine probes any device in every mode.
func examine(d metal.Device) (*Report, error) {
	r := &Report{}
	for i, m := range probeModes {
		a, width, err := probe(d, m)
		switch {
		case err != nil && i < 2: // strict and safe are what everything else rests on
			return nil, fmt.Errorf("mode %s: %w", m.name, err)
		case err != nil:
			r.Modes = append(r.Modes, Mode{Name: m.name, Absent: err.Error()})
			continue
		}
		r.Width = width
		r.Modes = append(r.Modes, classify(m.name, a))
	}
	r.sum()
	return r, nil
}

// sum makes one behaviour of all modes.
func (r *Report) sum() {
	strict, safe := &r.Modes[0], &r.Modes[1]
	b := &r.Behaviour
	b.Rounding, b.Flush, b.Flush16, b.SIMDWidth = safe.Rounding, safe.Flush, safe.Half, r.Width
	for i := range r.Modes {
		m := &r.Modes[i]
		if m.Absent != "" {
			r.Notes = append(r.Notes, fmt.Sprintf("%s was not probed: %s", m.Name, m.Absent))
			continue
		}
		for _, n := range m.Notes {
			r.Notes = append(r.Notes, m.Name+": "+n)
		}
		b.Contract = max(b.Contract, m.Contract)
		w, all := m.Rewrites, &b.Rewrites
		all.Reassociate = all.Reassociate || w.Reassociate
		all.NoSignedZeros = all.NoSignedZeros || w.NoSignedZeros
		all.Reciprocal = all.Reciprocal || w.Reciprocal
		all.NoNaNs = all.NoNaNs || w.NoNaNs
		all.NoInfs = all.NoInfs || w.NoInfs
		if m.Rounding != safe.Rounding || m.Flush != safe.Flush || m.Half != safe.Half {
			r.Notes = append(r.Notes, fmt.Sprintf("%s rounds %s and flushes %s, half %s, and safe %s, %s, %s",
				m.Name, m.Rounding, m.Flush, m.Half, safe.Rounding, safe.Flush, safe.Half))
		}
	}
	if strict.Contract != model.ContractOff {
		r.Notes = append(r.Notes, "contract(off) is not honoured: no kernel is bit-exact on this device")
	}
	for _, m := range r.Modes[:2] {
		if m.Contract > model.ContractStatement || m.Rewrites != (model.Rewrites{}) {
			r.Notes = append(r.Notes, m.Name+" mode contracts across statements or rewrites, which it must not")
		}
		if m.DivisionErrors > 0 || m.SqrtErrors > 0 {
			r.Notes = append(r.Notes, fmt.Sprintf("%s: %d of %d quotients and %d square roots are not correctly rounded, by up to %d and %d ulp",
				m.Name, m.DivisionErrors, divisions, m.SqrtErrors, m.DivisionULP, m.SqrtULP))
		}
	}
	if safe.BFloat != safe.Half {
		r.Notes = append(r.Notes, fmt.Sprintf("bfloat flushes %s, half %s", safe.BFloat, safe.Half))
	}
}

// String lists everything, one mode a line.
func (r *Report) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "device     %s\nfamilies   %s\nsystem     %s\nsimd width %d\nbehaviour  %s\n", r.Name, strings.Join(r.Families, " "), r.System, r.Width, r.Behaviour)
	for _, m := range r.Modes {
		if m.Absent != "" {
			fmt.Fprintf(&s, "%-10s not probed: %s\n", m.Name, m.Absent)
			continue
		}
		b := model.Behaviour{Rounding: m.Rounding, Flush: m.Flush, Flush16: m.Half, Contract: m.Contract, Rewrites: m.Rewrites}
		fmt.Fprintf(&s, "%-10s %s; bfloat ftz=%s; division %d of %d wrong, up to %d ulp; sqrt %d wrong, up to %d ulp\n",
			m.Name, b, m.BFloat, m.DivisionErrors, divisions, m.DivisionULP, m.SqrtErrors, m.SqrtULP)
	}
	for _, n := range r.Notes {
		s.WriteString("note       " + n + "\n")
	}
	return s.String()
}

// classify says what answers mean.
func classify(name string, a answers) Mode {
	m := Mode{Name: name}
	note := func(format string, args ...any) { m.Notes = append(m.Notes, fmt.Sprintf(format, args...)) }
	m.Rounding = rounding(a, note)
	m.Flush = flush(a, note)
	m.Half = flush16(a, "half", opHalf, atHalf, atHalfIn, [4]uint32{0x0100, 0, 0x1400, 0}, note)
	m.BFloat = flush16(a, "bfloat", opBFloat, atBFloat, atBFloatIn, [4]uint32{0x0020, 0, 0x0880, 0}, note)

	const fused = half24 // 2^-24; two roundings give 0, or 2^-23
	switch {
	case a.of(opAcross, atFused) == fused && a.of(opStatement, atFused) == fused:
		m.Contract = model.ContractFast
	case a.of(opStatement, atFused) == fused:
		m.Contract = model.ContractStatement
	case a.of(opAcross, atFused) == fused:
		m.Contract = model.ContractFast
		note("products are fused across statements, and not inside one")
	}
	if got := a.of(opFMA, atFused); got != fused {
		note("fma rounds twice: %08x", got)
	}
	if got, want := a.of(opFMA, atFusedOnce), rounded(m.Rounding, func(z *big.Float) {
		z.SetPrec(256)
		z.Mul(number(wide), number(wide))
		z.Add(z, number(0x21800000))
	}); got != want {
		note("fma is not correctly rounded: %08x, not %08x", got, want)
	}

	down := a.of(opSum, atReassociate)
	m.Rewrites.Reassociate = m.Rounding == model.NearestEven && down == oneUp || a.of(opTwoSum, atTwoSum) == 0
	m.Rewrites.NoSignedZeros = m.Rounding != model.TowardNegative && a.of(opPlusZero, atMinusZero) == minusZero
	m.Rewrites.NoNaNs = a.of(opIsNaN, atNaN) == 0
	m.Rewrites.NoInfs = a.of(opIsInf, atInfinity) == 0

	recip := true
	for i := atTable; i < len(probeRows); i++ {
		x, y := number(probeRows[i][0]), number(probeRows[i][1])
		want := rounded(m.Rounding, func(z *big.Float) { z.Quo(x, y) })
		if got := a.of(opDiv, i); got != want {
			m.DivisionErrors++
			m.DivisionULP = max(m.DivisionULP, distance(got, want))
			inverse := number(rounded(m.Rounding, func(z *big.Float) { z.Quo(number(one), y) }))
			recip = recip && got == rounded(m.Rounding, func(z *big.Float) { z.Mul(x, inverse) })
		}
		if m.Rounding == model.NearestEven {
			want = rounded(m.Rounding, func(z *big.Float) { z.Sqrt(x) })
			if got := a.of(opSqrt, i); got != want {
				m.SqrtErrors++
				m.SqrtULP = max(m.SqrtULP, distance(got, want))
			}
		}
	}
	m.Rewrites.Reciprocal = m.DivisionErrors > 0 && recip
	return m
}

// rounding finds the direction by four sums.
func rounding(a answers, note func(string, ...any)) model.Rounding {
	got := [4]uint32{a.of(opAdd, atTieDown), a.of(opAdd, atTieUp), a.of(opAdd, atMore), a.of(opAdd, atMinus)}
	const minusUp = oneUp | minusZero
	for r, want := range map[model.Rounding][4]uint32{
		model.NearestEven:    {one, twoUp, oneUp, minusUp},
		model.NearestAway:    {oneUp, twoUp, oneUp, minusUp},
		model.TowardZero:     {one, oneUp, one, minusOne},
		model.TowardPositive: {oneUp, twoUp, oneUp, minusOne},
		model.TowardNegative: {one, oneUp, one, minusUp},
	} {
		if got == want {
			return r
		}
	}
	note("sums are rounded by no rule that is known: %08x", got)
	return model.NearestEven
}

// flush finds what binary32 operations do with subnormal numbers.
func flush(a answers, note func(string, ...any)) (f model.Flush) {
	in := verdict{what: "operands", note: note}
	in.of("addition", a.of(opAdd, atInSum), least, least+sub130)
	in.of("multiplication", a.of(opMul, atInMul), 0, 0x08800000) // 2^-110
	in.of("multiplication of a negative", a.of(opMul, atInNegative), minusZero, 0x88800000)
	in.of("fma", a.of(opFMA, atInFMA), 0, 0x08800000)
	out := verdict{what: "results", note: note}
	out.of("addition", a.of(opAdd, atFlushSum), 0, sub127)
	out.of("multiplication", a.of(opMul, atFlushMul), 0, sub130)
	out.of("multiplication of a negative", a.of(opMul, atFlushNegative), minusZero, sub130|minusZero)
	out.of("division", a.of(opDiv, atFlushDiv), 0, sub130)
	out.of("fma", a.of(opFMA, atFlushMul), 0, sub130)
	f.In, f.Out = in.flushed > 0, out.flushed > 0
	in.mixed()
	out.mixed()
	if f.Out {
		f.Before = a.of(opMul, atBefore) == 0
	}
	if yes := a.of(opPositive, atInMul) == 1; yes == f.In {
		note("comparisons and arithmetic disagree on whether a subnormal is zero")
	}
	return f
}

// verdict counts operations that flush.
type verdict struct {
	what          string
	flushed, kept int
	names         []string // of those that flush
	note          func(string, ...any)
}

// of takes an operation's result, and what it would be with and without a flush.
func (v *verdict) of(name string, got, flushed, kept uint32) {
	switch got {
	case flushed:
		v.flushed++
		v.names = append(v.names, name)
	case kept:
		v.kept++
	case flushed ^ minusZero:
		v.flushed++
		v.names = append(v.names, name)
		v.note("%s flushes to a zero of the other sign", name)
	default:
		v.note("%s with subnormal %s gives %08x, neither %08x nor %08x", name, v.what, got, kept, flushed)
	}
}

// mixed notes that some flush and some do not.
func (v *verdict) mixed() {
	if v.flushed > 0 && v.kept > 0 {
		v.note("subnormal %s are flushed by %s only", v.what, strings.Join(v.names, ", "))
	}
}

// flush16 finds what products of a 16-bit format do: want is the result kept and flushed of a tiny product, then of a subnormal operand.
func flush16(a answers, name string, op, out, in int, want [4]uint32, note func(string, ...any)) (f model.Flush) {
	if a.of(op, out) == math.MaxUint32 {
		return f // the language has no such type
	}
	for i, x := range []struct {
		got uint32
		set *bool
	}{{a.of(op, out), &f.Out}, {a.of(op, in), &f.In}} {
		switch x.got {
		case want[2*i]:
		case want[2*i+1]:
			*x.set = true
		default:
			note("a product of %s is %04x, neither %04x nor %04x", name, x.got, want[2*i], want[2*i+1])
		}
	}
	return f
}

// number returns the value of bits.
func number(b uint32) *big.Float { return new(big.Float).SetFloat64(float64(math.Float32frombits(b))) }

// rounded returns the bits of what f computes, rounded once to 24 bits in a direction. Results are normal numbers.
func rounded(r model.Rounding, f func(z *big.Float)) uint32 {
	mode := map[model.Rounding]big.RoundingMode{
		model.NearestEven: big.ToNearestEven, model.NearestAway: big.ToNearestAway, model.TowardZero: big.ToZero,
		model.TowardPositive: big.ToPositiveInf, model.TowardNegative: big.ToNegativeInf,
	}[r]
	z := new(big.Float).SetPrec(24).SetMode(mode)
	f(z)
	x, _ := z.SetPrec(24).Float32()
	return math.Float32bits(x)
}

// distance counts the numbers between two of one sign.
func distance(a, b uint32) uint32 {
	if a > b {
		return a - b
	}
	return b - a
}
