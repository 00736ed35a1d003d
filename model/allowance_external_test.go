package model_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
)

func TestAllowances(t *testing.T) {
	at := func(line int) model.Position { return model.Position{File: "a.metal", Line: line, Column: 9} }
	find := func(line int, k model.FindingKind) model.Finding {
		return model.Finding{Kind: k, Pos: at(line), Index: -1, Text: "x", Fix: "write y"}
	}
	var list []model.Allowance
	allow := func(line int, alone bool, comment string) {
		a, ok := model.ParseAllowance(at(line), alone, comment)
		require.True(t, ok, comment)
		list = append(list, a)
	}
	allow(1, false, "// gamma:allow scaling: its own line")
	allow(3, true, "//gamma:allow scaling : the next line")
	allow(5, false, "// gamma:allow scaling: not the next line")
	allow(8, false, "// gamma:allow literal: another kind")
	allow(9, false, "// gamma:allow scaling:")
	allow(10, false, "// gamma:allow")
	found := model.Findings{find(9, "scaling"), find(1, "scaling"), find(4, "scaling"), find(6, "scaling"), find(8, "scaling")}

	lines := func(f model.Findings) (at []int) {
		for _, x := range f {
			if x.Kind == model.FindingAllowance {
				at = append(at, -x.Pos.Line)
			} else {
				at = append(at, x.Pos.Line)
			}
		}
		return at
	}
	require.Equal(t, []int{6, 8, 9, -9, -10}, lines(found.Allow(list, false)))
	require.Equal(t, []int{-5, 6, 8, -8, 9, -9, -10}, lines(found.Allow(list, true)))
	require.Equal(t, "a.metal:6:9: scaling: x; write y", found.Allow(list, false)[0].String())

	_, ok := model.ParseAllowance(at(1), false, "// see gamma:allow")
	require.False(t, ok)
	// An allowance is of one file.
	other := find(1, "scaling")
	other.Pos.File = "b.metal"
	require.Len(t, model.Findings{other}.Allow(list[:1], false), 1)
}
