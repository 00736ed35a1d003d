package apple

import (
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
