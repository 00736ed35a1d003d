package cuda

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"gamma/metal/internal/protocol"
)

// CopyBandwidth measures cuMemcpyDtoD of n bytes: bytes read and written in a second, the median of 11 copies. It is the ceiling that kernels
// are compared with. An isolated device cannot measure it.
func (d *Device) CopyBandwidth(n int) (float64, error) {
	release, err := protocol.Hold(d.base)
	if err != nil {
		return 0, err
	}
	defer release()
	e := d.local
	if e == nil {
		return 0, errorf("CopyBandwidth: an isolated device has no memory of its own; open one without Isolate")
	}
	if n < 1 {
		return 0, errorf("CopyBandwidth: %d bytes cannot be copied; use 1 or more", n)
	}
	var src, dst store
	src.length, dst.length = n, n
	for _, s := range []*store{&src, &dst} {
		if err := e.allocate(s, nil); err != nil {
			return 0, err
		}
		defer e.free(s)
	}
	var times []time.Duration
	for range 11 {
		took, err := e.timeCopy(&dst, &src)
		if err != nil {
			return 0, err
		}
		times = append(times, took)
	}
	slices.Sort(times)
	return 2 * float64(n) / times[len(times)/2].Seconds(), nil
}

// timeCopy copies src to dst between two events.
func (e *local) timeCopy(dst, src *store) (took time.Duration, err error) {
	e.do(func() {
		e.drain()
		if err = e.usable(); err != nil {
			return
		}
		d := e.l.driver
		from, err1 := e.event()
		to, err2 := e.event()
		if err1 != nil || err2 != nil {
			err = fmt.Errorf("cuda: CopyBandwidth: %w", errors.Join(err1, err2))
			return
		}
		e.events = append(e.events, from, to)
		var ms float32
		for _, step := range []struct {
			call string
			do   func() result
		}{
			{"cuEventRecord", func() result { return d.EventRecord(from, e.stream) }},
			{"cuMemcpyDtoDAsync", func() result { return d.MemcpyDtoDAsync(dst.at, src.at, src.length, e.stream) }},
			{"cuEventRecord", func() result { return d.EventRecord(to, e.stream) }},
			{"cuStreamSynchronize", func() result { return d.StreamSynchronize(e.stream) }},
			{"cuEventElapsedTime", func() (r result) { ms, r = d.EventElapsedTime(from, to); return r }},
		} {
			if err = e.wrong(step.call, step.do()); err != nil {
				return
			}
		}
		took = time.Duration(float64(ms) * 1e6)
	})
	return took, err
}
