package judge

import (
	"math"

	"gamma/corpus"
	"gamma/model"
	"gamma/props/internal/engine"
	"gamma/props/internal/vectors"
	"gamma/sumtree"
)

// bits32 returns the encoding of a result, and result32 and result64 do with an error beside it.
func bits32(v float32) uint64 { return uint64(math.Float32bits(v)) }

func result32(v float32, err error) (uint64, error) { return bits32(v), err }

func result64(v float64, err error) (uint64, error) { return math.Float64bits(v), err }

// given is what a kernel is run with.
type given struct {
	at   Setting
	tree *sumtree.Tree
	x, y corpus.Values
	n    int // leaves of a row
}

// shapes are the functions of a subject that are set.
type shapes []vectors.Variant

// add adds a function that returns one result, if it is set.
func (s *shapes) add(set bool, v vectors.Variant, run func(g *given) (uint64, error)) {
	if set {
		var g given // one, so that no call allocates
		v.Run = func(at Setting, t *sumtree.Tree, x, y corpus.Values, n int, dst []uint64) (err error) {
			g = given{at, t, x, y, n}
			dst[0], err = run(&g)
			return err
		}
		*s = append(*s, v)
	}
}

// rows adds a function that writes a result for each row, if it is set. What it does not write, or adds to, is NaN.
func (s *shapes) rows(set bool, v vectors.Variant, run func(g *given, dst []float32) error) {
	if set {
		var g given
		out := results[float32]{bits: bits32}
		v.In, v.Rows = model.Binary32, true
		v.Run = func(at Setting, t *sumtree.Tree, x, y corpus.Values, n int, dst []uint64) error {
			g = given{at, t, x, y, n}
			return out.run(dst, x, float32(math.NaN()), func(dst []float32) error { return run(&g, dst) })
		}
		*s = append(*s, v)
	}
}

func (r Reduction) Kernel() (*vectors.Kernel, error) {
	var s shapes
	type shape = vectors.Variant
	f32, f64 := model.Binary32, model.Binary64
	s.add(r.Run != nil, shape{Field: "Run", In: f32}, func(g *given) (uint64, error) { return bits32(r.Run(g.x.F32)), nil })
	s.add(r.RunErr != nil, shape{Field: "RunErr", In: f32}, func(g *given) (uint64, error) { return result32(r.RunErr(g.x.F32)) })
	s.add(r.Run64 != nil, shape{Field: "Run64", In: f64}, func(g *given) (uint64, error) { return math.Float64bits(r.Run64(g.x.F64)), nil })
	s.add(r.Run64Err != nil, shape{Field: "Run64Err", In: f64}, func(g *given) (uint64, error) { return result64(r.Run64Err(g.x.F64)) })
	s.add(r.RunBits != nil, shape{Field: "RunBits"}, func(g *given) (uint64, error) { return r.RunBits(g.x.Bits), nil })
	s.add(r.RunBitsErr != nil, shape{Field: "RunBitsErr"}, func(g *given) (uint64, error) { return r.RunBitsErr(g.x.Bits) })
	s.add(r.RunTree != nil, shape{Field: "RunTree", In: f32, Follows: true}, func(g *given) (uint64, error) { return bits32(r.RunTree(g.tree, g.x.F32)), nil })
	s.add(r.RunTreeErr != nil, shape{Field: "RunTreeErr", In: f32, Follows: true}, func(g *given) (uint64, error) { return result32(r.RunTreeErr(g.tree, g.x.F32)) })
	s.add(r.RunStrided != nil, shape{Field: "RunStrided", In: f32, Strided: true}, func(g *given) (uint64, error) {
		return bits32(r.RunStrided(g.n, g.x.F32, vectors.Stride(g.x, g.n))), nil
	})
	s.add(r.RunStridedErr != nil, shape{Field: "RunStridedErr", In: f32, Strided: true}, func(g *given) (uint64, error) {
		return result32(r.RunStridedErr(g.n, g.x.F32, vectors.Stride(g.x, g.n)))
	})
	s.add(r.Run64Strided != nil, shape{Field: "Run64Strided", In: f64, Strided: true}, func(g *given) (uint64, error) {
		return math.Float64bits(r.Run64Strided(g.n, g.x.F64, vectors.Stride(g.x, g.n))), nil
	})
	s.add(r.Run64StridedErr != nil, shape{Field: "Run64StridedErr", In: f64, Strided: true}, func(g *given) (uint64, error) {
		return result64(r.Run64StridedErr(g.n, g.x.F64, vectors.Stride(g.x, g.n)))
	})
	s.rows(r.RunRows != nil, shape{Field: "RunRows"}, func(g *given, dst []float32) error { r.RunRows(dst, g.x.F32, g.n); return nil })
	s.rows(r.RunRowsErr != nil, shape{Field: "RunRowsErr"}, func(g *given, dst []float32) error { return r.RunRowsErr(dst, g.x.F32, g.n) })
	s.rows(r.RunRowsOn != nil, shape{Field: "RunRowsOn", Device: true}, func(g *given, dst []float32) error { return r.RunRowsOn(g.at, dst, g.x.F32, g.n) })
	s.add(r.RunOn != nil, shape{Field: "RunOn", In: f32, Device: true}, func(g *given) (uint64, error) { return result32(r.RunOn(g.at, g.x.F32)) })
	s.add(r.RunBitsOn != nil, shape{Field: "RunBitsOn", Device: true}, func(g *given) (uint64, error) { return r.RunBitsOn(g.at, g.x.Bits) })
	s.add(r.RunTreeOn != nil, shape{Field: "RunTreeOn", In: f32, Device: true, Follows: true}, func(g *given) (uint64, error) {
		return result32(r.RunTreeOn(g.at, g.tree, g.x.F32))
	})
	s.add(r.RunStridedOn != nil, shape{Field: "RunStridedOn", In: f32, Device: true, Strided: true}, func(g *given) (uint64, error) {
		return result32(r.RunStridedOn(g.at, g.n, g.x.F32, vectors.Stride(g.x, g.n)))
	})
	s.add(r.RunBitsStridedOn != nil, shape{Field: "RunBitsStridedOn", Device: true, Strided: true}, func(g *given) (uint64, error) {
		return r.RunBitsStridedOn(g.at, g.n, g.x.Bits, vectors.Stride(g.x, g.n))
	})
	k, err := vectors.NewSubject("Reduction", r.Name, engine.OpSum, r.Claim, r.Schedule != nil, r.Laws, &r.Device, s)
	if err != nil {
		return nil, err
	}
	k.Magnitudes, k.Schedule = r.Magnitudes, r.Schedule
	return k, nil
}

func (d Dot) Kernel() (*vectors.Kernel, error) {
	var s shapes
	type shape = vectors.Variant
	f32, f64 := model.Binary32, model.Binary64
	s.add(d.Run != nil, shape{Field: "Run", In: f32}, func(g *given) (uint64, error) { return bits32(d.Run(g.x.F32, g.y.F32)), nil })
	s.add(d.RunErr != nil, shape{Field: "RunErr", In: f32}, func(g *given) (uint64, error) { return result32(d.RunErr(g.x.F32, g.y.F32)) })
	s.add(d.Run64 != nil, shape{Field: "Run64", In: f64}, func(g *given) (uint64, error) { return math.Float64bits(d.Run64(g.x.F64, g.y.F64)), nil })
	s.add(d.Run64Err != nil, shape{Field: "Run64Err", In: f64}, func(g *given) (uint64, error) { return result64(d.Run64Err(g.x.F64, g.y.F64)) })
	s.add(d.RunBits != nil, shape{Field: "RunBits"}, func(g *given) (uint64, error) { return d.RunBits(g.x.Bits, g.y.Bits), nil })
	s.add(d.RunBitsErr != nil, shape{Field: "RunBitsErr"}, func(g *given) (uint64, error) { return d.RunBitsErr(g.x.Bits, g.y.Bits) })
	s.add(d.RunTree != nil, shape{Field: "RunTree", In: f32, Follows: true}, func(g *given) (uint64, error) {
		return bits32(d.RunTree(g.tree, g.x.F32, g.y.F32)), nil
	})
	s.add(d.RunTreeErr != nil, shape{Field: "RunTreeErr", In: f32, Follows: true}, func(g *given) (uint64, error) {
		return result32(d.RunTreeErr(g.tree, g.x.F32, g.y.F32))
	})
	s.add(d.RunStrided != nil, shape{Field: "RunStrided", In: f32, Strided: true}, func(g *given) (uint64, error) {
		return bits32(d.RunStrided(g.n, g.x.F32, vectors.Stride(g.x, g.n), g.y.F32, vectors.Stride(g.y, g.n))), nil
	})
	s.add(d.RunStridedErr != nil, shape{Field: "RunStridedErr", In: f32, Strided: true}, func(g *given) (uint64, error) {
		return result32(d.RunStridedErr(g.n, g.x.F32, vectors.Stride(g.x, g.n), g.y.F32, vectors.Stride(g.y, g.n)))
	})
	s.add(d.Run64Strided != nil, shape{Field: "Run64Strided", In: f64, Strided: true}, func(g *given) (uint64, error) {
		return math.Float64bits(d.Run64Strided(g.n, g.x.F64, vectors.Stride(g.x, g.n), g.y.F64, vectors.Stride(g.y, g.n))), nil
	})
	s.add(d.Run64StridedErr != nil, shape{Field: "Run64StridedErr", In: f64, Strided: true}, func(g *given) (uint64, error) {
		return result64(d.Run64StridedErr(g.n, g.x.F64, vectors.Stride(g.x, g.n), g.y.F64, vectors.Stride(g.y, g.n)))
	})
	s.rows(d.RunRows != nil, shape{Field: "RunRows", Shared: true}, func(g *given, dst []float32) error {
		d.RunRows(dst, g.x.F32, g.y.F32[:g.n], g.n)
		return nil
	})
	s.rows(d.RunRowsErr != nil, shape{Field: "RunRowsErr", Shared: true}, func(g *given, dst []float32) error {
		return d.RunRowsErr(dst, g.x.F32, g.y.F32[:g.n], g.n)
	})
	s.add(d.RunSquares != nil, shape{Field: "RunSquares", In: f32, Squares: true}, func(g *given) (uint64, error) { return bits32(d.RunSquares(g.x.F32)), nil })
	s.add(d.RunSquaresErr != nil, shape{Field: "RunSquaresErr", In: f32, Squares: true}, func(g *given) (uint64, error) { return result32(d.RunSquaresErr(g.x.F32)) })
	s.add(d.RunOn != nil, shape{Field: "RunOn", In: f32, Device: true}, func(g *given) (uint64, error) { return result32(d.RunOn(g.at, g.x.F32, g.y.F32)) })
	s.add(d.RunBitsOn != nil, shape{Field: "RunBitsOn", Device: true}, func(g *given) (uint64, error) { return d.RunBitsOn(g.at, g.x.Bits, g.y.Bits) })
	s.add(d.RunTreeOn != nil, shape{Field: "RunTreeOn", In: f32, Device: true, Follows: true}, func(g *given) (uint64, error) {
		return result32(d.RunTreeOn(g.at, g.tree, g.x.F32, g.y.F32))
	})
	s.add(d.RunStridedOn != nil, shape{Field: "RunStridedOn", In: f32, Device: true, Strided: true}, func(g *given) (uint64, error) {
		return result32(d.RunStridedOn(g.at, g.n, g.x.F32, vectors.Stride(g.x, g.n), g.y.F32, vectors.Stride(g.y, g.n)))
	})
	s.add(d.RunBitsStridedOn != nil, shape{Field: "RunBitsStridedOn", Device: true, Strided: true}, func(g *given) (uint64, error) {
		return d.RunBitsStridedOn(g.at, g.n, g.x.Bits, vectors.Stride(g.x, g.n), g.y.Bits, vectors.Stride(g.y, g.n))
	})
	k, err := vectors.NewSubject("Dot", d.Name, engine.OpDot, d.Claim, d.Schedule != nil, d.Laws, &d.Device, s)
	if err != nil {
		return nil, err
	}
	k.Schedule = d.Schedule
	return k, nil
}
