package cuda

import (
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/internal/offload"
)

// pipeChild is a child in a goroutine, on fakes of its own.
func pipeChild(fakes *[]*fake, prepare func(f *fake)) func() (*offload.Child, error) {
	return func() (*offload.Child, error) {
		toChild, in := io.Pipe()
		out, fromChild := io.Pipe()
		f := newFake()
		prepare(f)
		*fakes = append(*fakes, f)
		go func() {
			if _, err := io.WriteString(fromChild, "noise of the program\n"); err != nil {
				return
			}
			err := offload.Serve(toChild, fromChild, func(options []byte) (offload.Driver, []byte, error) {
				return offload.Served(options, func(o Options) (offload.Driver, about, error) {
					return openDriver(f.libraries(), o, &images{known: map[string][]byte{}})
				})
			})
			fromChild.CloseWithError(errors.Join(err, io.EOF))
		}()
		return &offload.Child{In: in, Out: out, Kill: func() string {
			in.Close()
			out.Close()
			return "killed"
		}}, nil
	}
}

// increment adds one to the first byte of the first buffer, of kernel fill.
func increment(f *fake, entry string, _, _ [3]uint32, _ uint32, w []uint64) {
	if entry == "fill" {
		f.at(address(w[0]))[0]++
	}
}

func isolatedRig(t *testing.T, o Options, fakes *[]*fake, prepare func(f *fake)) *rig {
	t.Helper()
	o, err := o.filled()
	require.NoError(t, err)
	b, i, err := openIsolated(o, pipeChild(fakes, prepare))
	require.NoError(t, err)
	d, err := newDevice(o, b, i, fakePrint)
	require.NoError(t, err)
	r := &rig{d: d}
	l, err := d.NewLibrary(testSource, metal.CompileOptions{})
	require.NoError(t, err)
	fn, err := l.NewFunction("fill", nil)
	require.NoError(t, err)
	r.p, err = d.NewComputePipelineState(fn)
	require.NoError(t, err)
	r.b, err = d.NewBufferWithBytes(make([]byte, 64))
	require.NoError(t, err)
	r.q, err = d.NewCommandQueue()
	require.NoError(t, err)
	return r
}

func (r *rig) first(t *testing.T) byte {
	t.Helper()
	got := make([]byte, 64)
	require.NoError(t, r.b.Read(0, got))
	return got[8]
}

// TestIsolatedFault reports a fault with call and code, and goes on with another child; buffers keep what they held.
func TestIsolatedFault(t *testing.T) {
	var fakes []*fake
	r := isolatedRig(t, Options{Isolate: true}, &fakes, func(f *fake) { f.kernel = increment })
	run := func() error {
		c := r.encode(t, 4, 4)
		require.NoError(t, c.Commit())
		return c.WaitUntilCompleted()
	}
	require.NoError(t, run())
	require.NoError(t, run())
	require.Equal(t, byte(2), r.first(t))
	fakes[0].mu.Lock()
	fakes[0].late = illegalAddress
	fakes[0].mu.Unlock()
	err := run()
	var e *Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, 700, e.Code)
	require.Contains(t, e.Call, "fill")
	require.Equal(t, byte(2), r.first(t))
	require.NoError(t, run())
	require.Equal(t, byte(3), r.first(t))
	require.Len(t, fakes, 2)
	r.d.Release()
}

// TestIsolatedEnd reports a child that does not end its work.
func TestIsolatedEnd(t *testing.T) {
	var fakes []*fake
	r := isolatedRig(t, Options{Isolate: true, Timeout: soon}, &fakes, func(f *fake) { f.kernel = increment })
	fakes[0].mu.Lock()
	fakes[0].late = notReady
	fakes[0].mu.Unlock()
	c := r.encode(t, 4, 4)
	require.NoError(t, c.Commit())
	require.ErrorContains(t, c.WaitUntilCompleted(), "did not end within")
	c = r.encode(t, 4, 4)
	require.NoError(t, c.Commit())
	require.NoError(t, c.WaitUntilCompleted())
	r.d.Release()
}

// TestIsolatedOpen passes on why the child cannot open the device.
func TestIsolatedOpen(t *testing.T) {
	var fakes []*fake
	o, err := Options{Isolate: true}.filled()
	require.NoError(t, err)
	_, _, err = openIsolated(o, pipeChild(&fakes, func(f *fake) { f.fail["Init"] = noDevice }))
	var e *Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, 100, e.Code)
}

// TestRealChild starts this test binary again; without a GPU the child says what Open says.
func TestRealChild(t *testing.T) {
	d, here := Open(Options{})
	if here == nil {
		d.Release()
		t.Skip("there is a GPU here: TestCUDAIsolated starts children")
	}
	_, there := Open(Options{Isolate: true})
	require.Error(t, there)
	require.Equal(t, here.Error(), there.Error())
}
