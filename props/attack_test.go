package props

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gamma/kernels/complex"
	"gamma/kernels/dd"
	"gamma/model"
	"gamma/model/word"
	"gamma/props/internal/attack"
)

// attackKernel returns the kernel of an algorithm: one of kernels, or its program.
func attackKernel(a *word.Algorithm) func(dst, src []float32) {
	for _, k := range dd.All() {
		if k.Claim.Algorithm == a.Name && k.Claim.Exact {
			return k.Run32
		}
	}
	for _, k := range complex.All() {
		if k.Claim.Algorithm == a.Name && k.Claim.Exact {
			return k.Run32
		}
	}
	return programRows(a.Program)
}

// attacked are the algorithms of which a search reaches 0.99 of the bound from every seed tried, without a witness to start from.
var attacked = []string{
	"DWPlusFP", "DWTimesFP1", "DWTimesFP2", "DWTimesFP3", "DWTimesDW1", "DWTimesDW2", "DWTimesDW3", "DWDivFP3", "SQRTDWtoDW",
}

func thorough() bool { return os.Getenv("GAMMA_LEVEL") == "thorough" }

func algorithm(t testing.TB, name string) *word.Algorithm {
	a, ok := word.ByName(name)
	require.True(t, ok, name)
	return a
}

// attackRow is a line of the table of ratios.
func attackRow(t testing.TB, a *word.Algorithm, seeds int, o AttackOptions) (worst float64) {
	ratios, evals := make([]float64, seeds), make([]int, seeds)
	begin := time.Now()
	for s := range seeds {
		o.Seed = uint64(s)
		r := Attack(a.Op, attackKernel(a), a.Bounds[0], o)
		ratios[s], evals[s] = r.Ratio, r.Evals
		require.LessOrEqual(t, r.Ratio, 1.0, "%s breaks its bound %s: %x -> %x", a.Name, a.Bounds[0].Text, r.Row, r.Out)
		slow := slowRatio(a.Op, a.Bounds[0], r.Row, r.Out)
		require.LessOrEqual(t, math.Abs(slow-r.Ratio), 0x1p-45, "the oracle disagrees: %v and %v", slow, r.Ratio)
	}
	took := time.Since(begin)
	slices.Sort(ratios)
	slices.Sort(evals)
	t.Logf("%-17s worst %.5f median %.5f best %.6f of %-22s %9d rows (median) %7.1f ms a seed", a.Name, ratios[0], ratios[seeds/2],
		ratios[seeds-1], a.Bounds[0].Text, evals[seeds/2], took.Seconds()*1000/float64(seeds))
	return ratios[0]
}

// TestAttack searches from 20 seeds at the thorough level, otherwise from 2.
func TestAttack(t *testing.T) {
	seeds := 2
	if thorough() {
		seeds = 20
	}
	begin := time.Now()
	for _, name := range attacked {
		worst := attackRow(t, algorithm(t, name), seeds, AttackOptions{Until: 0.9901})
		require.GreaterOrEqual(t, worst, 0.99, name)
	}
	t.Logf("%d algorithms, %d seeds: %v", len(attacked), seeds, time.Since(begin))
}

// TestAttackOthers reports how far a search gets of the bounds that it need not reach.
func TestAttackOthers(t *testing.T) {
	seeds, evals := 1, 20_000
	if thorough() {
		seeds, evals = 5, 8_000_000
	}
	for _, a := range word.Algorithms() {
		if len(a.Bounds) > 0 && a.Bounds[0].Factor != nil && !slices.Contains(attacked, a.Name) {
			attackRow(t, a, seeds, AttackOptions{Until: 0.9901, Evals: evals})
		}
	}
}

// TestAttackAccurate starts from the witness of [MR 2022].
func TestAttackAccurate(t *testing.T) {
	const u = 0x1p-24
	a := algorithm(t, "AccurateDWPlusDW")
	r := Attack(a.Op, attackKernel(a), a.Bounds[0], AttackOptions{Starts: [][]float32{{1, u - u*u, -0.5 + u/2, -u*u/2 + u*u*u}}, Evals: 10_000})
	require.GreaterOrEqual(t, r.Ratio, 0.999999)
}

// TestAttackWrongBound finds, for each, that a bound is too small by one part in a hundred.
func TestAttackWrongBound(t *testing.T) {
	for _, name := range attacked {
		a := algorithm(t, name)
		b := a.Bounds[0]
		right := b.Factor
		b.Factor = func(p int) *big.Rat { f := right(p); return f.Mul(f, big.NewRat(99, 100)) }
		r := Attack(a.Op, attackKernel(a), b, AttackOptions{Seed: 1, Until: 1.0000001})
		require.Greater(t, r.Ratio, 1.0, name)
	}
}

func TestAttackTransforms(t *testing.T) {
	for _, name := range []string{"2Sum", "2SumLeft", "Fast2Sum", "2ProdFMA", "Dekker", "Veltkamp"} {
		a := algorithm(t, name)
		r := Attack(a.Op, programRows(a.Program), a.Bounds[0], AttackOptions{Ordered: a.Ordered, Evals: 20_000})
		require.Zero(t, r.Ratio, "%s %x -> %x", name, r.Row, r.Out)
		require.NotNil(t, r.Row)
	}
	fast := algorithm(t, "Fast2Sum")
	r := Attack(fast.Op, programRows(fast.Program), fast.Bounds[0], AttackOptions{Evals: 20_000})
	require.True(t, math.IsInf(r.Ratio, 1), "without its hypothesis Fast2Sum loses bits")
}

func TestAttackOptions(t *testing.T) {
	a := algorithm(t, "DWTimesDW3")
	run := attackKernel(a)
	one := Attack(a.Op, run, a.Bounds[0], AttackOptions{Seed: 3, Evals: 30_000})
	require.Equal(t, one, Attack(a.Op, run, a.Bounds[0], AttackOptions{Seed: 3, Evals: 30_000}), "a search repeats")
	require.NotEqual(t, one.Row, Attack(a.Op, run, a.Bounds[0], AttackOptions{Seed: 4, Evals: 30_000}).Row)
	require.Less(t, one.Evals, 30_000+attack.AttackBatch)

	begin := time.Now()
	Attack(a.Op, run, a.Bounds[0], AttackOptions{Deadline: time.Millisecond})
	require.Less(t, time.Since(begin), 10*time.Second)

	nan := func(dst, src []float32) {
		for i := range dst {
			dst[i] = float32(math.NaN())
		}
	}
	require.Nil(t, Attack(a.Op, nan, a.Bounds[0], AttackOptions{Evals: 1000}).Row)
	require.Panics(t, func() { Attack(word.Op{}, nan, word.Bound{}, AttackOptions{}) })
}

func TestAttackOperation(t *testing.T) {
	k, ok := dd.Find("dd.Times1")
	require.True(t, ok)
	o := Operation{Name: k.Name, Run: k.Run32, Claim: k.Claim}
	res, err := o.Attack(Setting{}, AttackOptions{Evals: 20_000})
	require.NoError(t, err)
	require.Greater(t, res.Ratio, 0.8)
	require.Equal(t, res.Ratio, attack.ExactRatio(o.Claim.Op, algorithm(t, "DWTimesDW1").Bounds[0], 24, res.Row, res.Out))
	f, err := o.Fingerprint(Setting{})
	require.NoError(t, err)
	require.True(t, f.Fits("DWTimesDW1"))

	// Where ties go away, the wider bound is the one.
	o.Claim.Rounding = model.NearestAway
	wide, err := o.Attack(Setting{}, AttackOptions{Starts: [][]float32{res.Row}, Evals: 1})
	require.NoError(t, err)
	require.GreaterOrEqual(t, wide.Ratio, res.Ratio*10/11*(1-0x1p-40))

	bad := errors.New("the device is lost")
	calls := 0
	o = Operation{Name: "lost", Claim: k.Claim, RunErr: func(_, _ []float32) error { calls++; return bad }}
	_, err = o.Attack(Setting{}, AttackOptions{})
	require.ErrorIs(t, err, bad)
	require.Equal(t, 1, calls)
	_, err = o.Fingerprint(Setting{})
	require.ErrorIs(t, err, bad)

	for want, o := range map[string]Operation{
		"runs in binary64": {Name: "k", Run64: k.Run64, Claim: k.Claim},
		"and no accuracy":  {Name: "k", Run: k.Run32, Claim: word.Claim{Op: word.DWTimesDW}},
		"more than two words": {Name: "k", Run: k.Run32, Claim: word.Claim{
			Op: word.Op{Function: word.Product, X: 4, Y: 4, Z: 4}, Bound: &word.Bound{Text: "u", Factor: word.U},
		}},
		"has no bound":      {Name: "k", Run: k.Run32, Claim: word.Claim{Op: word.Dot3Round}},
		"has no Name":       {Run: k.Run32, Claim: k.Claim},
		"runs on no device": {Name: "k", Run: k.Run32, Claim: k.Claim},
	} {
		at := Setting{}
		if want == "runs on no device" {
			at.Launch.Groups = model.Size3{X: 1, Y: 1, Z: 1}
		}
		_, err := o.Attack(at, AttackOptions{Evals: 1000})
		require.ErrorContains(t, err, want)
	}
}

// TestAttackRows holds the rows that are drawn to what the bounds speak of.
func TestAttackRows(t *testing.T) {
	for _, alg := range word.Algorithms() {
		b := word.Bound{Same: alg.Name == "SloppyDWPlusDW"}
		a := attack.NewAttacker(alg.Op, nil, b, AttackOptions{Ordered: alg.Ordered})
		row := make([]float32, alg.Op.In())
		ties, zeros := 0, 0
		for i := range 20_000 {
			switch {
			case i%50 == 0:
				a.Draw(row)
			case i%5 == 0:
				a.Perturb(row)
			default:
				a.Mutate(row)
			}
			a.Fix(row)
			for k, words := range a.Words {
				h := row[a.Offsets[k]]
				require.False(t, h == 0 || math.IsInf(float64(h), 0) || h != h)
				if alg.Op.Function == word.Root || b.Same {
					require.Equal(t, math.Signbit(float64(h)), alg.Op.Function != word.Root && math.Signbit(float64(row[0])), "%x", row)
				}
				if words == 2 {
					l := row[a.Offsets[k]+1]
					require.Equal(t, h, h+l, "%x", row)
					half := math.Ldexp(1, math.Ilogb(float64(h))-24)
					if math.Abs(float64(l)) == half {
						ties++
					}
					if l == 0 {
						zeros++
					}
				}
			}
			if alg.Ordered {
				require.GreaterOrEqual(t, math.Abs(float64(row[0])), math.Abs(float64(row[1])))
			}
		}
		if alg.Op.X == 2 {
			require.Greater(t, ties, 10)
			require.Greater(t, zeros, 10)
		}
	}
}

func BenchmarkAttack(b *testing.B) {
	for _, name := range attacked {
		a := algorithm(b, name)
		b.Run(name, func(b *testing.B) {
			evals := 0
			for i := range b.N {
				evals += Attack(a.Op, attackKernel(a), a.Bounds[0], AttackOptions{Seed: uint64(i), Until: 0.9901}).Evals
			}
			b.ReportMetric(float64(evals)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// ExampleAttack finds that DWTimesDW1 does not keep to the 4u² of DWTimesDW3.
func ExampleAttack() {
	three, _ := word.ByName("DWTimesDW3")
	one, _ := dd.Find("dd.Times1")
	r := Attack(word.DWTimesDW, one.Run32, three.Bounds[0], AttackOptions{Until: 1.2})
	fmt.Println(r.Ratio > 1.2)
	// Output: true
}
