package opencl

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gamma/metal"
	"gamma/metal/internal/offload"
	"gamma/metal/internal/protocol"
	"gamma/model"
)

//go:embed barrier.metal
var barrierSource string

// probe runs the self-test, and refuses what the device gets wrong.
func (d *Device) probe() (err error) {
	if d.found, err = offload.Probe(d); err != nil {
		return err
	}
	if err := judge(d.found, d.o.Behaviour); err != nil {
		return err
	}
	return d.probeBarriers()
}

// judge says what of the arithmetic is not as kernels were printed for.
func judge(f offload.Found, b model.Behaviour) error {
	for _, x := range []struct {
		wrong bool
		text  string
	}{
		{f.Rounding != model.NearestEven, fmt.Sprintf("sums of float are rounded by %s, not to nearest even", f.Rounding)},
		{f.Flush.In != b.Flush.In || f.Flush.Out != b.Flush.Out, fmt.Sprintf("subnormal floats are flushed by %s, and kernels were printed for %s", f.Flush, b.Flush)},
		{f.Contract != b.Contract, fmt.Sprintf("products and sums of float are contracted by %s, and kernels were printed for %s", f.Contract, b.Contract)},
		{!f.FMA, "fma of float rounds twice"},
		{!f.Division, "division of float, by way of binary64, is not correctly rounded"},
		{!f.Root, "sqrt of float, by way of binary64, is not correctly rounded"},
	} {
		if x.wrong {
			return errors.New(x.text + "; choose another device by Options.Platform and Options.Device")
		}
	}
	return nil
}

// probeBarriers runs probe_barriers on whole threadgroups and on one at the edge of the grid.
func (d *Device) probeBarriers() error {
	const group, n = 8, 19
	in, want, sums := make([]uint32, n), make([]uint32, n), make([]uint32, 3)
	for i := range in {
		in[i] = uint32(i*i + 1)
		want[i] = in[i]
		if i%group > 0 {
			want[i] += want[i-1]
		}
		if i/group < n/group {
			sums[i/group] += in[i]
		}
	}
	got, totals, err := d.scan(barrierKernel, in, group)
	if err != nil {
		return err
	}
	for i := range want {
		if got[i] != want[i] {
			return barriersWrong("thread", i, got[i], want[i])
		}
	}
	for i := range n / group { // the last threadgroup has 3 threads, which halving does not add
		if totals[i] != sums[i] {
			return barriersWrong("threadgroup", i, totals[i], sums[i])
		}
	}
	return nil
}

func barriersWrong(what string, i int, got, want uint32) error {
	return fmt.Errorf("the driver gets barriers in loops wrong: %s %d of probe_barriers has the sum %d, not %d; choose another device by Options.Platform and Options.Device",
		what, i, got, want)
}

// barrierKernel is the kernel of barrierSource.
const barrierKernel = "probe_barriers"

// scan runs probe_barriers, by another name if one is given.
func (d *Device) scan(name string, in []uint32, group int) (out, sums []uint32, err error) {
	out, sums = slices.Clone(in), slices.Clone(in)
	o := protocol.Once{
		Source: strings.ReplaceAll(barrierSource, barrierKernel, name), Name: name, Options: metal.CompileOptions{FileName: "barrier.metal"},
		Buffers: [][]uint32{slices.Clone(in), out, sums}, Threadgroup: (4*group + 15) &^ 15,
		Grid: metal.Size{X: len(in), Y: 1, Z: 1}, Threads: metal.Size{X: group, Y: 1, Z: 1},
	}
	_, err = o.Run(d)
	return out, sums, err
}
