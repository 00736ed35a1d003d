package offload

import (
	_ "embed"
	"math"
	"slices"
	"strings"

	"gamma/metal"
	"gamma/metal/internal/protocol"
	"gamma/model"
)

//go:embed probe.metal
var probeSource string

// Found is what the self-test found of the arithmetic of printed kernels.
type Found struct {
	Rounding model.Rounding
	Flush    model.Flush // of float
	Flush16  model.Flush // of half
	Contract model.Contraction
	// FMA, Division and Root say whether fma, division and sqrt rounded once and correctly wherever they were tried.
	FMA, Division, Root bool
	// Half says why half was not probed; "" if it was.
	Half string
}

// String lists what is not as it should be, "" if all is.
func (f Found) String() string {
	s := ""
	for _, x := range []struct {
		ok   bool
		text string
	}{
		{f.FMA, "fma rounds twice"},
		{f.Division, "division is not correctly rounded"},
		{f.Root, "sqrt is not correctly rounded"},
		{f.Half == "", "half was not probed: " + f.Half},
	} {
		if !x.ok {
			s += "; " + x.text
		}
	}
	return s
}

// Operands of probe.metal, as bits; pairs of operands of divisions and roots follow.
var probeOperands = []uint32{
	0x3f800000, 0x33800000, // 1 and 2^-24: a tie
	0x3f800001,             // 1+2^-23, which with 2^-24 ties upwards
	0x00080000, 0x4e800000, // 2^-130, a subnormal operand, and 2^30
	0x0d800000, 0x30800000, // 2^-100 and 2^-30, whose product is subnormal
	0x3f7ffffe, 0x00800001, // 1-2^-23 and (1+2^-23)·2^-126, whose product rounds up to 2^-126
	0x3f800800, 0x3f801000, // 1+2^-12, and 1+2^-11, which its square rounds to
	0x21800000, // 2^-60
	0, 0, 0, 0,
}

const (
	probeFirst = 16 // operand pairs begin
	probePairs = 64
)

// Probe runs the self-test on a device.
func Probe(d metal.Device) (f Found, err error) {
	in := append([]uint32(nil), probeOperands...)
	state := uint32(12345)
	for range 2 * probePairs {
		state = state*1664525 + 1013904223
		in = append(in, state>>9|uint32(100+state%56)<<23)
	}
	out, err := probeRun(d, "probe", in, 16+2*probePairs)
	if err != nil {
		return f, err
	}
	f.Rounding = model.NearestEven
	if out[1] == 0x3f800001 {
		f.Rounding = model.TowardZero
	}
	f.Flush = flush(out[2], out[3], out[4])
	switch {
	case out[6] != 0:
		f.Contract = model.ContractFast
	case out[5] != 0:
		f.Contract = model.ContractStatement
	}
	f.FMA = out[7] == 0x3f801001
	f.Division, f.Root = true, true
	for i := range probePairs {
		a, b := math.Float32frombits(in[probeFirst+2*i]), math.Float32frombits(in[probeFirst+2*i+1])
		// Rounding to 53 bits first changes no quotient or root of 24-bit numbers.
		f.Division = f.Division && out[16+2*i] == math.Float32bits(float32(float64(a)/float64(b)))
		f.Root = f.Root && out[17+2*i] == math.Float32bits(float32(math.Sqrt(float64(a))))
	}
	// Half in another kernel: the printer may refuse it.
	half, err := probeRun(d, "probe_half", []uint32{0x0010, 0x6400, 0x0400, 0x3400}, 2)
	if err != nil {
		f.Half, _, _ = strings.Cut(err.Error(), "\n")
		return f, nil
	}
	f.Flush16 = flush(half[0], half[1], half[1])
	return f, nil
}

// flush says which flushing gives such products, of a subnormal, to a subnormal, and to what rounds up to the least normal number.
func flush(in, out, before uint32) model.Flush {
	return model.Flush{In: in == 0, Out: out == 0, Before: out == 0 && before == 0}
}

// probeRun runs a kernel of probe.metal in one thread, and returns the n words that it writes.
func probeRun(d metal.Device, name string, in []uint32, n int) ([]uint32, error) {
	one, out := metal.Size{X: 1, Y: 1, Z: 1}, make([]uint32, n)
	o := protocol.Once{
		Source: probeSource, Name: name, Options: metal.CompileOptions{FileName: "probe.metal"}, Buffers: [][]uint32{slices.Clone(in), out}, Grid: one, Threads: one,
	}
	_, err := o.Run(d)
	return out, err
}
