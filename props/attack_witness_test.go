package props

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// attackWitnesses are the best rows that searches of up to 48 million rows found, none from a known witness.
var attackWitnesses = []struct {
	algorithm string
	reaches   float64
	row       []float32
}{
	{"DWPlusFP", 0.9999995, []float32{0x1.000002p+01, 0x1.fff0a2p-24, -0x1.fffffep-01}},
	{"SloppyDWPlusDW", 0.999999, []float32{-0x1p+00, -0x1.fffff6p-25, -0x1.ap-21, -0x1.fffffep-46}},
	{"AccurateDWPlusDW", 0.999997, []float32{0x1p-02, 0x1.ffff94p-27, -0x1.fffffep-04, 0x1.a40002p-45}},
	{"DWTimesFP1", 0.9999992, []float32{0x1.000004p-01, 0x1.aaaaa2p-26, -0x1.fffffap+00}},
	{"DWTimesFP2", 0.9994364, []float32{-0x1.0012a4p+01, 0x1.fffffep-24, 0x1.000dbcp+03}},
	{"DWTimesFP3", 0.9995118, []float32{0x1.000fa8p-03, -0x1p-27, 0x1.00105ap+00}},
	{"DWTimesDW1", 0.9999994, []float32{0x1.000004p+00, 0x1.fffffep-25, 0x1.000002p-01, 0x1.fffffep-26}},
	{"DWTimesDW2", 0.999999, []float32{-0x1.000006p-03, -0x1.fffff2p-28, 0x1.000002p-01, 0x1.fffffep-26}},
	{"DWTimesDW3", 0.999999, []float32{0x1.000004p-01, 0x1.fffff2p-26, 0x1.000002p+00, 0x1.fffff8p-25}},
	{"DWDivFP1", 0.8566021, []float32{0x1.00024ep+01, 0x1.fffe36p-24, -0x1.ffbabcp-01}},
	{"DWDivFP2", 0.8566021, []float32{0x1.00024ep+01, 0x1.fffe36p-24, -0x1.ffbabcp-01}},
	{"DWDivFP3", 0.9993692, []float32{0x1.00024ep+01, 0x1.fffe36p-24, -0x1.ffbabcp-01}},
	{"DWDivDW1", 0.5661027, []float32{0x1.00205p+00, -0x1.ffea2cp-25, 0x1.000de4p+03, 0x1.ff9ebcp-22}},
	{"DWDivDW2", 0.5661027, []float32{0x1.00205p+00, -0x1.ffea2cp-25, 0x1.000de4p+03, 0x1.ff9ebcp-22}},
	{"DWDivDW3", 0.7388322, []float32{0x1.0013f6p-01, -0x1.ff8004p-26, -0x1.ffe004p-01, 0x1.ffffcep-26}},
	{"SQRTDWtoDW", 0.9999991, []float32{0x1.000006p+00, 0x1.fffff4p-25}},
	{"ComplexPlain", 0.9995079, []float32{-0x1.000fa2p+00, -0x1.000fap+00, -0x1.001062p-01, -0x1.fffffep-02}},
	{"ComplexFMA", 0.9999994, []float32{0x1p-03, -0x1.000002p+07, 0x1.fffffep-07, -0x1p-20}},
	{"ComplexKahan", 0.9999993, []float32{-0x1p+01, 0x1.000006p+01, 0x1p-24, -0x1.fffffap-01}},
	{"ComplexDWPlus", 0.9999993, []float32{0x1.000002p+01, -0x1.fffffep-24, 0x1.0631ep-28, 0x1.fe8a7p-60, -0x1.fffffap-01, 0x1.fffff8p-49, 0x1.10cc96p-01, -0x1.edb11cp-33}},
	{"ComplexDW1", 0.6944337, []float32{-0x1.000552p-02, -0x1.fffffep-27, -0x1.00163p+01, -0x1.ffffc2p-24, -0x1.000b8ep-11, -0x1.fffffap-36, -0x1.102196p-14, -0x1.f6f2d8p-39}},
	{"ComplexDW2", 0.6450911, []float32{-0x1.000808p+01, -0x1.ffbffep-24, -0x1.00000cp-15, 0x1.64ffeep-56, -0x1.00000ep-11, -0x1.fffffep-36, -0x1.001p-02, -0x1.fffffep-27}},
	{"ComplexDW3", 0.6349706, []float32{-0x1.001158p+00, -0x1.ff7572p-25, 0x1.c423e4p-10, -0x1.ae3ab4p-35, 0x1.000024p-17, 0x1.fffecap-43, 0x1.000764p-05, 0x1p-29}},
}

func TestAttackWitnesses(t *testing.T) {
	for _, w := range attackWitnesses {
		a := algorithm(t, w.algorithm)
		out := make([]float32, a.Op.Out())
		attackKernel(a)(out, w.row)
		r := exactRatio(a.Op, a.Bounds[0], 24, w.row, out)
		require.GreaterOrEqual(t, r, w.reaches, "%s %x -> %x", a.Name, w.row, out)
		require.LessOrEqual(t, r, 1.0)
		require.Less(t, r, w.reaches+1e-6, "the record is out of date")
	}
}
