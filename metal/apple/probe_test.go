package apple

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/sim"
	"gamma/model"
)

// TestExamineFindsBehaviour gives the simulator a behaviour and lets the self-test find it.
func TestExamineFindsBehaviour(t *testing.T) {
	both := model.Flush{In: true, Out: true}
	before := model.Flush{In: true, Out: true, Before: true}
	for _, b := range []model.Behaviour{
		{},
		{Rounding: model.TowardZero},
		{Flush: both},
		{Flush: before},
		{Flush: model.Flush{In: true}},
		{Flush: model.Flush{Out: true}},
		{Flush: both, Flush16: both},
		{Flush: both, Contract: model.ContractStatement},
		{Flush: before, Contract: model.ContractFast},
		{Contract: model.ContractFast, Rewrites: model.Rewrites{Reassociate: true, NoSignedZeros: true, Reciprocal: true}},
		{Rewrites: model.Rewrites{Reassociate: true}},
		{Rewrites: model.Rewrites{NoSignedZeros: true}},
		{Rewrites: model.Rewrites{Reciprocal: true}},
		{SIMDWidth: 16},
	} {
		t.Run(b.String(), func(t *testing.T) {
			r, err := examine(sim.New(sim.Options{Behaviour: b}))
			require.NoError(t, err)
			want := b
			if want.SIMDWidth == 0 {
				want.SIMDWidth = 32
			}
			t.Log("\n" + r.String())
			require.Equal(t, want.String(), r.Behaviour.String())
		})
	}
}

// TestClassifyOdd doctors the answers of a plain device: what no Behaviour can say is noted, and nothing more is concluded.
func TestClassifyOdd(t *testing.T) {
	plain, _, err := probe(sim.New(sim.Options{}), probeModes[0])
	require.NoError(t, err)
	m := classify("plain", plain)
	require.Equal(t, Mode{Name: "plain"}, m)
	for _, x := range []struct {
		name    string
		op, row int
		bits    uint32
		want    func(m *Mode)
		note    string
	}{
		{name: "a quotient", op: opDiv, row: atTable, bits: 0x3eaaaaad, want: func(m *Mode) { m.DivisionErrors, m.DivisionULP = 1, 2 }},
		{name: "a square root", op: opSqrt, row: atTable, bits: 0x3f7fffff, want: func(m *Mode) { m.SqrtErrors, m.SqrtULP = 1, 1 }},
		{name: "fma", op: opFMA, row: atFused, note: "fma rounds twice: 00000000"},
		{name: "fma by binary64", op: opFMA, row: atFusedOnce, bits: 0x3f801000, note: "fma is not correctly rounded: 3f801000, not 3f801001"},
		{name: "across only", op: opAcross, row: atFused, bits: half24, want: func(m *Mode) { m.Contract = model.ContractFast }, note: "and not inside one"},
		{name: "ties", op: opAdd, row: atTieDown, bits: 0x3f7fffff, note: "by no rule that is known"},
		{name: "only sums flush", op: opAdd, row: atFlushSum, want: func(m *Mode) { m.Flush.Out = true }, note: "subnormal results are flushed by addition only"},
		{name: "only fma reads zero", op: opFMA, row: atInFMA, want: func(m *Mode) { m.Flush.In = true }, note: "subnormal operands are flushed by fma only; comparisons and arithmetic disagree"},
		{name: "the sign", op: opMul, row: atFlushNegative, want: func(m *Mode) { m.Flush.Out = true }, note: "multiplication of a negative flushes to a zero of the other sign; subnormal results"},
		{name: "nonsense", op: opDiv, row: atFlushDiv, bits: 7, note: "division with subnormal results gives 00000007, neither 00080000 nor 00000000"},
		{name: "a comparison", op: opPositive, row: atInMul, note: "comparisons and arithmetic disagree"},
		{name: "half", op: opHalf, row: atHalf, bits: 0x0200, note: "a product of half is 0200, neither 0100 nor 0000"},
		{name: "no bfloat", op: opBFloat, row: atBFloat, bits: 0xffffffff},
		{name: "nan", op: opIsNaN, row: atNaN, want: func(m *Mode) { m.Rewrites.NoNaNs = true }},
		{name: "infinity", op: opIsInf, row: atInfinity, want: func(m *Mode) { m.Rewrites.NoInfs = true }},
		{name: "two-sum", op: opTwoSum, row: atTwoSum, want: func(m *Mode) { m.Rewrites.Reassociate = true }},
	} {
		t.Run(x.name, func(t *testing.T) {
			a := append(answers(nil), plain...)
			a[x.op*len(probeRows)+x.row] = x.bits
			got, want := classify("plain", a), Mode{Name: "plain"}
			if x.want != nil {
				x.want(&want)
			}
			require.Contains(t, strings.Join(got.Notes, "; "), x.note)
			require.Equal(t, x.note == "", got.Notes == nil)
			got.Notes = nil
			require.Equal(t, want, got)
		})
	}
}

// TestReportNotes: what is wrong with a mode that must not be is said in words.
func TestReportNotes(t *testing.T) {
	r := &Report{Width: 32, Modes: []Mode{
		{Name: "strict", Contract: model.ContractStatement, DivisionErrors: 3, DivisionULP: 2},
		{Name: "safe", Rewrites: model.Rewrites{Reassociate: true}, BFloat: model.Flush{Out: true}},
		{Name: "relaxed", Absent: "there is none"},
		{Name: "fast", Flush: model.Flush{In: true}, Notes: []string{"something"}, DivisionErrors: 9},
	}}
	r.sum()
	require.Equal(t, []string{
		"relaxed was not probed: there is none",
		"fast: something",
		"fast rounds rne and flushes in, half off, and safe rne, off, off",
		"contract(off) is not honoured: no kernel is bit-exact on this device",
		"strict: 3 of 232 quotients and 0 square roots are not correctly rounded, by up to 2 and 0 ulp",
		"safe mode contracts across statements or rewrites, which it must not",
		"bfloat flushes out, half off",
	}, r.Notes)
	require.Equal(t, "rne ftz=off contract=on reassoc simd=32", r.Behaviour.String())
	require.Contains(t, r.String(), "note       fast: something\n")
}
