//go:build linux

package main

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"

	"gamma/model"
	"gamma/model/fourier"
	"gamma/props"
)

// cLibrary is a C library that is loaded where it is installed.
type cLibrary struct {
	file, of string
	load     func() (uintptr, error)
}

func loads(file, of string) *cLibrary {
	return &cLibrary{file, of, sync.OnceValues(func() (uintptr, error) { return purego.Dlopen(file, purego.RTLD_NOW|purego.RTLD_LOCAL) })}
}

var (
	fftwSingle = loads("libfftw3f.so.3", "libfftw3-single3")
	fftwDouble = loads("libfftw3.so.3", "libfftw3-double3")
	kissFloat  = loads("libkissfft-float.so.131", "libkissfft-float131")
)

// call returns the function of that name. Where the library is absent it skips.
func (l *cLibrary) call(tb testing.TB, name string) func(args ...uintptr) uintptr {
	tb.Helper()
	library, err := l.load()
	if err != nil {
		tb.Skipf("no %s here: apt-get install %s (Debian 12): %v", l.file, l.of, err)
	}
	f := must(purego.Dlsym(library, name))
	return func(args ...uintptr) uintptr { r, _, _ := purego.SyscallN(f, args...); return r }
}

func at[T any](s []T) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(s))) }

// Flags of fftw3.h. Plans for arrays anywhere, which are not written to while planning, and of which the input stays.
const fftwFlags = 1<<6 | 1<<1 | 1<<4 // FFTW_ESTIMATE | FFTW_UNALIGNED | FFTW_PRESERVE_INPUT

// fftwPlanner is held while a plan is made: FFTW's manual says that fftw_execute alone may run in threads side by side.
var fftwPlanner sync.Mutex

// fftwClaim is what is claimed of FFTW's transforms. Its manual: "FFTW computes an unnormalized transform"; it is "best at handling sizes of the form 2^a 3^b 5^c 7^d 11^e 13^f",
// others go by algorithms (Rader's) for which no bound is derived here. It documents no error. A length below 1 gives no plan.
// It does not say that equal inputs give equal bits, nor do they: in place it plans another algorithm than from one array to another (343 points in binary32, 42 in binary64).
// Its twiddle factors are rounded to nearest; a plan may make some of them from others by a product of two (its t2 codelets), which is at most 2·0.71u and a product's √5u away.
func fftwClaim(f model.Format) fourier.Claim {
	return fourier.Claim{
		In: fourier.Number{Format: f}, Lengths: fourier.Smooth, Radix: 13, MaxN: 1 << 14, Twiddle: 3.7,
		Norm: fourier.NormNone, InPlace: true,
	}
}

// fftwPlan makes a plan of a complex transform by the function of that name for arrays of T, in place and not.
func fftwPlan[T any](plan, execute func(...uintptr) uintptr) func(t fourier.Transform) (func(dst, src []T) error, error) {
	return func(t fourier.Transform) (func(dst, src []T) error, error) {
		if t.N < 1 {
			return nil, fmt.Errorf("fftw makes no plan of %d points", t.N)
		}
		sign := ^uintptr(0)
		if t.Sign == fourier.Inverse {
			sign = 1
		}
		x, y := make([]T, t.N), make([]T, t.N)
		fftwPlanner.Lock()
		defer fftwPlanner.Unlock()
		apart, inPlace := plan(uintptr(t.N), at(x), at(y), sign, fftwFlags), plan(uintptr(t.N), at(x), at(x), sign, fftwFlags)
		if apart == 0 || inPlace == 0 {
			return nil, fmt.Errorf("fftw makes no plan of %d points", t.N)
		}
		return func(dst, src []T) error {
			p := apart
			if at(dst) == at(src) {
				p = inPlace
			}
			execute(p, at(src), at(dst))
			runtime.KeepAlive(src)
			runtime.KeepAlive(dst)
			return nil
		}, nil
	}
}

// TestPropFFTW judges FFTW's complex transforms of both precisions, and its real ones in binary64.
func TestPropFFTW(t *testing.T) {
	single := props.FFT{Name: "fftw.fftwf_plan_dft_1d", Claim: fftwClaim(model.Binary32)}
	single.Plan = fftwPlan[complex64](fftwSingle.call(t, "fftwf_plan_dft_1d"), fftwSingle.call(t, "fftwf_execute_dft"))
	t.Run(single.Name, single.Check)

	double := props.FFT{Name: "fftw.fftw_plan_dft_1d", Claim: fftwClaim(model.Binary64)}
	double.Plan64 = fftwPlan[complex128](fftwDouble.call(t, "fftw_plan_dft_1d"), fftwDouble.call(t, "fftw_execute_dft"))
	t.Run(double.Name, double.Check)

	r2c, c2r := fftwDouble.call(t, "fftw_plan_dft_r2c_1d"), fftwDouble.call(t, "fftw_plan_dft_c2r_1d")
	executeR2C, executeC2R, destroy := fftwDouble.call(t, "fftw_execute_dft_r2c"), fftwDouble.call(t, "fftw_execute_dft_c2r"), fftwDouble.call(t, "fftw_destroy_plan")
	real := props.FFT{Name: "fftw.fftw_plan_dft_r2c_1d", Claim: fftwClaim(model.Binary64)}
	real.Claim.Real, real.Claim.Repeats, real.Claim.InPlace = true, true, false // in place it needs room for two numbers more
	real.Call = func(c *props.FFTCall) error {
		plan, execute, src, dst := r2c, executeR2C, uintptr(0), uintptr(0)
		if c.Sign == fourier.Forward {
			src, dst = at(c.Float64("src")), at(c.Complex128("dst"))
		} else {
			plan, execute, src, dst = c2r, executeC2R, at(c.Complex128("src")), at(c.Float64("dst"))
		}
		fftwPlanner.Lock()
		p := plan(uintptr(c.N), src, dst, fftwFlags)
		fftwPlanner.Unlock()
		if p == 0 {
			return fmt.Errorf("fftw makes no plan of %d points", c.N)
		}
		execute(p, src, dst)
		fftwPlanner.Lock()
		destroy(p)
		fftwPlanner.Unlock()
		return nil
	}
	t.Run(real.Name, real.Check)
}

// TestPropKissFFT judges kissfft's complex transforms in binary32. Its README promises no error and no scale ("neither forward nor inverse scales"); lengths go by factors 4, 2, 3, 5 and
// then any prime by the definition. Its twiddle factors are cos and sin, in binary64, rounded to binary32.
func TestPropKissFFT(t *testing.T) {
	alloc, run := kissFloat.call(t, "kiss_fft_alloc"), kissFloat.call(t, "kiss_fft")
	f := props.FFT{Name: "kissfft.kiss_fft", Claim: fourier.Claim{Lengths: fourier.AnyLength, MaxN: 1 << 12, Norm: fourier.NormNone, Repeats: true, InPlace: true, Unchecked: true}}
	f.Plan = func(tr fourier.Transform) (func(dst, src []complex64) error, error) {
		inverse := uintptr(0)
		if tr.Sign == fourier.Inverse {
			inverse = 1
		}
		plan := alloc(uintptr(tr.N), inverse, 0, 0)
		if plan == 0 {
			return nil, fmt.Errorf("kiss_fft_alloc makes no plan of %d points", tr.N)
		}
		return func(dst, src []complex64) error {
			run(plan, at(src), at(dst))
			runtime.KeepAlive(src)
			runtime.KeepAlive(dst)
			return nil
		}, nil
	}
	t.Run(f.Name, f.Check)
}
