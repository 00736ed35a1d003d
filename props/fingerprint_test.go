package props

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/dd"
	"gamma/kernels/eft"
	"gamma/model/word"
	"gamma/props/internal/attack"
)

// TestFingerprintItself has every algorithm and every variant of it identify itself, alone or beside others of the same bits.
func TestFingerprintItself(t *testing.T) {
	done := map[word.Op]bool{}
	for _, a := range word.Algorithms() {
		if done[a.Op] {
			continue
		}
		done[a.Op] = true
		f := attack.FingersOf(a.Op)
		classes := map[string][]string{}
		for i := range f.Candidates {
			c := &f.Candidates[i]
			r := Fingerprint(a.Op, blackBox(c, a.Op))
			require.True(t, r.Fits(c.Name), "%s: %s", c.Name, r)
			require.False(t, r.Within)
			classes[r.Names[0]] = r.Names
		}
		t.Logf("%s: %d candidates in %d classes by %d rows", a.Op, len(f.Candidates), len(classes), len(f.Rows))
		for _, c := range f.Candidates {
			if n := classes[c.Name]; len(n) > 1 && !strings.Contains(c.Name, " ") {
				t.Logf("    %s", strings.Join(n, " = "))
			}
		}
	}
	// What the algorithms of an operation are told apart by must not depend on luck.
	for _, a := range word.Algorithms() {
		for _, b := range word.Algorithms() {
			same := []string{a.Name, b.Name}
			slices.Sort(same)
			if a == b || a.Op != b.Op || slices.Contains(sameResults, strings.Join(same, " ")) {
				continue
			}
			r := Fingerprint(a.Op, programRows(a.Program))
			require.False(t, r.Fits(b.Name), "%s is taken for %s", a.Name, b.Name)
		}
	}
}

// sameResults are algorithms that give the same results on all operands: 2Sum is symmetric in effect, and DWDivFP1 and DWDivFP2 differ
// only in a 2Sum of which the error is zero.
var sameResults = []string{"2Sum 2SumLeft", "DWDivFP1 DWDivFP2"}

func TestFingerprintKernels(t *testing.T) {
	for _, k := range dd.All() {
		r := Fingerprint(k.Claim.Op, k.Run32)
		require.True(t, r.Fits(k.Claim.Algorithm), "%s: %s", k.Name, r)
	}
	for _, k := range eft.All() {
		if k.Claim.Exact && k.Claim.Algorithm != "" {
			r := Fingerprint(k.Claim.Op, k.Run32)
			require.True(t, r.Fits(k.Claim.Algorithm), "%s: %s", k.Name, r)
		}
	}
}

func TestFingerprintSentence(t *testing.T) {
	program := func(name string) *word.Program {
		a, ok := word.ByName(name)
		require.True(t, ok)
		return a.Program
	}
	r := Fingerprint(word.DWTimesDW, programRows(program("DWTimesDW2")))
	require.Equal(t, "the device ran DWTimesDW2 where DWTimesDW3 was written", r.Sentence("the device", "DWTimesDW3"))
	require.Equal(t, "the device ran DWTimesDW2 as it was written", r.Sentence("the device", "DWTimesDW2"))

	// A compiler that fuses turns DWTimesDW1 into DWTimesDW2.
	fused := program("DWTimesDW1").Contractions(true, 100)
	var sentences []string
	for _, p := range fused {
		sentences = append(sentences, Fingerprint(word.DWTimesDW, programRows(p)).Sentence("sim", "DWTimesDW1"))
	}
	require.NotContains(t, sentences, "sim ran DWTimesDW1 as it was written")
	require.Contains(t, sentences, "sim ran DWTimesDW2 where DWTimesDW1 was written")
	require.Contains(t, sentences, "sim ran DWTimesDW1 with xh·yl fused (or one of 2 others with the same bits) where DWTimesDW1 was written")

	r = Fingerprint(word.DWTimesDW, func(dst, src []float32) {
		for i := range dst {
			dst[i] = src[2*i] * src[2*i+1]
		}
	})
	require.Equal(t, "sim ran no algorithm that is known for a product 2,2 -> 2 where DWTimesDW1 was written", r.Sentence("sim", "DWTimesDW1"))
	require.Equal(t, "no algorithm that is known for a dot product of 3 terms 1,1 -> 1", Fingerprint(word.Dot3Round, nil).String())

	// A kernel that answers otherwise near overflow is still known by what it does elsewhere.
	run := programRows(program("DWTimesDW3"))
	r = Fingerprint(word.DWTimesDW, func(dst, src []float32) {
		run(dst, src)
		for i := range dst {
			for _, j := range []int{0, 2} {
				if h := math.Abs(float64(src[i/2*4+j])); h > 0x1p20 || h < 0x1p-20 {
					dst[i] = 7
				}
			}
		}
	})
	require.True(t, r.Within)
	require.True(t, r.Fits("DWTimesDW3"))
	require.Contains(t, r.String(), "away from overflow and underflow")
}

// TestFingerprintWitnesses holds the three products to the errors that the reference page measured on its witnesses, in u².
func TestFingerprintWitnesses(t *testing.T) {
	u2 := word.Bound{Text: "u²", Factor: word.U}
	for _, w := range []struct {
		row  []float32
		want [3]int
	}{
		{[]float32{0x1.000002p0, 0x1.fffffap-25, 0x1.000002p0, 0x1.fffffep-25}, [3]int{1, 5, 1}},
		{[]float32{0x1.000002p0, 0x1.fffffep-25, -0x1.000004p0, -0x1.fffffep-25}, [3]int{5, 1, 1}},
		{[]float32{0x1.000002p0, 0x1.fffffap-25, 0x1.000002p0, 0x1.fffffcp-25}, [3]int{0, 4, 4}},
	} {
		var got [3]int
		for i, name := range []string{"DWTimesDW1", "DWTimesDW2", "DWTimesDW3"} {
			a, _ := word.ByName(name)
			out := make([]float32, 2)
			programRows(a.Program)(out, w.row)
			got[i] = int(math.Round(slowRatio(a.Op, u2, w.row, out) * 0x1p24))
		}
		require.Equal(t, w.want, got)
	}
}
