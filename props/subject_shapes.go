package props

import (
	"math"

	"gamma/corpus"
	"gamma/model"
	"gamma/sumtree"
)

func bits32(v float32) uint64 { return uint64(math.Float32bits(v)) }

// unwritten returns s with n NaNs, so that a result that the kernel does not write, or adds to, shows.
func unwritten(s []float32, n int) []float32 {
	s = grow(s, n)
	for i := range s {
		s[i] = float32(math.NaN())
	}
	return s
}

func (r Reduction) subject() (*subject, error) {
	var set []variant
	add := func(ok bool, v variant) {
		if ok {
			set = append(set, v)
		}
	}
	f32, f64 := model.Binary32, model.Binary64
	add(r.Run != nil, variant{field: "Run", in: f32, run: func(_ Setting, _ *sumtree.Tree, x, _ corpus.Values, _ int, dst []uint64) error {
		dst[0] = bits32(r.Run(x.F32))
		return nil
	}})
	add(r.RunErr != nil, variant{field: "RunErr", in: f32, run: func(_ Setting, _ *sumtree.Tree, x, _ corpus.Values, _ int, dst []uint64) error {
		v, err := r.RunErr(x.F32)
		dst[0] = bits32(v)
		return err
	}})
	add(r.Run64 != nil, variant{field: "Run64", in: f64, run: func(_ Setting, _ *sumtree.Tree, x, _ corpus.Values, _ int, dst []uint64) error {
		dst[0] = math.Float64bits(r.Run64(x.F64))
		return nil
	}})
	add(r.Run64Err != nil, variant{field: "Run64Err", in: f64, run: func(_ Setting, _ *sumtree.Tree, x, _ corpus.Values, _ int, dst []uint64) error {
		v, err := r.Run64Err(x.F64)
		dst[0] = math.Float64bits(v)
		return err
	}})
	add(r.RunBits != nil, variant{field: "RunBits", run: func(_ Setting, _ *sumtree.Tree, x, _ corpus.Values, _ int, dst []uint64) error {
		dst[0] = r.RunBits(x.Bits)
		return nil
	}})
	add(r.RunBitsErr != nil, variant{field: "RunBitsErr", run: func(_ Setting, _ *sumtree.Tree, x, _ corpus.Values, _ int, dst []uint64) (err error) {
		dst[0], err = r.RunBitsErr(x.Bits)
		return err
	}})
	add(r.RunTree != nil, variant{field: "RunTree", in: f32, follows: true, run: func(_ Setting, t *sumtree.Tree, x, _ corpus.Values, _ int, dst []uint64) error {
		dst[0] = bits32(r.RunTree(t, x.F32))
		return nil
	}})
	add(r.RunTreeErr != nil, variant{field: "RunTreeErr", in: f32, follows: true, run: func(_ Setting, t *sumtree.Tree, x, _ corpus.Values, _ int, dst []uint64) error {
		v, err := r.RunTreeErr(t, x.F32)
		dst[0] = bits32(v)
		return err
	}})
	rows := func(call func(at Setting, dst, x []float32, n int) error) runner {
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
	add(r.RunRows != nil, variant{field: "RunRows", in: f32, rows: true, run: rows(func(_ Setting, dst, x []float32, n int) error {
		r.RunRows(dst, x, n)
		return nil
	})})
	add(r.RunRowsErr != nil, variant{field: "RunRowsErr", in: f32, rows: true, run: rows(func(_ Setting, dst, x []float32, n int) error {
		return r.RunRowsErr(dst, x, n)
	})})
	add(r.RunRowsOn != nil, variant{field: "RunRowsOn", in: f32, device: true, rows: true, run: rows(r.RunRowsOn)})
	add(r.RunOn != nil, variant{field: "RunOn", in: f32, device: true, run: func(at Setting, _ *sumtree.Tree, x, _ corpus.Values, _ int, dst []uint64) error {
		v, err := r.RunOn(at, x.F32)
		dst[0] = bits32(v)
		return err
	}})
	add(r.RunBitsOn != nil, variant{field: "RunBitsOn", device: true, run: func(at Setting, _ *sumtree.Tree, x, _ corpus.Values, _ int, dst []uint64) (err error) {
		dst[0], err = r.RunBitsOn(at, x.Bits)
		return err
	}})
	add(r.RunTreeOn != nil, variant{field: "RunTreeOn", in: f32, device: true, follows: true, run: func(at Setting, t *sumtree.Tree, x, _ corpus.Values, _ int, dst []uint64) error {
		v, err := r.RunTreeOn(at, t, x.F32)
		dst[0] = bits32(v)
		return err
	}})
	s, err := newSubject("Reduction", r.Name, OpSum, r.Claim, r.Schedule != nil, r.Laws, &r.Device, set)
	if err != nil {
		return nil, err
	}
	s.magnitudes, s.schedule = r.Magnitudes, r.Schedule
	return s, nil
}

func (d Dot) subject() (*subject, error) {
	var set []variant
	add := func(ok bool, v variant) {
		if ok {
			set = append(set, v)
		}
	}
	f32, f64 := model.Binary32, model.Binary64
	add(d.Run != nil, variant{field: "Run", in: f32, run: func(_ Setting, _ *sumtree.Tree, x, y corpus.Values, _ int, dst []uint64) error {
		dst[0] = bits32(d.Run(x.F32, y.F32))
		return nil
	}})
	add(d.RunErr != nil, variant{field: "RunErr", in: f32, run: func(_ Setting, _ *sumtree.Tree, x, y corpus.Values, _ int, dst []uint64) error {
		v, err := d.RunErr(x.F32, y.F32)
		dst[0] = bits32(v)
		return err
	}})
	add(d.Run64 != nil, variant{field: "Run64", in: f64, run: func(_ Setting, _ *sumtree.Tree, x, y corpus.Values, _ int, dst []uint64) error {
		dst[0] = math.Float64bits(d.Run64(x.F64, y.F64))
		return nil
	}})
	add(d.Run64Err != nil, variant{field: "Run64Err", in: f64, run: func(_ Setting, _ *sumtree.Tree, x, y corpus.Values, _ int, dst []uint64) error {
		v, err := d.Run64Err(x.F64, y.F64)
		dst[0] = math.Float64bits(v)
		return err
	}})
	add(d.RunBits != nil, variant{field: "RunBits", run: func(_ Setting, _ *sumtree.Tree, x, y corpus.Values, _ int, dst []uint64) error {
		dst[0] = d.RunBits(x.Bits, y.Bits)
		return nil
	}})
	add(d.RunBitsErr != nil, variant{field: "RunBitsErr", run: func(_ Setting, _ *sumtree.Tree, x, y corpus.Values, _ int, dst []uint64) (err error) {
		dst[0], err = d.RunBitsErr(x.Bits, y.Bits)
		return err
	}})
	add(d.RunTree != nil, variant{field: "RunTree", in: f32, follows: true, run: func(_ Setting, t *sumtree.Tree, x, y corpus.Values, _ int, dst []uint64) error {
		dst[0] = bits32(d.RunTree(t, x.F32, y.F32))
		return nil
	}})
	add(d.RunTreeErr != nil, variant{field: "RunTreeErr", in: f32, follows: true, run: func(_ Setting, t *sumtree.Tree, x, y corpus.Values, _ int, dst []uint64) error {
		v, err := d.RunTreeErr(t, x.F32, y.F32)
		dst[0] = bits32(v)
		return err
	}})
	rows := func(call func(dst, a, x []float32, n int) error) runner {
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
	add(d.RunRows != nil, variant{field: "RunRows", in: f32, rows: true, shared: true, run: rows(func(dst, a, x []float32, n int) error {
		d.RunRows(dst, a, x, n)
		return nil
	})})
	add(d.RunRowsErr != nil, variant{field: "RunRowsErr", in: f32, rows: true, shared: true, run: rows(d.RunRowsErr)})
	add(d.RunSquares != nil, variant{field: "RunSquares", in: f32, squares: true, run: func(_ Setting, _ *sumtree.Tree, x, _ corpus.Values, _ int, dst []uint64) error {
		dst[0] = bits32(d.RunSquares(x.F32))
		return nil
	}})
	add(d.RunSquaresErr != nil, variant{field: "RunSquaresErr", in: f32, squares: true, run: func(_ Setting, _ *sumtree.Tree, x, _ corpus.Values, _ int, dst []uint64) error {
		v, err := d.RunSquaresErr(x.F32)
		dst[0] = bits32(v)
		return err
	}})
	add(d.RunOn != nil, variant{field: "RunOn", in: f32, device: true, run: func(at Setting, _ *sumtree.Tree, x, y corpus.Values, _ int, dst []uint64) error {
		v, err := d.RunOn(at, x.F32, y.F32)
		dst[0] = bits32(v)
		return err
	}})
	add(d.RunBitsOn != nil, variant{field: "RunBitsOn", device: true, run: func(at Setting, _ *sumtree.Tree, x, y corpus.Values, _ int, dst []uint64) (err error) {
		dst[0], err = d.RunBitsOn(at, x.Bits, y.Bits)
		return err
	}})
	add(d.RunTreeOn != nil, variant{field: "RunTreeOn", in: f32, device: true, follows: true, run: func(at Setting, t *sumtree.Tree, x, y corpus.Values, _ int, dst []uint64) error {
		v, err := d.RunTreeOn(at, t, x.F32, y.F32)
		dst[0] = bits32(v)
		return err
	}})
	s, err := newSubject("Dot", d.Name, OpDot, d.Claim, d.Schedule != nil, d.Laws, &d.Device, set)
	if err != nil {
		return nil, err
	}
	s.schedule = d.Schedule
	return s, nil
}
