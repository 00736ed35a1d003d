package typed_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

func TestPure(t *testing.T) {
	word := &typed.Scalar{Kind: ir.U32}
	node := typed.Node{Type: word}
	one := &typed.Const{Node: node, Bits: 1}
	v := &typed.VarPlace{Var: &typed.Var{Name: "v", Type: word}}
	vol := &typed.VarPlace{Var: &typed.Var{Name: "w", Type: word, Volatile: true}}
	load := func(p typed.Place) typed.Expr { return &typed.LoadExpr{Node: node, X: p} }
	call := &typed.Call{Node: node}
	for _, c := range []struct {
		x    typed.Expr
		pure bool
	}{
		{nil, true},
		{one, true},
		{load(v), true},
		{load(vol), false},
		{load(&typed.IndexPlace{X: v, I: load(vol)}), false},
		{load(&typed.IndexPlace{X: v, I: load(v)}), true},
		{load(&typed.IndexPlace{X: vol, I: one}), false},
		{&typed.AddrOf{Node: node, X: vol}, true},
		{call, false},
		{&typed.Binary{Node: node, L: one, R: call}, false},
		{&typed.Logical{Node: node, L: call, R: one}, false},
		{&typed.CondExpr{Node: node, C: one, T: one, F: call}, false},
		{&typed.CondExpr{Node: node, C: one, T: one, F: load(v)}, true},
		{&typed.MakeVector{Node: node, Elems: []typed.Expr{one, call}}, false},
		{&typed.MakeVector{Node: node, Elems: []typed.Expr{one, one}}, true},
		{load(&typed.TempPlace{X: call}), false},
	} {
		require.Equal(t, c.pure, typed.Pure(c.x), "%T", c.x)
	}
	require.True(t, typed.PurePlace(vol), "it is found without reading it")
	require.False(t, typed.PurePlace(&typed.Deref{Ptr: call}))
}
