package props_test

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/modular"
	"gamma/model/round"
	"gamma/model/word"
	"gamma/oracle"
	"gamma/props"
	"gamma/props/judge"
)

// checked is a subject of any kind.
type checked interface {
	props.Subject
	Check(t *testing.T)
}

// reported returns the report of a violation of a law, nil if none is found.
func reported(t *testing.T, s checked, id model.LawID) (f props.Report) {
	t.Helper()
	const n = 20000
	switch s := s.(type) {
	case props.Operation:
		l, err := judge.LawByID(judge.WordLaws(), id)
		require.NoError(t, err)
		f, _, err = judge.Find(l, s, n)
		require.NoError(t, err)
	case props.Modular:
		l, err := judge.LawByID(judge.ModularLaws(), id)
		require.NoError(t, err)
		f, _, err = judge.Find(l, s, n)
		require.NoError(t, err)
	case props.NTT:
		l, err := judge.LawByID(judge.NTTLaws(), id)
		require.NoError(t, err)
		f, _, err = judge.Find(l, s, 400)
		require.NoError(t, err)
	default:
		l, err := judge.LawByID(judge.Laws(), id)
		require.NoError(t, err)
		f, _, err = judge.Find(l, s, n)
		require.NoError(t, err)
	}
	return f
}

var errRefused = errors.New("not taken")

func kahan(x []float32, fault bool) float32 {
	var s, c float32
	for _, v := range x {
		y := v - c
		t := s + y
		c = (t - s) - y
		if fault {
			c = -c
		}
		s = t
	}
	return s
}

func neumaier(x []float64, fault bool) float64 {
	var s, c float64
	for _, v := range x {
		t := s + v
		if math.Abs(s) >= math.Abs(v) != fault {
			c += (s - t) + v
		} else {
			c += (v - t) + s
		}
		s = t
	}
	return s + c
}

// tiles256 adds up tiles of 256 numbers in lanes of 4, and takes no others; the fault loses the last number of a tile.
func tiles256(x []float32, fault bool) float32 {
	if len(x)%256 != 0 {
		panic("no tile")
	}
	var lanes [4]float32
	for i, v := range x {
		if fault && i%256 == 255 {
			continue
		}
		lanes[i%4] += v
	}
	return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])
}

func fixed256(x []float32, fault bool) float32 {
	a := (*[256]float32)(x)
	var s float32
	for i := range a {
		if !fault || i < 255 {
			s += a[i]
		}
	}
	return s
}

func dot3(x, y []float32, fault bool) float32 {
	a, b := (*[3]float32)(x), (*[3]float32)(y)
	s := float32(a[0]*b[0]) + float32(a[1]*b[1])
	if fault {
		return s + float32(a[2]*b[1])
	}
	return s + float32(a[2]*b[2])
}

func rightReductions(fault bool) map[model.LawID][]checked {
	return map[model.LawID][]checked{
		model.SumCompensated: {
			props.Reduction{Name: "kahan", Claim: model.Claim{Compensation: model.Kahan, Finite: true}, Run: func(x []float32) float32 { return kahan(x, fault) }},
			props.Reduction{Name: "neumaier", Claim: model.Claim{Compensation: model.Sum2, Finite: true}, Run64: func(x []float64) float64 { return neumaier(x, fault) }},
			props.Reduction{
				Name: "kahan.finite", Claim: model.Claim{Compensation: model.Kahan, Finite: true, MaxN: 100},
				RunErr: func(x []float32) (float32, error) {
					if s := kahan(x, fault); s-s == 0 {
						return s, nil
					}
					return 0, errRefused
				},
			},
		},
		model.SumIntegers: {
			props.Reduction{Name: "tiles", Claim: model.Claim{Multiple: 256}, Run: func(x []float32) float32 { return tiles256(x, fault) }},
			props.Reduction{Name: "fixed", Claim: model.Claim{MinN: 256, MaxN: 256, Tree: "left"}, Run: func(x []float32) float32 { return fixed256(x, fault) }},
			props.Reduction{Name: "many", Claim: model.Claim{MinN: 1000}, Run: func(x []float32) float32 {
				if len(x) < 1000 {
					panic("too few")
				}
				var s float32
				for i, v := range x {
					if !fault || i != 998 {
						s += v
					}
				}
				return s
			}},
		},
		model.DotIntegers: {
			props.Dot{Name: "dot3", Claim: model.Claim{MinN: 3, MaxN: 3}, Run: func(x, y []float32) float32 { return dot3(x, y, fault) }},
		},
	}
}

// sloppy is the sloppy sum of double words, whose result is not normalised.
func sloppy(xh, xl, yh, yl float64, fault bool) (h, l float64) {
	r := xh + yh
	v := r - xh
	e := (xh - (r - v)) + (yh - v)
	if fault {
		e = 0
	}
	return r, e + (xl + yl)
}

// productByHalves is Dekker's product, without an fma.
func productByHalves(a, b float32, fault bool) (p, e float32) {
	split := func(a float32) (h, l float32) {
		c := float32(4097 * a)
		h = c - (c - a)
		return h, a - h
	}
	ah, al := split(a)
	bh, bl := split(b)
	p = a * b
	e = float32(al*bl) - (((p - float32(ah*bh)) - float32(al*bh)) - float32(ah*bl))
	if fault {
		e = float32(al * bh)
	}
	return p, e
}

// plusWord adds a word to a double word, and returns early where either is 0.
func plusWord(xh, xl, y float32, fault bool) (h, l float32) {
	if xh == 0 {
		return y, 0
	}
	if y == 0 {
		return xh, xl
	}
	s := xh + y
	b := s - xh
	e := (xh - (s - b)) + (y - b)
	if fault {
		e = 0
	}
	v := xl + e
	h = s + v
	return h, v - (h - s)
}

func rightOperations(fault bool) map[model.LawID][]checked {
	return map[model.LawID][]checked{
		model.DDSloppy: {
			props.Operation{
				Name: "sloppy", Claim: word.Claim{Op: word.DWPlusDW, Algorithm: "SloppyDWPlusDW", Special: word.SpecialNotFinite},
				Run64: props.Rows42(func(xh, xl, yh, yl float64) (h, l float64) { return sloppy(xh, xl, yh, yl, fault) }),
			},
			props.Operation{
				Name: "sloppy.finite", Claim: word.Claim{Op: word.DWPlusDW, Algorithm: "SloppyDWPlusDW", Finite: true, Unnormalised: true, Multiple: 8},
				Run64Err: func(dst, src []float64) error {
					if len(src)%32 != 0 {
						return errRefused
					}
					for i := 0; i < len(src); i += 4 {
						h, l := sloppy(src[i], src[i+1], src[i+2], src[i+3], fault)
						if dst[i/2], dst[i/2+1] = h, l; (h+l)-(h+l) != 0 {
							return errRefused
						}
					}
					return nil
				},
			},
		},
		model.EFTProduct: {
			props.Operation{
				Name: "dekker", Claim: word.Claim{Op: word.TwoProduct, Finite: true},
				Run: props.Rows22(func(a, b float32) (p, e float32) { return productByHalves(a, b, fault) }),
			},
			props.Operation{
				Name: "dekker.named", Claim: word.Claim{Op: word.TwoProduct, Algorithm: "Dekker", Finite: true},
				Run: props.Rows22(func(a, b float32) (p, e float32) { return productByHalves(a, b, fault) }),
			},
		},
		model.DDAddFP: {
			props.Operation{
				Name: "plus", Claim: word.Claim{Op: word.DWPlusFP, Algorithm: "DWPlusFP", Special: word.SpecialNotFinite},
				Run: props.Rows32(func(xh, xl, y float32) (h, l float32) { return plusWord(xh, xl, y, fault) }),
			},
		},
	}
}

// oneField multiplies modulo one prime; barrett does modulo another, and montgomeryFixed in Montgomery form.
func oneField(_ uint64, dst, src []uint64, fault bool) error {
	const p = 1<<64 - 1<<32 + 1
	for i := range dst {
		h, l := bits.Mul64(src[2*i], src[2*i+1])
		if fault {
			h &^= 1 << 20
		}
		_, dst[i] = bits.Div64(h%p, l, p)
	}
	return nil
}

func barrett(_ uint64, dst, src []uint64, fault bool) error {
	const q, m = 3329, 1 << 26 / 3329
	for i := range dst {
		z := src[2*i] * src[2*i+1]
		z -= z * m >> 26 * q
		if z >= q && !fault {
			z -= q
		}
		dst[i] = z
	}
	return nil
}

func montgomeryFixed(_ uint64, dst, src []uint64, fault bool) error {
	const q = 998244353
	var inverse uint32 = q // -1/q modulo 2^32, by Newton's method
	for range 4 {
		inverse *= 2 - q*inverse
	}
	for i := range dst {
		z := src[2*i] * src[2*i+1]
		z = (z + uint64(uint32(z)*-inverse)*q) >> 32
		if z >= q && !fault {
			z -= q
		}
		dst[i] = z
	}
	return nil
}

// trusting multiplies modulo what it is given.
func trusting(q uint64, dst, src []uint64, fault bool) error {
	for i := range dst {
		if dst[i] = src[2*i] * src[2*i+1] % q; fault && src[2*i] == q-1 {
			dst[i]++
		}
	}
	return nil
}

// fermat inverts modulo primes, and checks all but that they are.
func fermat(q uint64, dst, src []uint64, fault bool) error {
	if q%2 == 0 || q < 3 || q >= 1<<31 {
		return errRefused
	}
	for i := range dst {
		e := q - 2
		if fault {
			e = q - 3
		}
		dst[i] = oracle.PowMod(src[i], e, q)
	}
	return nil
}

func rightModular(fault bool) map[model.LawID][]checked {
	reduced := func(names ...string) (list []modular.Word) {
		for _, n := range names {
			list = append(list, modular.Word{Name: n, Range: 1})
		}
		return list
	}
	montgomeryWords := reduced("a", "b", "z")
	for i := range montgomeryWords {
		montgomeryWords[i].Power = 1
	}
	with := func(f func(q uint64, dst, src []uint64, fault bool) error) func(q uint64, dst, src []uint64) error {
		return func(q uint64, dst, src []uint64) error { return f(q, dst, src, fault) }
	}
	product := func(bits int, m modular.Moduli) modular.Claim {
		return modular.Claim{Function: modular.Product, Bits: bits, In: reduced("a", "b"), Out: reduced("z"), Moduli: m}
	}
	tiled := product(32, modular.Moduli{Only: []uint64{3329}})
	tiled.Multiple = 8
	fixed := product(32, modular.Moduli{Only: []uint64{998244353}})
	fixed.In, fixed.Out = montgomeryWords[:2], montgomeryWords[2:]
	return map[model.LawID][]checked{
		model.MontValue: {
			props.Modular{Name: "oneField", Claim: product(64, modular.Moduli{Only: []uint64{1<<64 - 1<<32 + 1}}), Run: with(oneField)},
			props.Modular{Name: "trusting", Claim: product(32, modular.Moduli{Max: 1<<32 - 1, Unchecked: true}), Run: with(trusting)},
			props.Modular{Name: "fermat", Claim: modular.Claim{
				Function: modular.Inverse, Bits: 32, In: reduced("a"), Out: reduced("z"), Moduli: modular.Moduli{Min: 3, Max: 1<<31 - 1, Prime: true, UncheckedPrime: true},
			}, Run: with(fermat)},
		},
		model.MontRange: {
			props.Modular{Name: "barrett", Claim: product(32, modular.Moduli{Only: []uint64{3329}}), Run: with(barrett)},
			props.Modular{Name: "montgomery", Claim: fixed, Run: with(montgomeryFixed)},
			props.Modular{Name: "tiled", Claim: tiled, Run: with(func(q uint64, dst, src []uint64, fault bool) error {
				if len(dst)%8 != 0 {
					return errRefused
				}
				return barrett(q, dst, src, fault)
			})},
		},
	}
}

// oneTransform is the cyclic transform of 16 points modulo 97 alone, whatever it is asked for.
func oneTransform(check, fault bool) func(modular.Transform) (modular.Transforms, error) {
	const n, q = 16, 97
	root, err := oracle.RootOfUnity(n, q)
	if err != nil {
		panic(err)
	}
	by := func(root, scale uint64) func(dst, src []uint64) error {
		return func(dst, src []uint64) error {
			if check && (len(dst) != n || len(src) != n) {
				return fmt.Errorf("%d words, and %d points", len(src), n)
			}
			var z [n]uint64
			for k := range z {
				for j, v := range src[:n] {
					e := uint64(j * k)
					if fault && j == 7 && k == 9 {
						e++
					}
					z[k] = (z[k] + v*oracle.PowMod(root, e, q)) % q
				}
				z[k] = z[k] * scale % q
			}
			copy(dst, z[:])
			return nil
		}
	}
	back, _ := oracle.InvMod(root, q)
	perN, _ := oracle.InvMod(n, q)
	return func(modular.Transform) (modular.Transforms, error) {
		return modular.Transforms{Root: root, Forward: by(root, 1), Inverse: by(back, perN)}, nil
	}
}

func rightTransforms(fault bool) map[model.LawID][]checked {
	side := modular.Direction{In: modular.Side{Range: 1}, Out: modular.Side{Range: 1}}
	c := modular.TransformClaim{Bits: 32, Forward: side, Inverse: side, Moduli: modular.Moduli{Only: []uint64{97}}, MinN: 16, MaxN: 16, OwnRoot: true}
	trusting := c
	trusting.Unchecked = true
	return map[model.LawID][]checked{model.NTTExact: {
		props.NTT{Name: "one", Claim: c, Plan: oneTransform(true, fault)},
		props.NTT{Name: "one.trusting", Claim: trusting, Plan: oneTransform(false, fault)},
	}}
}

// TestRightKernels holds small kernels that are right, each by a claim that states what it leaves out, to every law; and the same with a
// fault to the law that finds it.
func TestRightKernels(t *testing.T) {
	t.Setenv("GAMMA_SAVE", "off")
	for _, kind := range []func(fault bool) map[model.LawID][]checked{rightReductions, rightOperations, rightModular, rightTransforms} {
		faulty := kind(true)
		for id, list := range kind(false) {
			for i, s := range list {
				t.Run(fmt.Sprintf("%s/%d", id, i), func(t *testing.T) {
					s.Check(t)
					f := reported(t, faulty[id][i], id)
					require.NotNil(t, f, "%s does not find the fault", id)
					require.NotContains(t, f.Text(), "if the kernel does not promise this")
				})
			}
		}
	}
}

// TestReportsNameWeakerClaims: the report of a kernel that keeps a weaker contract than it claims names the field that states it.
func TestReportsNameWeakerClaims(t *testing.T) {
	t.Setenv("GAMMA_SAVE", "off")
	sums, words, residues, transforms := rightReductions(false), rightOperations(false), rightModular(false), rightTransforms(false)
	kahan := sums[model.SumCompensated][0].(props.Reduction)
	kahan.Claim.Finite = false
	refusing := sums[model.SumCompensated][2].(props.Reduction)
	refusing.Claim.Finite = false
	tiles := sums[model.SumIntegers][0].(props.Reduction)
	tiles.Claim.Multiple = 0
	many := sums[model.SumIntegers][2].(props.Reduction)
	many.Claim.MinN = 0
	finite := words[model.DDSloppy][1].(props.Operation)
	finite.Claim.Finite = false
	multiple := words[model.DDSloppy][1].(props.Operation)
	multiple.Claim.Multiple = 0
	normal := words[model.DDSloppy][0].(props.Operation)
	normal.Claim.Algorithm = "AccurateDWPlusDW"
	trusting := residues[model.MontValue][1].(props.Modular)
	trusting.Claim.Moduli.Unchecked = false
	fermat := residues[model.MontValue][2].(props.Modular)
	fermat.Claim.Moduli.UncheckedPrime = false
	tiled := residues[model.MontRange][2].(props.Modular)
	tiled.Claim.Multiple = 0
	transform := transforms[model.NTTExact][1].(props.NTT)
	transform.Claim.Unchecked = false
	for _, c := range []struct {
		s     checked
		law   model.LawID
		field string
	}{
		{kahan, model.SumSpecial, "Claim.Finite"},
		{refusing, model.SumSpecial, "Claim.Finite"},
		{tiles, model.SumEnclosure, "Claim.MinN, MaxN or Multiple"},
		{many, model.SumEnclosure, "Claim.MinN, MaxN or Multiple"},
		{finite, model.DDSpecial, "Claim.Finite"},
		{multiple, model.DDSloppy, "Claim.Multiple"},
		{normal, model.DDNormal, "Claim.Unnormalised"},
		{trusting, model.MontRefuses, "Claim.Moduli.Unchecked"},
		{fermat, model.MontRefuses, "Claim.Moduli.UncheckedPrime"},
		{tiled, model.MontValue, "Claim.Multiple"},
		{transform, model.NTTRefuses, "Claim.Unchecked"},
	} {
		f := reported(t, c.s, c.law)
		require.NotNil(t, f, "%s %s", c.law, c.field)
		require.Equal(t, c.field, f.Common().Weaker, "%s", f.Text())
		require.Contains(t, f.Text(), "\nweaker      if the kernel does not promise this, set "+c.field+"\n")
		j, err := f.JSON()
		require.NoError(t, err)
		require.Contains(t, string(j), `"weaker":"`+c.field+`"`)
	}
	a := finiteAlone(props.Arithmetic{Name: "add", Format: model.Binary16, Add: round.Arith{F: model.Binary16}.Add}, model.Binary16)
	a.Finite = false
	b := a.Battery()
	f, err := b.Find(b.Laws[0])
	require.NoError(t, err)
	require.Contains(t, f.Text(), "set Arithmetic.Finite\n")
}

// TestReducesToMultiples: what is left of a case has a length that the claim admits, the shortest of them.
func TestReducesToMultiples(t *testing.T) {
	t.Setenv("GAMMA_SAVE", "off")
	for i, n := range []int{256, 256, 1000} {
		f := reported(t, rightReductions(true)[model.SumIntegers][i], model.SumIntegers)
		require.NotNil(t, f)
		require.Equal(t, n, f.(*props.Failure).Case.N(), "%s", f.Text())
	}
}
