package props

import (
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels"
	"gamma/model"
	"gamma/model/round"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/families"
	"gamma/props/internal/vectors"
	"gamma/props/judge"
	"gamma/sumtree"
)

// errLong is what kernels here return where they are told to fail.
var errLong = errors.New("no room for 5 leaves")

// shape is one way for a kernel to come: right holds every law, and wrong fails one.
type shape struct {
	name         string
	right, wrong Subject
	reason       string // part of a verdict's reason on wrong; "" if any will do
}

// widened returns the values of encodings of f, by the format's definition.
func widened(f model.Format, x []uint16) []float32 {
	w := make([]float32, len(x))
	for i, b := range x {
		switch neg, m, e := false, uint64(0), 0; {
		case f.IsNaN(uint64(b)):
			w[i] = float32(math.NaN())
		case f.IsInf(uint64(b)):
			w[i] = float32(math.Inf(1))
			if f.Signbit(uint64(b)) {
				w[i] = float32(math.Inf(-1))
			}
		default:
			neg, m, e = f.Decode(uint64(b))
			w[i] = float32(math.Ldexp(float64(m), e))
			if neg {
				w[i] = -w[i]
			}
		}
	}
	return w
}

// short drops the last element of five or more.
func short[T any](x []T) []T {
	if len(x) < 5 {
		return x
	}
	return x[:len(x)-1]
}

// fail5 returns an error for five elements or more.
func fail5[T any](x []T) error {
	if len(x) < 5 {
		return nil
	}
	return errLong
}

func magnitudes(x []float32) []float32 {
	m := make([]float32, len(x))
	for i, v := range x {
		m[i] = float32(math.Abs(float64(v)))
	}
	return m
}

// matVec is a matrix by a vector, row by row.
func matVec(dst, a, x []float32, n int) {
	for i := range dst {
		dst[i] = kernels.DotSerial(a[i*n:(i+1)*n], x)
	}
}

// dotFollowing sums rounded products along a schedule.
func dotFollowing(t *sumtree.Tree, x, y []float32) float32 {
	p := make([]float32, len(x))
	for i := range p {
		p[i] = x[i] * y[i]
	}
	return kernels.SumFollowing(t, p)
}

// halfSum returns a sum of encodings: leaves in f, additions in binary32, the result in out.
func halfSum(f, out model.Format) (claim model.Claim, run func(x []uint16) uint64) {
	claim = model.Claim{In: f, Acc: model.Binary32, Out: out, Tree: "left", Repeats: true, SignedZero: true}
	return claim, func(x []uint16) uint64 {
		return round.Convert(round.Arith{F: out}, model.Binary32, bits32(kernels.SumSerial(widened(f, x))))
	}
}

// halfDot returns a dot product of encodings of f, in binary32 otherwise.
func halfDot(f model.Format) (claim model.Claim, run func(x, y []uint16) uint64) {
	claim = model.Claim{In: f, Acc: model.Binary32, Out: model.Binary32, Tree: "left", Repeats: true, SignedZero: true}
	return claim, func(x, y []uint16) uint64 {
		return bits32(kernels.DotSerial(widened(f, x), widened(f, y)))
	}
}

func sumShapes() []shape {
	left := model.Claim{Tree: "left", Repeats: true, SignedZero: true}
	list := []shape{
		{
			"Run",
			Reduction{Claim: left, Run: kernels.SumSerial[float32]},
			Reduction{Claim: left, Run: func(x []float32) float32 { return kernels.SumSerial(short(x)) }},
			"",
		},
		{
			"RunErr",
			Reduction{Claim: left, RunErr: func(x []float32) (float32, error) { return kernels.SumSerial(x), nil }},
			Reduction{Claim: left, RunErr: func(x []float32) (float32, error) { return kernels.SumSerial(x), fail5(x) }},
			"the kernel returned an error: no room for 5 leaves",
		},
		{
			"Run64",
			Reduction{Claim: left, Run64: kernels.SumSerial[float64]},
			Reduction{Claim: left, Run64: func(x []float64) float64 { return kernels.SumSerial(short(x)) }},
			"",
		},
		{
			"Run64Err",
			Reduction{Claim: left, Run64Err: func(x []float64) (float64, error) { return kernels.SumSerial(x), nil }},
			Reduction{Claim: left, Run64Err: func(x []float64) (float64, error) { return kernels.SumSerial(x), fail5(x) }},
			"the kernel returned an error: no room for 5 leaves",
		},
		{
			"RunTree",
			Reduction{RunTree: kernels.SumFollowing},
			Reduction{RunTree: func(_ *sumtree.Tree, x []float32) float32 { return kernels.SumSerial(x) }},
			"",
		},
		{
			"RunTreeErr",
			Reduction{RunTreeErr: func(t *sumtree.Tree, x []float32) (float32, error) { return kernels.SumFollowing(t, x), nil }},
			Reduction{RunTreeErr: func(t *sumtree.Tree, x []float32) (float32, error) { return kernels.SumFollowing(t, x), fail5(x) }},
			"the kernel returned an error: no room for 5 leaves",
		},
		{
			"RunRows",
			Reduction{Claim: left, RunRows: func(dst, x []float32, n int) {
				for i := range dst {
					dst[i] = kernels.SumSerial(x[i*n : (i+1)*n])
				}
			}},
			Reduction{Claim: left, RunRows: func(dst, x []float32, n int) {
				for i := range dst {
					dst[i] = kernels.SumSerial(x[:n]) // always the first row
				}
			}},
			"",
		},
		{
			"RunRowsErr",
			Reduction{Claim: left, RunRowsErr: func(dst, x []float32, n int) error {
				for i := range dst {
					dst[i] = kernels.SumSerial(x[i*n : (i+1)*n])
				}
				return nil
			}},
			Reduction{Claim: left, RunRowsErr: func(dst, x []float32, n int) error {
				for i := range dst {
					dst[i] = kernels.SumSerial(x[i*n : (i+1)*n])
				}
				return fail5(x)
			}},
			"the kernel returned an error: no room for 5 leaves",
		},
		{
			"Magnitudes",
			Reduction{Claim: left, Magnitudes: true, Run: func(x []float32) float32 { return kernels.SumSerial(magnitudes(x)) }},
			Reduction{Claim: left, Magnitudes: true, Run: kernels.SumSerial[float32]},
			"",
		},
	}
	for _, f := range []model.Format{model.Binary16, model.BFloat16, model.E4M3, model.E5M2} {
		claim, run := halfSum(f, model.Binary32)
		narrow, own := halfSum(f, f)
		list = append(list, shape{
			"RunBits " + f.Name,
			Reduction{Claim: claim, RunBits: run},
			Reduction{Claim: claim, RunBits: func(x []uint16) uint64 { return run(short(x)) }},
			"",
		}, shape{
			"RunBits to " + f.Name,
			Reduction{Claim: narrow, RunBits: own},
			Reduction{Claim: narrow, RunBits: run}, // a result in binary32 where one of f is claimed
			"",
		}, shape{
			"RunBitsErr " + f.Name,
			Reduction{Claim: claim, RunBitsErr: func(x []uint16) (uint64, error) { return run(x), nil }},
			Reduction{Claim: claim, RunBitsErr: func(x []uint16) (uint64, error) { return run(x), fail5(x) }},
			"the kernel returned an error: no room for 5 leaves",
		})
	}
	return list
}

func dotShapes() []shape {
	left := model.Claim{Tree: "left", Repeats: true, SignedZero: true}
	list := []shape{
		{
			"Run",
			Dot{Claim: left, Run: kernels.DotSerial[float32]},
			Dot{Claim: left, Run: func(x, y []float32) float32 { return kernels.DotSerial(short(x), short(y)) }},
			"",
		},
		{
			"RunErr",
			Dot{Claim: left, RunErr: func(x, y []float32) (float32, error) { return kernels.DotSerial(x, y), nil }},
			Dot{Claim: left, RunErr: func(x, y []float32) (float32, error) { return kernels.DotSerial(x, y), fail5(x) }},
			"the kernel returned an error: no room for 5 leaves",
		},
		{
			"Run64",
			Dot{Claim: left, Run64: kernels.DotSerial[float64]},
			Dot{Claim: left, Run64: func(x, y []float64) float64 { return kernels.DotSerial(short(x), short(y)) }},
			"",
		},
		{
			"Run64Err",
			Dot{Claim: left, Run64Err: func(x, y []float64) (float64, error) { return kernels.DotSerial(x, y), nil }},
			Dot{Claim: left, Run64Err: func(x, y []float64) (float64, error) { return kernels.DotSerial(x, y), fail5(x) }},
			"the kernel returned an error: no room for 5 leaves",
		},
		{
			"RunTree",
			Dot{RunTree: dotFollowing},
			Dot{RunTree: func(_ *sumtree.Tree, x, y []float32) float32 { return kernels.DotSerial(x, y) }},
			"",
		},
		{
			"RunTreeErr",
			Dot{RunTreeErr: func(t *sumtree.Tree, x, y []float32) (float32, error) { return dotFollowing(t, x, y), nil }},
			Dot{RunTreeErr: func(t *sumtree.Tree, x, y []float32) (float32, error) { return dotFollowing(t, x, y), fail5(x) }},
			"the kernel returned an error: no room for 5 leaves",
		},
		{
			"RunRows",
			Dot{Claim: left, RunRows: matVec},
			Dot{Claim: left, RunRows: func(dst, a, x []float32, n int) {
				matVec(dst, a, x, n)
				for i := 1; i < len(dst); i += 2 { // two rows at once, and the second forgotten
					dst[i] = dst[i-1]
				}
			}},
			"",
		},
		{
			"RunRowsErr",
			Dot{Claim: left, RunRowsErr: func(dst, a, x []float32, n int) error { matVec(dst, a, x, n); return nil }},
			Dot{Claim: left, RunRowsErr: func(dst, a, x []float32, n int) error { matVec(dst, a, x, n); return fail5(x) }},
			"the kernel returned an error: no room for 5 leaves",
		},
		{
			"RunSquares",
			Dot{Claim: left, RunSquares: func(x []float32) float32 { return kernels.DotSerial(x, x) }},
			Dot{Claim: left, RunSquares: func(x []float32) float32 { return kernels.DotSerial(short(x), short(x)) }},
			"",
		},
		{
			"RunSquaresErr",
			Dot{Claim: left, RunSquaresErr: func(x []float32) (float32, error) { return kernels.DotSerial(x, x), nil }},
			Dot{Claim: left, RunSquaresErr: func(x []float32) (float32, error) { return kernels.DotSerial(x, x), fail5(x) }},
			"the kernel returned an error: no room for 5 leaves",
		},
	}
	for _, f := range []model.Format{model.Binary16, model.BFloat16, model.E4M3, model.E5M2} {
		claim, run := halfDot(f)
		list = append(list, shape{
			"RunBits " + f.Name,
			Dot{Claim: claim, RunBits: run},
			Dot{Claim: claim, RunBits: func(x, y []uint16) uint64 { return run(short(x), short(y)) }},
			"",
		}, shape{
			"RunBitsErr " + f.Name,
			Dot{Claim: claim, RunBitsErr: func(x, y []uint16) (uint64, error) { return run(x, y), nil }},
			Dot{Claim: claim, RunBitsErr: func(x, y []uint16) (uint64, error) { return run(x, y), fail5(x) }},
			"the kernel returned an error: no room for 5 leaves",
		})
	}
	return list
}

// stridedShapes are those of kernels that take increments.
func stridedShapes() []shape {
	return []shape{
		{
			"RunStrided",
			Reduction{RunStrided: sumStrided[float32]},
			Reduction{RunStrided: func(n int, x []float32, _ int) float32 { return kernels.SumSerial(x[:n]) }},
			"",
		},
		{
			"RunStridedErr",
			Reduction{RunStridedErr: func(n int, x []float32, incx int) (float32, error) { return sumStrided(n, x, incx), nil }},
			Reduction{RunStridedErr: func(n int, x []float32, incx int) (float32, error) { return sumStrided(n, x, incx), fail5(x) }},
			"the kernel returned an error: no room for 5 leaves",
		},
		{
			"Run64Strided",
			Reduction{Run64Strided: sumStrided[float64]},
			Reduction{Run64Strided: func(n int, x []float64, _ int) float64 { return sumStrided(n, x, 1) }},
			"",
		},
		{
			"Run64StridedErr",
			Reduction{Run64StridedErr: func(n int, x []float64, incx int) (float64, error) { return sumStrided(n, x, incx), nil }},
			Reduction{Run64StridedErr: func(n int, x []float64, incx int) (float64, error) { return sumStrided(n, x, incx), fail5(x) }},
			"the kernel returned an error: no room for 5 leaves",
		},
		{
			"Run64Strided",
			Dot{Run64Strided: dotStrided[float64]},
			Dot{Run64Strided: func(n int, x []float64, incx int, y []float64, _ int) float64 { return dotStrided(n, x, incx, y, 1) }},
			"",
		},
		{
			"Run64StridedErr",
			Dot{Run64StridedErr: func(n int, x []float64, incx int, y []float64, incy int) (float64, error) {
				return dotStrided(n, x, incx, y, incy), nil
			}},
			Dot{Run64StridedErr: func(n int, x []float64, incx int, y []float64, incy int) (float64, error) {
				return dotStrided(n, x, incx, y, incy), fail5(x)
			}},
			"the kernel returned an error: no room for 5 leaves",
		},
		{
			"RunStrided",
			Dot{RunStrided: dotStrided[float32]},
			Dot{RunStrided: func(n int, x []float32, incx int, y []float32, _ int) float32 { return dotStrided(n, x, incx, y, 1) }},
			"",
		},
		{
			"RunStridedErr",
			Dot{RunStridedErr: func(n int, x []float32, incx int, y []float32, incy int) (float32, error) {
				return dotStrided(n, x, incx, y, incy), nil
			}},
			Dot{RunStridedErr: func(n int, x []float32, incx int, y []float32, incy int) (float32, error) {
				return dotStrided(n, x, incx, y, incy), fail5(x)
			}},
			"the kernel returned an error: no room for 5 leaves",
		},
	}
}

// named gives a subject a name.
func named(s Subject, name string) Subject {
	switch s := s.(type) {
	case Reduction:
		s.Name = name
		return s
	case Dot:
		s.Name = name
		return s
	}
	return s
}

// TestShapes judges, through Judge alone, a right and a wrong kernel in every shape that kernels come
// in: the right one holds every law that applies, and each of those is judged; the wrong one fails.
func TestShapes(t *testing.T) {
	const most = 120 // cases a law
	for _, list := range [][]shape{sumShapes(), dotShapes(), stridedShapes()} {
		for _, s := range list {
			op := "sum "
			if _, ok := s.right.(Dot); ok {
				op = "dot "
			}
			t.Run(op+s.name, func(t *testing.T) {
				right, wrong := named(s.right, "right"), named(s.wrong, "wrong")
				caught := false
				for _, l := range judge.Laws() {
					sub, err := vectorSubject(right)
					require.NoError(t, err)
					if sub.Applies(&l) != "" {
						continue
					}
					set := engine.Settings{Seed: engine.FixedSeed, MaxN: 300}
					d := vectors.NewDrawer(vectors.NewRun(sub, set), &l)
					rng := draw.Splitmix(set.SeedFor("shapes", s.name))
					judged := 0
					for range most {
						c := drawnWith(d, &rng)
						v, err := judge.Judge(l, right, c)
						require.NoError(t, err)
						require.False(t, v.Fails(), "%v on %s", v, c.Gen)
						if v.Outcome == Holds {
							judged++
						}
						if v, err = judge.Judge(l, wrong, c); v.Fails() {
							require.Contains(t, v.Reason, s.reason)
							caught = true
						}
						require.NoError(t, err)
					}
					if sub.Claim.Out.HasInf || l.ID != model.SumSpecial {
						require.NotZero(t, judged, "%s was vacuous on every case", l.ID)
					}
				}
				require.True(t, caught, "no law found the fault")
			})
		}
	}
}

// TestSubjectErrors holds what is said of subjects that cannot be judged: which, where, and what to do.
func TestSubjectErrors(t *testing.T) {
	run := func(x []float32) float32 { return 0 }
	run64 := func(x []float64) float64 { return 0 }
	bits := func(x []uint16) uint64 { return 0 }
	dot := func(x, y []float32) float32 { return 0 }
	dotBits := func(x, y []uint16) uint64 { return 0 }
	judged := func(*Trial) Verdict { return Verdict{} }
	half := model.Claim{In: model.Binary16}
	for _, c := range []struct {
		s    Subject
		want string
	}{
		{Reduction{Run: run}, `props: a Reduction has no Name; give it one such as "mykernel.Sum", reports and case files need it`},
		{Dot{Run: dot}, `props: a Dot has no Name; give it one such as "mykernel.Dot", reports and case files need it`},
		{Reduction{Name: "k.Sum"}, `props: Reduction k.Sum sets no Run function; set one of Run, Run64, RunBits, RunTree, RunRows, RunStrided, Run64Strided, one of these with the suffix Err, or for a device RunOn, RunBitsOn, RunTreeOn, RunRowsOn, RunStridedOn or RunBitsStridedOn`},
		{
			Reduction{Name: "k.Sum", Run: serial32, Device: DeviceClaim{Checked: true}},
			"props: Reduction k.Sum sets Device beside Run, which runs on none; set RunOn or another that ends in On, or leave Device out",
		},
		{
			Reduction{Name: "k.Sum", RunOn: zeroOn, Device: DeviceClaim{Admits: model.Behaviour{Order: "random"}}},
			`props: Reduction k.Sum: Device.Admits.Order is "random"; it can be reverse, stages, accesses or empty`,
		},
		{
			Reduction{Name: "k.Sum", RunOn: zeroOn, Device: DeviceClaim{Admits: model.Behaviour{Seed: 1}}},
			"props: Reduction k.Sum: Device.Admits.Seed is set; leave it out, seeds are drawn",
		},
		{
			Reduction{Name: "k.Sum", RunOn: zeroOn, Device: DeviceClaim{Cost: -1}},
			"props: Reduction k.Sum: Device.MaxN and Cost are 0 and -1; neither is negative",
		},
		{
			Reduction{Name: "k.Sum", RunOn: zeroOn, Device: DeviceClaim{Widths: []int{32, 0}}},
			"props: Reduction k.Sum: Device.Widths is [32 0]; a simdgroup has 1 to 1024 threads",
		},
		{
			Reduction{Name: "k.Sum", RunOn: zeroOn, Claim: model.Claim{Tree: "left"}, Device: DeviceClaim{Schedule: func(int, model.Launch) *sumtree.Tree { return nil }}},
			"props: Reduction k.Sum: Device.Schedule is set beside Claim.Tree, Schedule or RunTreeOn; set one",
		},
		{Dot{Name: "k.Dot"}, `props: Dot k.Dot sets no Run function; set one of Run, Run64, RunBits, RunTree, RunRows, RunStrided, Run64Strided, RunSquares, one of these with the suffix Err, or for a device RunOn, RunBitsOn, RunTreeOn, RunStridedOn or RunBitsStridedOn`},
		{Reduction{Name: "k.Sum", Run: run, Run64: run64}, `props: Reduction k.Sum sets both Run and Run64; set exactly one`},
		{Reduction{Name: "k.Sum", Run: run, RunErr: func([]float32) (float32, error) { return 0, nil }}, `props: Reduction k.Sum sets both Run and RunErr; set exactly one`},
		{Dot{Name: "k.Dot", Run: dot, RunSquares: run}, `props: Dot k.Dot sets both Run and RunSquares; set exactly one`},
		{Reduction{Name: "k.Sum", RunBits: bits}, `props: Reduction k.Sum sets RunBits, so Claim.In must name a format of at most 16 bits, such as model.Binary16; it names none`},
		{Reduction{Name: "k.Sum", RunBits: bits, Claim: model.Claim{In: model.Binary32}}, `props: Reduction k.Sum sets RunBits, so Claim.In must name a format of at most 16 bits, such as model.Binary16; it names binary32`},
		{Dot{Name: "k.Dot", RunBits: dotBits}, `props: Dot k.Dot sets RunBits, so Claim.In must name a format of at most 16 bits, such as model.Binary16; it names none`},
		{Reduction{Name: "k.Sum", Run: run, Claim: half}, `props: Reduction k.Sum sets Run, which takes binary32, but Claim.In is binary16; leave it out, or set RunBits`},
		{Reduction{Name: "k.Sum", Run64: run64, Claim: model.Claim{In: model.Binary32}}, `props: Reduction k.Sum sets Run64, which takes binary64, but Claim.In is binary32; leave it out, or set Run`},
		{Reduction{Name: "k.Sum", Run: run, Claim: model.Claim{Out: model.Binary64}}, `props: Reduction k.Sum sets Run, whose result is in binary32, but Claim.Out is binary64; leave it out`},
		{Dot{Name: "k.Dot", Run: dot, Claim: model.Claim{Out: model.Binary16}}, `props: Dot k.Dot sets Run, whose result is in binary32, but Claim.Out is binary16; leave it out`},
		{Reduction{Name: "k.Sum", Run: run, Claim: model.Claim{Tree: "leftish"}}, `props: Reduction k.Sum: Claim.Tree: `},
		{Reduction{Name: "k.Sum", Run: run, Claim: model.Claim{Tree: "lanes/0"}}, `props: Reduction k.Sum: Claim.Tree: `},
		{Reduction{Name: "k.Sum", Run: run, Laws: []Law{{ID: "mine.fine", Judge: judged}, {ID: "mine.first"}}}, `props: Reduction k.Sum: law 1 of its own, "mine.first", has no Judge function`},
		{Reduction{Name: "k.Sum", Run: run, Laws: []Law{{Judge: judged}}}, `props: Reduction k.Sum: law 0 of its own has no ID; give it one such as "sum.mine"`},
		{Dot{Name: "k.Dot", Run: dot, Laws: []Law{{ID: "dot.mine", Judge: judged}}}, `props: Dot k.Dot: law "dot.mine" of its own is one of a sum: its Op is OpSum, and no case would be drawn for it; set Op to OpDot`},
		{Reduction{Name: "k.Sum", Run: run, Laws: []Law{{ID: "sum.enclosure", Judge: judged}}}, `props: Reduction k.Sum: law "sum.enclosure" of its own has the ID of a built-in law; give it another`},
		{Reduction{Name: "k.Sum", Run: run, Laws: []Law{{ID: "sum.mine", Judge: judged, Families: []string{"windows"}}}}, `props: Reduction k.Sum: law "sum.mine" of its own draws from family "windows", which there is not; there are ` + strings.Join(slices.Sorted(maps.Keys(families.FamilyByName)), ", ")},
	} {
		_, err := vectorSubject(c.s)
		require.Error(t, err, c.want)
		if c.want[len(c.want)-1] == ' ' { // what package sumtree says follows
			require.Contains(t, err.Error(), c.want+"sumtree: ")
		} else {
			require.EqualError(t, err, c.want)
		}
		_, err = judge.Judge(Law{}, c.s, nil)
		require.Error(t, err, "Judge took it")
	}
}
