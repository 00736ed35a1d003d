//go:build linux

package main

import (
	"sync"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
)

// fftwLibrary is FFTW in single precision, from Debian's package libfftw3-single3.
var fftwLibrary = sync.OnceValues(func() (uintptr, error) {
	return purego.Dlopen("libfftw3f.so.3", purego.RTLD_NOW|purego.RTLD_LOCAL)
})

// fftw returns a forward transform of x to y by FFTW, planned with FFTW_MEASURE. It skips where the library is absent.
func fftw(tb testing.TB, n int, x, y []complex64) func() {
	tb.Helper()
	library, err := fftwLibrary()
	if err != nil {
		tb.Skipf("no FFTW here; apt-get install libfftw3-single3: %v", err)
	}
	symbol := func(name string) uintptr { return must(purego.Dlsym(library, name)) }
	const forward, measure = ^uintptr(0), 0
	// Planning writes to both.
	kept := append([]complex64(nil), x...)
	plan, _, _ := purego.SyscallN(symbol("fftwf_plan_dft_1d"), uintptr(n), uintptr(unsafe.Pointer(&x[0])), uintptr(unsafe.Pointer(&y[0])), forward, measure)
	if plan == 0 {
		tb.Fatal("fftwf_plan_dft_1d made no plan")
	}
	tb.Cleanup(func() { purego.SyscallN(symbol("fftwf_destroy_plan"), plan) })
	copy(x, kept)
	execute := symbol("fftwf_execute_dft")
	return func() {
		purego.SyscallN(execute, plan, uintptr(unsafe.Pointer(&x[0])), uintptr(unsafe.Pointer(&y[0])))
	}
}
