package main

import (
	"reflect"
	"strings"

	"gamma/model"
	"gamma/model/formula"
	"gamma/model/fourier"
	"gamma/model/modular"
	"gamma/model/word"
	"gamma/props/foreign"
	"gamma/props/judge"
)

// maker makes a subject of a kernel of an opened library.
type maker = func(name string, of *opened, kernel string) judge.Subject

// wide reports whether a declaration in C reads arrays of double, or a claim says that the kernel does.
func wide(of *opened, kernel string, in model.Format) bool {
	if of.lib == nil {
		return in == model.Binary64
	}
	f, err := foreign.Parse(kernel)
	if err != nil {
		of.c.Fatalf("%v", err)
	}
	for _, p := range f.Params {
		if p.Array {
			return p.Type.Kind() == reflect.Float64
		}
	}
	return false
}

// sum judges a sum by a claim, with the increments that its declaration has.
func sum(c model.Claim) maker { return reduction(c, false) }

// sumOfMagnitudes is sum of |x|.
func sumOfMagnitudes(c model.Claim) maker { return reduction(c, true) }

func reduction(c model.Claim, magnitudes bool) maker {
	return func(name string, of *opened, kernel string) judge.Subject {
		r := judge.Reduction{Name: name, Claim: c, Magnitudes: magnitudes}
		strided, w := strings.Contains(kernel, "inc"), wide(of, kernel, c.In)
		switch {
		case of.run != nil && c.In.Bits() == 16:
			r.RunBitsErr = of.run.SumBits(kernel)
		case of.run != nil && w:
			r.Run64Err = of.run.Sum64(kernel)
		case of.run != nil:
			r.RunErr = of.run.Sum(kernel)
		case strided && w:
			r.Run64StridedErr = of.lib.SumStrided64(kernel)
		case strided:
			r.RunStridedErr = of.lib.SumStrided(kernel)
		case w:
			r.Run64Err = of.lib.Sum64(kernel)
		default:
			r.RunErr = of.lib.Sum(kernel)
		}
		return r
	}
}

// dot judges a dot product by a claim.
func dot(c model.Claim) maker {
	return func(name string, of *opened, kernel string) judge.Subject {
		d := judge.Dot{Name: name, Claim: c}
		switch w := wide(of, kernel, c.In); {
		case of.run != nil && c.In.Bits() == 16:
			d.RunBitsErr = of.run.DotBits(kernel)
		case of.run != nil && w:
			d.Run64Err = of.run.Dot64(kernel)
		case of.run != nil:
			d.RunErr = of.run.Dot(kernel)
		case w:
			d.Run64StridedErr = of.lib.DotStrided64(kernel)
		default:
			d.RunStridedErr = of.lib.DotStrided(kernel)
		}
		return d
	}
}

// computes judges a function by a formula; shape sets what else the subject has.
func computes(f *formula.Expr, c formula.Claim, shape ...func(k *judge.Kernel)) maker {
	return func(name string, of *opened, kernel string) judge.Subject {
		k := judge.Kernel{Name: name, Formula: f, Claim: c}
		for _, set := range shape {
			set(&k)
		}
		if of.run != nil {
			k.Call = of.run.Kernel(kernel)
		} else {
			k.Call = of.lib.Kernel(kernel)
		}
		call := k.Call
		k.Call = func(c *judge.KernelCall) error {
			of.results += reflect.ValueOf(c.Array("dst")).Len()
			return call(c)
		}
		return k
	}
}

// least sets the least size of an axis.
func least(axis string, n int) func(k *judge.Kernel) {
	return func(k *judge.Kernel) { k.Min = map[string]int{axis: n} }
}

// apart says along which axes of which arrays neighbours may lie apart: "a m".
func apart(list ...string) func(k *judge.Kernel) {
	return func(k *judge.Kernel) {
		k.Strided = map[string]string{}
		for _, one := range list {
			array, axis, _ := strings.Cut(one, " ")
			k.Strided[array] = axis
		}
	}
}

// rows judges an operation on words by a claim; quad is the law of numbers of four words, of which the built-in laws say nothing.
func rows(c word.Claim, quad judge.WordLaw) maker {
	return func(name string, of *opened, kernel string) judge.Subject {
		o := judge.Operation{Name: name, Claim: c}
		if c.Op.Z == 4 {
			o.Laws = []judge.WordLaw{quad}
		}
		if wide(of, kernel, model.Format{}) {
			o.Run64Err = of.lib.Operation64(kernel, c.Op.In())
		} else {
			o.RunErr = of.lib.Operation(kernel, c.Op.In())
		}
		return o
	}
}

// modulo judges an operation on residues by a claim.
func modulo(c modular.Claim) maker {
	return func(name string, of *opened, kernel string) judge.Subject {
		return judge.Modular{Name: name, Claim: c, Run: of.lib.Modular(kernel, c)}
	}
}

// spectrum judges a Fourier transform by a claim.
func spectrum(c fourier.Claim) maker {
	return func(name string, of *opened, kernel string) judge.Subject {
		f := judge.FFT{Name: name, Claim: c}
		switch w := wide(of, kernel, c.In.Format); {
		case of.run != nil && w:
			f.Plan64 = of.run.FFT64(kernel)
		case of.run != nil:
			f.Plan = of.run.FFT(kernel)
		case w:
			f.Plan64 = of.lib.FFT64(kernel)
		default:
			f.Plan = of.lib.FFT(kernel)
		}
		return f
	}
}

// goes is a subject in Go, which needs no library.
func goes(s judge.Subject) maker { return func(string, *opened, string) judge.Subject { return s } }

// gives says of which type the results are.
func gives(t formula.Type) func(k *judge.Kernel) { return func(k *judge.Kernel) { k.Out = t } }
