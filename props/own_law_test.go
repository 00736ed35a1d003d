package props

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/modular"
	"gamma/model/word"
	"gamma/props/internal/check"
	"gamma/props/internal/engine"
	"gamma/props/judge"
)

// saidTB keeps what a test says instead of failing it.
type saidTB struct {
	testing.TB
	errs, logs []string
}

func (s *saidTB) Errorf(f string, a ...any) { s.errs = append(s.errs, fmt.Sprintf(f, a...)) }
func (s *saidTB) Error(a ...any)            { s.errs = append(s.errs, fmt.Sprint(a...)) }
func (s *saidTB) Logf(f string, a ...any)   { s.logs = append(s.logs, fmt.Sprintf(f, a...)) }
func (s *saidTB) Log(a ...any)              { s.logs = append(s.logs, fmt.Sprint(a...)) }

// searched judges a subject by the laws whose IDs begin so, and returns what the test says: errors and logs.
func searched(t *testing.T, s Subject, laws string) (errs, logs string) {
	t.Helper()
	t.Setenv("GAMMA_SAVE", "off")
	t.Setenv("GAMMA_LAW", laws)
	tb := &saidTB{TB: t}
	j := check.Open(tb, s.Judged)
	require.NotNil(t, j, tb.errs)
	j.Check(tb, func(_ string, part func(t engine.TB)) { part(tb) }, check.RunRapid)
	return strings.Join(tb.errs, "\n"), strings.Join(tb.logs, "\n")
}

// plainProduct is the textbook's product of complex numbers.
var plainProduct = Rows42(func(a, b, c, d float32) (re, im float32) {
	return float32(a*c) - float32(b*d), float32(a*d) + float32(b*c)
})

// squareNorm says that x·conj x is real and not negative.
func squareNorm(judged func(r *WordRow) Verdict) WordLaw {
	return WordLaw{
		ID: "my.norm", Statement: "x·conj x is real",
		Relate: func(row []uint64) { row[2], row[3] = row[0], row[1]^1<<31 },
		Domain: func(row []uint64) string {
			for _, b := range row {
				if math.IsNaN(float64(math.Float32frombits(uint32(b)))) || math.IsInf(float64(math.Float32frombits(uint32(b))), 0) {
					return "an operand is not finite"
				}
			}
			return ""
		},
		Judge: judged,
	}
}

func TestOwnLawRelatesOperands(t *testing.T) {
	claim := word.Claim{Op: word.ComplexTimes, Algorithm: "ComplexPlain"}
	judged := func(r *WordRow) Verdict {
		if r.In[2] != r.In[0] || r.In[3] != r.In[1]^1<<31 {
			panic("the operands are not related")
		}
		im := math.Float32frombits(uint32(r.Out[1]))
		if im == 0 || math.IsNaN(float64(im)) {
			return Verdict{Outcome: Holds}
		}
		return Verdict{Outcome: Violated, Reason: "the product is not real"}
	}
	errs, logs := searched(t, Operation{Name: "own.times", Claim: claim, Run: plainProduct, Laws: []WordLaw{squareNorm(judged)}}, "my.")
	require.Empty(t, errs)
	require.Contains(t, logs, "my.norm")
	// A fault in the imaginary part, whose report shows operands that are related, and no exact product.
	errs, _ = searched(t, Operation{Name: "own.wrong", Claim: claim, Run: func(dst, src []float32) {
		plainProduct(dst, src)
		for i := 1; i < len(dst); i += 2 {
			dst[i] += src[2*i-2]
		}
	}, Laws: []WordLaw{squareNorm(judged)}}, "my.")
	require.Contains(t, errs, "own.wrong violates my.norm: the product is not real")
	for _, label := range []string{"\nexact", "\nerror"} {
		require.NotContains(t, errs, label)
	}
	require.Contains(t, errs, "\ny.im        -0x0p+0  -0\n")
}

// TestOwnLawSeesSpecialRows: a law that names no families is judged on NaNs and infinities.
func TestOwnLawSeesSpecialRows(t *testing.T) {
	for name, is := range map[string]func(v float64) bool{"NaN": math.IsNaN, "infinity": func(v float64) bool { return math.IsInf(v, 0) }, "zero": func(v float64) bool { return v == 0 }} {
		law := WordLaw{ID: "my.special", Statement: "no operand is such", Judge: func(r *WordRow) Verdict {
			for _, b := range r.In {
				if is(float64(math.Float32frombits(uint32(b)))) {
					return Verdict{Outcome: Violated, Reason: "an operand is such"}
				}
			}
			return Verdict{Outcome: Holds}
		}}
		errs, _ := searched(t, Operation{Name: "own.special", Claim: word.Claim{Op: word.ComplexTimes, Algorithm: "ComplexPlain"}, Run: plainProduct, Laws: []WordLaw{law}}, "my.")
		require.Contains(t, errs, "violates my.special", name)
	}
}

// TestOwnLawUnderBehaviours: a law of one's own is judged under contraction, reassociation and rewrites that take NaNs for impossible,
// of operations and of sums.
func TestOwnLawUnderBehaviours(t *testing.T) {
	device := DeviceClaim{Cost: 1, Admits: model.Behaviour{
		Contract: model.ContractFast, Rewrites: model.Rewrites{Reassociate: true, NoNaNs: true, NoInfs: true},
	}}
	met := map[string]bool{}
	o := Operation{
		Name: "own.on", Claim: word.Claim{Op: word.ComplexTimes, Algorithm: "ComplexPlain"}, Device: device,
		RunOn: func(_ Setting, dst, src []float32) error { plainProduct(dst, src); return nil },
		Laws: []WordLaw{{ID: "my.any", Statement: "it runs", Judge: func(r *WordRow) Verdict {
			if !model.Binary32.IsFinite(r.In[0]) {
				met["a row of special values"] = true
			}
			return Verdict{Outcome: Holds}
		}}},
	}
	errs, logs := searched(t, o, "my.")
	require.Empty(t, errs)
	require.Contains(t, logs, ", 0 vacuous")
	r := Reduction{
		Name: "own.sum", Device: device, Claim: model.Claim{Compensation: model.Kahan},
		RunOn: func(_ Setting, x []float32) (float32, error) { return 0, nil },
		Laws: []Law{{ID: "my.any", Op: OpSum, Statement: "it runs", Judge: func(tr *Trial) Verdict {
			if b := tr.Setting().Behaviour.Rewrites; b.Reassociate {
				met["reassociation"] = true
			}
			return Verdict{Outcome: Holds}
		}}},
	}
	errs, logs = searched(t, r, "my.")
	require.Empty(t, errs)
	require.Contains(t, logs, ", 0 vacuous")
	require.Len(t, met, 2)
}

// TestOwnLawOfVectors relates and restricts the operands of a dot product, and reports them as they are related.
func TestOwnLawOfVectors(t *testing.T) {
	law := Law{
		ID: "my.square", Op: OpDot, Statement: "x·x >= 0",
		Relate: func(row []uint64) { copy(row[len(row)/2:], row[:len(row)/2]) },
		Domain: func(row []uint64) string {
			if len(row) < 4 {
				return "fewer than two terms"
			}
			return ""
		},
		Judge: func(tr *Trial) Verdict {
			if tr.N() < 2 || !slices.Equal(encoded32(tr.X().F32), encoded32(tr.Y().F32)) {
				panic("the factors are not related")
			}
			if s := math.Float32frombits(uint32(tr.Got())); s < 0 {
				return Verdict{Outcome: Violated, Reason: "a square is negative"}
			}
			return Verdict{Outcome: Holds}
		},
	}
	errs, _ := searched(t, Dot{Name: "own.dot", Run: dot32, Laws: []Law{law}}, "my.")
	require.Empty(t, errs)
	wrong := func(x, y []float32) float32 {
		if len(x) > 2 && x[2] != 0 {
			return -1
		}
		return dot32(x, y)
	}
	f, _, err := judge.Find(law, Dot{Name: "own.wrong", Run: wrong, Laws: []Law{law}}, 2000)
	require.NoError(t, err)
	require.NotNil(t, f)
	c := f.(*Failure).Case
	require.True(t, slices.Equal(encoded32(c.X.F32), encoded32(c.Y.F32)), "%v %v", c.X.F32, c.Y.F32)
	require.NotContains(t, f.Text(), "\nexact")
}

func encoded32(x []float32) []uint32 {
	list := make([]uint32, len(x))
	for i, v := range x {
		list[i] = math.Float32bits(v)
	}
	return list
}

// TestOwnLawOfResidues relates and restricts operands of residues and of transforms.
func TestOwnLawOfResidues(t *testing.T) {
	in := []modular.Word{{Name: "a", Range: 1}, {Name: "b", Range: 1}}
	m := Modular{
		Name: "own.square", Claim: modular.Claim{Function: modular.Product, Bits: 32, In: in, Out: in[:1], Moduli: modular.Moduli{Max: 1 << 31}},
		Run: func(q uint64, dst, src []uint64) error {
			for i := range dst {
				dst[i] = src[2*i] * src[2*i+1] % q
			}
			return nil
		},
	}
	m.Laws = []ModularLaw{{
		ID: "my.square", Statement: "a·a is even for even a below 2^15", Relate: func(row []uint64) { row[0] &= 0x7ffe; row[1] = row[0] },
		Domain: func(row []uint64) string {
			if row[0] == 0 {
				return "0"
			}
			return ""
		},
		Judge: func(r *ModularRow) Verdict {
			if r.In[0] != r.In[1] || r.In[0] == 0 || r.In[0]&1 == 1 {
				panic("the operands are not related")
			}
			if r.Modulus > 1<<30 && r.Out[0]&1 == 1 {
				return Verdict{Outcome: Violated, Reason: "odd"}
			}
			return Verdict{Outcome: Holds}
		},
	}}
	errs, _ := searched(t, m, "my.")
	require.Empty(t, errs)
	run := m.Run
	m.Run = func(q uint64, dst, src []uint64) error {
		err := run(q, dst, src)
		for i := range dst {
			dst[i] |= 1
		}
		return err
	}
	errs, _ = searched(t, m, "my.")
	require.Contains(t, errs, "own.square violates my.square: odd")
	words := regexp.MustCompile(`\n[ab] +(0x\w+) `).FindAllStringSubmatch(errs, 2)
	require.Len(t, words, 2)
	require.Equal(t, words[0][1], words[1][1], errs)
}

// TestOwnLawOfTransforms relates the operands of a product of polynomials.
func TestOwnLawOfTransforms(t *testing.T) {
	relate := func(row []uint64) { copy(row[len(row)/2:], row[:len(row)/2]) }
	n := NTT{
		Name: "own.polynomials", Claim: modular.TransformClaim{Bits: 32, Product: true, Moduli: modular.Moduli{Only: []uint64{97}}, MaxN: 16},
		Plan: func(t modular.Transform) (k modular.Transforms, err error) {
			if t.Modulus != 97 {
				return k, fmt.Errorf("modulus %d", t.Modulus)
			}
			k.Product = func(dst, a, b []uint64) error {
				z := make([]uint64, len(a))
				for i, v := range a {
					for j, w := range b {
						z[(i+j)%len(z)] = (z[(i+j)%len(z)] + v*w) % t.Modulus
					}
				}
				copy(dst, z)
				return nil
			}
			return k, nil
		},
	}
	n.Laws = []NTTLaw{{
		ID: "my.square", Statement: "the values at 1 of squares are squares", Relate: relate, Pair: true,
		Domain: func(row []uint64) string {
			if len(row) < 4 {
				return "one point"
			}
			return ""
		},
		Judge: func(c *NTTCase) Verdict {
			if !slices.Equal(c.X, c.Y) || len(c.X) < 2 {
				panic("the operands are not related")
			}
			var sum, of uint64
			for i, v := range c.Product(c.X, c.Y) {
				sum, of = sum+v, of+c.X[i]%c.Q()
			}
			if sum%c.Q() != of*of%c.Q() {
				return Verdict{Outcome: Violated, Reason: "no square"}
			}
			return Verdict{Outcome: Holds}
		},
	}}
	errs, _ := searched(t, n, "my.")
	require.Empty(t, errs)
}

// rarely is a law that says something of one row in so many.
func rarely(n uint64) WordLaw {
	return WordLaw{ID: "my.rare", Statement: "true", Judge: func(r *WordRow) Verdict {
		if n == 0 || r.In[0]%n != 0 {
			return Verdict{Outcome: Vacuous, Reason: "the operand is no multiple"}
		}
		return Verdict{Outcome: Holds}
	}}
}

// TestRareHypotheses: a search whose hypothesis is rarely met draws on, and fails only if that does not help.
func TestRareHypotheses(t *testing.T) {
	t.Setenv("GAMMA_TOTAL", "none")
	o := Operation{Name: "own.rare", Claim: word.Claim{Op: word.ComplexTimes, Algorithm: "ComplexPlain"}, Run: plainProduct}
	o.Laws = []WordLaw{rarely(211)}
	errs, logs := searched(t, o, "my.")
	require.Empty(t, errs)
	require.Contains(t, logs, "of them drawn towards the hypotheses")
	o.Laws = []WordLaw{rarely(0)}
	errs, _ = searched(t, o, "my.")
	require.Contains(t, errs, "judged 0 of ")
	require.Contains(t, errs, " of them drawn towards its hypotheses; in the others one was not met, most often: the operand is no multiple")

	// Of operands one in 8,192 ends so, and some 200,000 are drawn at most: enough are met only if they are drawn from those that were.
	b := Battery{Name: "own.rare", Format: model.Binary32, Laws: []ScalarLaw{{ID: "my.rare", Statement: "true", Operands: 2, Judge: func(x []uint64) Verdict {
		if x[0]&0x1fff != 0x1155 {
			return Verdict{Outcome: Vacuous, Reason: "another end"}
		}
		return Verdict{Outcome: Holds}
	}}}}
	errs, logs = searched(t, b, "my.")
	require.Empty(t, errs)
	require.Contains(t, logs, "of them drawn towards the hypotheses")
}

// TestOneFaultOneReport: of a kernel that races and is wrong the race is reported first, as a whole, and each law that finds the same fault
// says in a few lines what it found, and how to see the rest.
func TestOneFaultOneReport(t *testing.T) {
	t.Setenv("GAMMA_DIR", t.TempDir())
	wrong := func(at Setting, x []float32) (float32, error) {
		s, err := racing(at, x)
		return s + 1, err
	}
	r := Reduction{Name: "my.metal#sum", RunOn: wrong, Device: DeviceClaim{Checked: true, Launches: groupLaunches}}
	errs, _ := searched(t, r, "")
	reports := regexp.MustCompile(`(?m)^law  `).FindAllStringIndex(errs, -1)
	require.Len(t, reports, 1, errs)
	require.True(t, strings.HasPrefix(strings.TrimSpace(errs), "my.metal#sum violates kernel.race"), errs)
	also := strings.Split(errs, "also: ")[1:]
	require.Greater(t, len(also), 2, errs)
	for _, text := range also {
		require.Regexp(t, `^my\.metal#sum violates `, text)
		require.Contains(t, text, "reproduce   go test")
	}
}
