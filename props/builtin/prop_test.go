package builtin_test

import (
	"os"
	"testing"

	"gamma/kernels/conv"
	"gamma/props"
	"gamma/props/internal/own"
)

// TestMain prints a table of what was judged, at the end.
func TestMain(m *testing.M) { os.Exit(props.Main(m)) }

// vectors returns the sums and means of package kernels, or the dot products.
func vectors(dots bool) (list []props.Subject) {
	for _, k := range own.Vectors() {
		if k.IsDot() == dots {
			list = append(list, own.Vector(k))
		}
	}
	return list
}

// TestPropSum judges every sum and mean of package kernels, law by law.
func TestPropSum(t *testing.T) { props.CheckAll(t, vectors(false)...) }

// FuzzPropSum judges them on cases that Go's fuzzer makes.
func FuzzPropSum(f *testing.F) { props.FuzzAll(f, vectors(false)...) }

// TestPropDot judges every dot product of package kernels, law by law.
func TestPropDot(t *testing.T) { props.CheckAll(t, vectors(true)...) }

// FuzzPropDot judges them on cases that Go's fuzzer makes.
func FuzzPropDot(f *testing.F) { props.FuzzAll(f, vectors(true)...) }

// TestPropOperation judges every kernel on words, in binary32 and in binary64.
func TestPropOperation(t *testing.T) { props.CheckAll(t, own.Operations()...) }

// TestPropModular judges every kernel on residues, law by law.
func TestPropModular(t *testing.T) { props.CheckAll(t, own.Modulars()...) }

// FuzzPropModular judges them on moduli and rows that Go's fuzzer makes.
func FuzzPropModular(f *testing.F) { props.FuzzAll(f, own.Modulars()...) }

// TestPropNTT judges every number-theoretic transform of package kernels/ntt.
func TestPropNTT(t *testing.T) { props.CheckAll(t, own.NTTs()...) }

// FuzzPropNTT judges them on cases that Go's fuzzer makes.
func FuzzPropNTT(f *testing.F) { props.FuzzAll(f, own.NTTs()...) }

// TestPropFFT judges every transform of package kernels/fft.
func TestPropFFT(t *testing.T) { props.CheckAll(t, own.FFTs()...) }

// FuzzPropFFT judges them on inputs that Go's fuzzer makes.
func FuzzPropFFT(f *testing.F) { props.FuzzAll(f, own.FFTs()...) }

// TestPropFormula judges every kernel that computes a formula.
func TestPropFormula(t *testing.T) { props.CheckAll(t, own.Formulas()...) }

// FuzzPropConvolution judges the convolutions on inputs that Go's fuzzer makes.
func FuzzPropConvolution(f *testing.F) {
	var list []props.Subject
	for _, k := range conv.All() {
		list = append(list, own.Formula(k))
	}
	props.FuzzAll(f, list...)
}

// TestTransformsNameWhatTheyRefuse: errors of our own transforms say which number is not claimed, which ntt.refuses holds them to.
func TestTransformsNameWhatTheyRefuse(t *testing.T) {
	for _, n := range own.NTTs() {
		if !n.Claim.Names {
			t.Errorf("%s does not claim to name what it refuses", n.Name)
		}
	}
}
