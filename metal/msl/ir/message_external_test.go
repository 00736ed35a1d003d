package ir_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl/ir"
)

func TestMessage(t *testing.T) {
	f := func(x float32) uint64 { return uint64(math.Float32bits(x)) }
	for _, c := range []struct {
		text   string
		values [4]uint64
		want   string
	}{
		{"", [4]uint64{}, ""},
		{"100%", [4]uint64{}, "100%"},
		{"100%%d %%", [4]uint64{}, "100%d %"},
		{"%d", [4]uint64{1<<64 - 1}, "-1"},
		{"[%5d|%-5d|%05d|%+d]", [4]uint64{7, 7, 7, 7}, "[    7|7    |00007|+7]"},
		{"%u %x %#X %o", [4]uint64{1<<64 - 1, 255, 255, 8}, "18446744073709551615 ff 0XFF 10"},
		{"%c%c%%%d", [4]uint64{'a', 'z', 3}, "az%3"},
		{"%f %.3f %e %g", [4]uint64{f(1.5), f(2), f(1e10), f(0.1)}, "1.500000 2.000 1.000000e+10 0.1"},
		{"%a %F %G", [4]uint64{f(1.5), f(float32(math.Inf(-1))), f(1e-10)}, "0x1.8p+00 -Inf 1E-10"},
		{"%d %d %d %d %d", [4]uint64{1, 2, 3, 4}, "1 2 3 4 %d"},
	} {
		k := &ir.Kernel{Texts: []string{"other", c.text}}
		require.Equal(t, c.want, k.Message(&ir.Instr{Op: ir.Note, Imm: 1}, c.values), "%q", c.text)
	}
	k := &ir.Kernel{Texts: []string{"i < 100%d"}}
	require.Equal(t, "the assertion i < 100%d does not hold", k.Message(&ir.Instr{Op: ir.Assert}, [4]uint64{}))
	require.Equal(t, []string{"a%d", "%%%5.1f", " b%%"}, ir.Verbs("a%d%%%5.1f b%%"))
	require.Equal(t, []string{"x%"}, ir.Verbs("x%"))
}
