package props

import (
	"math"

	"gamma/corpus"
	"gamma/model"
	"gamma/props/internal/draw"
	"gamma/props/internal/vectors"
	"gamma/sumtree"
)

func bits32(v float32) uint64 { return uint64(math.Float32bits(v)) }

// unwritten returns s with n NaNs, so that a result that the kernel does not write, or adds to, shows.
func unwritten(s []float32, n int) []float32 {
	s = draw.Grow(s, n)
	for i := range s {
		s[i] = float32(math.NaN())
	}
	return s
}

func (r Reduction) Kernel() (*vectors.Kernel, error) {
	var set []vectors.Variant
	add := func(ok bool, v vectors.Variant) {
		if ok {
			set = append(set, v)
		}
	}
	f32, f64 := model.Binary32, model.Binary64
	add(r.Run != nil, vectors.Variant{Field: "Run", In: f32, Run: func(_ Setting, _ *sumtree.Tree, x, _ corpus.Values, _ int, dst []uint64) error {
		dst[0] = bits32(r.Run(x.F32))
		return nil
	}})
	add(r.RunErr != nil, vectors.Variant{Field: "RunErr", In: f32, Run: func(_ Setting, _ *sumtree.Tree, x, _ corpus.Values, _ int, dst []uint64) error {
		v, err := r.RunErr(x.F32)
		dst[0] = bits32(v)
		return err
	}})
	add(r.Run64 != nil, vectors.Variant{Field: "Run64", In: f64, Run: func(_ Setting, _ *sumtree.Tree, x, _ corpus.Values, _ int, dst []uint64) error {
		dst[0] = math.Float64bits(r.Run64(x.F64))
		return nil
	}})
	add(r.Run64Err != nil, vectors.Variant{Field: "Run64Err", In: f64, Run: func(_ Setting, _ *sumtree.Tree, x, _ corpus.Values, _ int, dst []uint64) error {
		v, err := r.Run64Err(x.F64)
		dst[0] = math.Float64bits(v)
		return err
	}})
	add(r.RunBits != nil, vectors.Variant{Field: "RunBits", Run: func(_ Setting, _ *sumtree.Tree, x, _ corpus.Values, _ int, dst []uint64) error {
		dst[0] = r.RunBits(x.Bits)
		return nil
	}})
	add(r.RunBitsErr != nil, vectors.Variant{Field: "RunBitsErr", Run: func(_ Setting, _ *sumtree.Tree, x, _ corpus.Values, _ int, dst []uint64) (err error) {
		dst[0], err = r.RunBitsErr(x.Bits)
		return err
	}})
	add(r.RunTree != nil, vectors.Variant{Field: "RunTree", In: f32, Follows: true, Run: func(_ Setting, t *sumtree.Tree, x, _ corpus.Values, _ int, dst []uint64) error {
		dst[0] = bits32(r.RunTree(t, x.F32))
		return nil
	}})
	add(r.RunTreeErr != nil, vectors.Variant{Field: "RunTreeErr", In: f32, Follows: true, Run: func(_ Setting, t *sumtree.Tree, x, _ corpus.Values, _ int, dst []uint64) error {
		v, err := r.RunTreeErr(t, x.F32)
		dst[0] = bits32(v)
		return err
	}})
	rows := func(call func(at Setting, dst, x []float32, n int) error) vectors.Runner {
		var out []float32
		return func(at Setting, _ *sumtree.Tree, x, _ corpus.Values, n int, dst []uint64) error {
			out = unwritten(out, len(dst))
			err := call(at, out, x.F32, n)
			for i, v := range out {
				dst[i] = bits32(v)
			}
			return err
		}
	}
	add(r.RunRows != nil, vectors.Variant{Field: "RunRows", In: f32, Rows: true, Run: rows(func(_ Setting, dst, x []float32, n int) error {
		r.RunRows(dst, x, n)
		return nil
	})})
	add(r.RunRowsErr != nil, vectors.Variant{Field: "RunRowsErr", In: f32, Rows: true, Run: rows(func(_ Setting, dst, x []float32, n int) error {
		return r.RunRowsErr(dst, x, n)
	})})
	add(r.RunRowsOn != nil, vectors.Variant{Field: "RunRowsOn", In: f32, Device: true, Rows: true, Run: rows(r.RunRowsOn)})
	add(r.RunOn != nil, vectors.Variant{Field: "RunOn", In: f32, Device: true, Run: func(at Setting, _ *sumtree.Tree, x, _ corpus.Values, _ int, dst []uint64) error {
		v, err := r.RunOn(at, x.F32)
		dst[0] = bits32(v)
		return err
	}})
	add(r.RunBitsOn != nil, vectors.Variant{Field: "RunBitsOn", Device: true, Run: func(at Setting, _ *sumtree.Tree, x, _ corpus.Values, _ int, dst []uint64) (err error) {
		dst[0], err = r.RunBitsOn(at, x.Bits)
		return err
	}})
	add(r.RunTreeOn != nil, vectors.Variant{Field: "RunTreeOn", In: f32, Device: true, Follows: true, Run: func(at Setting, t *sumtree.Tree, x, _ corpus.Values, _ int, dst []uint64) error {
		v, err := r.RunTreeOn(at, t, x.F32)
		dst[0] = bits32(v)
		return err
	}})
	s, err := vectors.NewSubject("Reduction", r.Name, OpSum, r.Claim, r.Schedule != nil, r.Laws, &r.Device, set)
	if err != nil {
		return nil, err
	}
	s.Magnitudes, s.Schedule = r.Magnitudes, r.Schedule
	return s, nil
}

func (d Dot) Kernel() (*vectors.Kernel, error) {
	var set []vectors.Variant
	add := func(ok bool, v vectors.Variant) {
		if ok {
			set = append(set, v)
		}
	}
	f32, f64 := model.Binary32, model.Binary64
	add(d.Run != nil, vectors.Variant{Field: "Run", In: f32, Run: func(_ Setting, _ *sumtree.Tree, x, y corpus.Values, _ int, dst []uint64) error {
		dst[0] = bits32(d.Run(x.F32, y.F32))
		return nil
	}})
	add(d.RunErr != nil, vectors.Variant{Field: "RunErr", In: f32, Run: func(_ Setting, _ *sumtree.Tree, x, y corpus.Values, _ int, dst []uint64) error {
		v, err := d.RunErr(x.F32, y.F32)
		dst[0] = bits32(v)
		return err
	}})
	add(d.Run64 != nil, vectors.Variant{Field: "Run64", In: f64, Run: func(_ Setting, _ *sumtree.Tree, x, y corpus.Values, _ int, dst []uint64) error {
		dst[0] = math.Float64bits(d.Run64(x.F64, y.F64))
		return nil
	}})
	add(d.Run64Err != nil, vectors.Variant{Field: "Run64Err", In: f64, Run: func(_ Setting, _ *sumtree.Tree, x, y corpus.Values, _ int, dst []uint64) error {
		v, err := d.Run64Err(x.F64, y.F64)
		dst[0] = math.Float64bits(v)
		return err
	}})
	add(d.RunBits != nil, vectors.Variant{Field: "RunBits", Run: func(_ Setting, _ *sumtree.Tree, x, y corpus.Values, _ int, dst []uint64) error {
		dst[0] = d.RunBits(x.Bits, y.Bits)
		return nil
	}})
	add(d.RunBitsErr != nil, vectors.Variant{Field: "RunBitsErr", Run: func(_ Setting, _ *sumtree.Tree, x, y corpus.Values, _ int, dst []uint64) (err error) {
		dst[0], err = d.RunBitsErr(x.Bits, y.Bits)
		return err
	}})
	add(d.RunTree != nil, vectors.Variant{Field: "RunTree", In: f32, Follows: true, Run: func(_ Setting, t *sumtree.Tree, x, y corpus.Values, _ int, dst []uint64) error {
		dst[0] = bits32(d.RunTree(t, x.F32, y.F32))
		return nil
	}})
	add(d.RunTreeErr != nil, vectors.Variant{Field: "RunTreeErr", In: f32, Follows: true, Run: func(_ Setting, t *sumtree.Tree, x, y corpus.Values, _ int, dst []uint64) error {
		v, err := d.RunTreeErr(t, x.F32, y.F32)
		dst[0] = bits32(v)
		return err
	}})
	rows := func(call func(dst, a, x []float32, n int) error) vectors.Runner {
		var out []float32
		return func(_ Setting, _ *sumtree.Tree, a, x corpus.Values, n int, dst []uint64) error {
			out = unwritten(out, len(dst))
			err := call(out, a.F32, x.F32[:n], n)
			for i, v := range out {
				dst[i] = bits32(v)
			}
			return err
		}
	}
	add(d.RunRows != nil, vectors.Variant{Field: "RunRows", In: f32, Rows: true, Shared: true, Run: rows(func(dst, a, x []float32, n int) error {
		d.RunRows(dst, a, x, n)
		return nil
	})})
	add(d.RunRowsErr != nil, vectors.Variant{Field: "RunRowsErr", In: f32, Rows: true, Shared: true, Run: rows(d.RunRowsErr)})
	add(d.RunSquares != nil, vectors.Variant{Field: "RunSquares", In: f32, Squares: true, Run: func(_ Setting, _ *sumtree.Tree, x, _ corpus.Values, _ int, dst []uint64) error {
		dst[0] = bits32(d.RunSquares(x.F32))
		return nil
	}})
	add(d.RunSquaresErr != nil, vectors.Variant{Field: "RunSquaresErr", In: f32, Squares: true, Run: func(_ Setting, _ *sumtree.Tree, x, _ corpus.Values, _ int, dst []uint64) error {
		v, err := d.RunSquaresErr(x.F32)
		dst[0] = bits32(v)
		return err
	}})
	add(d.RunOn != nil, vectors.Variant{Field: "RunOn", In: f32, Device: true, Run: func(at Setting, _ *sumtree.Tree, x, y corpus.Values, _ int, dst []uint64) error {
		v, err := d.RunOn(at, x.F32, y.F32)
		dst[0] = bits32(v)
		return err
	}})
	add(d.RunBitsOn != nil, vectors.Variant{Field: "RunBitsOn", Device: true, Run: func(at Setting, _ *sumtree.Tree, x, y corpus.Values, _ int, dst []uint64) (err error) {
		dst[0], err = d.RunBitsOn(at, x.Bits, y.Bits)
		return err
	}})
	add(d.RunTreeOn != nil, vectors.Variant{Field: "RunTreeOn", In: f32, Device: true, Follows: true, Run: func(at Setting, t *sumtree.Tree, x, y corpus.Values, _ int, dst []uint64) error {
		v, err := d.RunTreeOn(at, t, x.F32, y.F32)
		dst[0] = bits32(v)
		return err
	}})
	s, err := vectors.NewSubject("Dot", d.Name, OpDot, d.Claim, d.Schedule != nil, d.Laws, &d.Device, set)
	if err != nil {
		return nil, err
	}
	s.Schedule = d.Schedule
	return s, nil
}
