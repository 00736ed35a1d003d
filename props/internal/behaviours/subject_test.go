package behaviours_test

import (
	"fmt"
	"math"
	"math/big"

	"gamma/model"
	"gamma/model/formula"
	"gamma/model/fourier"
	"gamma/model/modular"
	"gamma/model/word"
	"gamma/oracle"
	"gamma/props"
)

// reduction returns a sum as a user writes it, with the kernel's fault.
func (k *kernel) reduction() props.Reduction {
	var kept []float32
	run := func(x []float32) (float32, error) {
		trigger := len(x) > 2
		for _, v := range x {
			k.see(uint64(math.Float32bits(v)))
		}
		if err := k.enter(trigger, len(x)); err != nil {
			return 0, err
		}
		var s float32
		for _, v := range x {
			s += v
		}
		switch {
		case k.fault == writes && trigger:
			flip(&x[0])
		case k.fault == keeps && len(kept) > 0:
			flip(&kept[0])
		case k.fault == nanOnly:
			s = float32(math.NaN())
		case k.spoils(trigger):
			s = 2*s + 1
		}
		kept = x
		return s, nil
	}
	r := props.Reduction{Name: "behaviours.Sum", Laws: k.laws(props.OpSum)}
	switch k.fault {
	case fails:
		r.RunErr = run
	case short:
		r.RunRows = func(dst, x []float32, n int) {
			for i := range max(0, len(dst)-1) {
				dst[i], _ = run(x[i*n : (i+1)*n])
			}
		}
	case onDevice:
		r.RunOn = func(at props.Setting, x []float32) (float32, error) {
			k.ran(at)
			return run(x)
		}
		r.Device = admitted
	default:
		r.Run = func(x []float32) float32 {
			s, _ := run(x)
			return s
		}
	}
	return r
}

// flip changes the last bit of a number.
func flip(x *float32) { *x = math.Float32frombits(math.Float32bits(*x) ^ 1) }

// dot returns a dot product.
func (k *kernel) dot() props.Dot {
	var kept []float32
	run := func(x, y []float32) (float32, error) {
		trigger := len(x) > 2
		for i, v := range x {
			k.see(uint64(math.Float32bits(v)), uint64(math.Float32bits(y[i])))
		}
		if err := k.enter(trigger, len(x)); err != nil {
			return 0, err
		}
		var s float32
		for i, v := range x {
			s += float32(v * y[i])
		}
		switch {
		case k.fault == writes && trigger:
			flip(&y[0])
		case k.fault == keeps && len(kept) > 0:
			flip(&kept[0])
		case k.fault == nanOnly:
			s = float32(math.NaN())
		case k.spoils(trigger):
			s = 2*s + 1
		}
		kept = y
		return s, nil
	}
	d := props.Dot{Name: "behaviours.Dot", Laws: k.laws(props.OpDot)}
	switch k.fault {
	case fails:
		d.RunErr = run
	case short:
		d.RunRows = func(dst, a, x []float32, n int) {
			for i := range max(0, len(dst)-1) {
				dst[i], _ = run(a[i*n:(i+1)*n], x)
			}
		}
	case onDevice:
		d.RunOn = func(at props.Setting, x, y []float32) (float32, error) {
			k.ran(at)
			return run(x, y)
		}
		d.Device = admitted
	default:
		d.Run = func(x, y []float32) float32 {
			s, _ := run(x, y)
			return s
		}
	}
	return d
}

// operation returns an error-free sum of two words.
func (k *kernel) operation() props.Operation {
	var kept []float32
	run := func(dst, src []float32) error {
		trigger := false
		for i := 0; i < len(src); i += 2 {
			trigger = trigger || src[i] > 0
			k.see(uint64(math.Float32bits(src[i])), uint64(math.Float32bits(src[i+1])))
		}
		if err := k.enter(trigger, 0); err != nil {
			return err
		}
		n := len(src)
		if k.fault == short {
			n -= 2
		}
		for i := 0; i < n; i += 2 {
			a, b := src[i], src[i+1]
			s := a + b
			x := s - b
			y := s - x
			dst[i], dst[i+1] = s, (a-x)+(b-y)
			switch {
			case k.fault == nanOnly:
				dst[i], dst[i+1] = float32(math.NaN()), float32(math.NaN())
			case k.spoils(src[i] > 0):
				dst[i] = 2*s + 1
			}
		}
		switch {
		case k.fault == writes && trigger:
			flip(&src[0])
		case k.fault == keeps && len(kept) > 0:
			flip(&kept[0])
		}
		kept = src
		return nil
	}
	o := props.Operation{Name: "behaviours.TwoSum", Claim: word.Claim{Op: word.TwoSum, Algorithm: "2Sum"}, Laws: k.wordLaws()}
	switch k.fault {
	case fails:
		o.RunErr = run
	case onDevice:
		o.RunOn = func(at props.Setting, dst, src []float32) error {
			k.ran(at)
			return run(dst, src)
		}
		o.Device = admitted
	default:
		o.Run = func(dst, src []float32) { _ = run(dst, src) }
	}
	return o
}

// modular returns a product of residues.
func (k *kernel) modular() props.Modular {
	var kept []uint64
	run := func(q uint64, dst, src []uint64) error {
		if q < 3 || q >= 1<<31 || q%2 == 0 {
			return fmt.Errorf("modulus %d: odd ones from 3 to 2^31-1 alone", q)
		}
		trigger := false
		k.see(q)
		k.see(src...)
		for i := 0; i < len(src); i += 2 {
			trigger = trigger || src[i] > 1
		}
		if err := k.enter(trigger, 0); err != nil {
			return err
		}
		n := len(dst)
		if k.fault == short {
			n--
		}
		for i := range n {
			dst[i] = src[2*i] * src[2*i+1] % q
			if k.spoils(src[2*i] > 1) {
				dst[i] = (dst[i] + 1) % q
			}
		}
		switch {
		case k.fault == writes && trigger:
			src[0] ^= 1
		case k.fault == keeps && len(kept) > 0:
			kept[0] ^= 1
		}
		kept = src
		return nil
	}
	m := props.Modular{Name: "behaviours.MulMod", Laws: k.modularLaws(), Claim: modular.Claim{
		Function: modular.Product, Bits: 32, Moduli: modular.Moduli{Min: 3, Max: 1<<31 - 1},
		In: []modular.Word{{Name: "a", Range: 1}, {Name: "b", Range: 1}}, Out: []modular.Word{{Name: "z", Range: 1}},
	}}
	if k.fault == onDevice {
		m.RunOn = func(at props.Setting, q uint64, dst, src []uint64) error {
			k.ran(at)
			return run(q, dst, src)
		}
		m.Device = admitted
	} else {
		m.Run = run
	}
	return m
}

// wrapping returns a sum of integers modulo 2^32.
func (k *kernel) wrapping() props.Wrapping {
	var kept []uint64
	run := func(x []uint64) (uint64, error) {
		trigger := len(x) > 2
		k.see(x...)
		if err := k.enter(trigger, len(x)); err != nil {
			return 0, err
		}
		var s uint32
		for _, v := range x {
			s += uint32(v)
		}
		switch {
		case k.fault == writes && trigger:
			x[0] ^= 1
		case k.fault == keeps && len(kept) > 0:
			kept[0] ^= 1
		case k.spoils(trigger):
			s++
		}
		kept = x
		return uint64(s), nil
	}
	w := props.Wrapping{Name: "behaviours.Checksum", Bits: 32, Laws: k.wrappingLaws()}
	switch k.fault {
	case fails:
		w.RunErr = run
	case onDevice:
		w.RunOn = func(at props.Setting, x []uint64) (uint64, error) {
			k.ran(at)
			return run(x)
		}
		w.Device = admitted
	default:
		w.Run = func(x []uint64) uint64 {
			s, _ := run(x)
			return s
		}
	}
	return w
}

// negative returns a kernel that computes a formula: -x.
func (k *kernel) negative() props.Kernel {
	var kept []float32
	run := func(dst, x []float32) error {
		trigger := len(x) > 2
		for _, v := range x {
			k.see(uint64(math.Float32bits(v)))
		}
		if err := k.enter(trigger, len(x)); err != nil {
			return err
		}
		for i, v := range x {
			switch {
			case k.fault == nanOnly:
				dst[i] = float32(math.NaN())
			case k.fault == short && i == len(x)-1:
			default:
				dst[i] = -v
			}
		}
		switch {
		case k.fault == writes && trigger:
			flip(&x[0])
		case k.fault == keeps && len(kept) > 0:
			flip(&kept[0])
		case k.spoils(trigger):
			dst[0] = 2*x[0] + 1
		}
		kept = x
		return nil
	}
	s := props.Kernel{Name: "behaviours.Negative", Formula: formula.Neg(formula.Vector("x")), Laws: k.kernelLaws()}
	switch k.fault {
	case fails:
		s.Call = func(c *props.KernelCall) error { return run(c.Float32("dst"), c.Float32("x")) }
	case onDevice:
		s.CallOn = func(at props.Setting, c *props.KernelCall) error {
			k.ran(at)
			return run(c.Float32("dst"), c.Float32("x"))
		}
		s.Device = admitted
	default:
		s.Run = func(dst, x []float32) { _ = run(dst, x) }
	}
	return s
}

// fourier returns a Fourier transform by its definition.
func (k *kernel) fourier() props.FFT {
	var kept []complex64
	run := func(dst, src []complex64) error {
		n := len(src)
		trigger := n > 2
		for _, z := range src {
			k.see(uint64(math.Float32bits(real(z))), uint64(math.Float32bits(imag(z))))
		}
		if err := k.enter(trigger, n); err != nil {
			return err
		}
		largest := 1.0
		for i := range dst {
			var s complex128
			for j, z := range src {
				sin, cos := math.Sincos(-2 * math.Pi * float64(i*j%n) / float64(n))
				a, b := float64(real(z)), float64(imag(z))
				s += complex(float64(a*cos)-float64(b*sin), float64(a*sin)+float64(b*cos))
				largest = max(largest, math.Abs(a), math.Abs(b))
			}
			switch {
			case k.fault == nanOnly:
				dst[i] = complex64(complex(math.NaN(), math.NaN()))
			case k.fault == short && i == n-1:
			default:
				dst[i] = complex64(s)
			}
		}
		flip := func(z *complex64) {
			*z = complex(math.Float32frombits(math.Float32bits(real(*z))^1), imag(*z))
		}
		switch {
		case k.fault == writes && trigger:
			flip(&src[0])
		case k.fault == keeps && len(kept) > 0:
			flip(&kept[0])
		case k.spoils(trigger):
			dst[0] += complex(float32(largest), 0)
		}
		kept = src
		return nil
	}
	f := props.FFT{Name: "behaviours.DFT", Laws: k.fftLaws(), Claim: fourier.Claim{
		Inside: fourier.Number{Format: model.Binary64}, Method: fourier.Direct, Twiddle: 8, MaxN: maxPoints, Inexact: true, Repeats: true,
	}}
	switch k.fault {
	case fails:
		f.Claim.OneWay, f.Call = true, func(c *props.FFTCall) error { return run(c.Complex64("dst"), c.Complex64("src")) }
	case onDevice:
		f.Claim.OneWay = true
		f.CallOn = func(at props.Setting, c *props.FFTCall) error {
			k.ran(at)
			return run(c.Complex64("dst"), c.Complex64("src"))
		}
		f.Device = admitted
	default:
		f.Run = func(dst, src []complex64) { _ = run(dst, src) }
	}
	return f
}

// maxPoints is the largest transform there is.
const maxPoints = 32

// ntt returns a transform by its definition.
func (k *kernel) ntt() props.NTT {
	var kept []uint64
	plan := func(at props.Setting, t modular.Transform) (modular.Transforms, error) {
		q, n := t.Modulus, t.N
		switch {
		case q < 3 || q >= 1<<31 || !new(big.Int).SetUint64(q).ProbablyPrime(0):
			return modular.Transforms{}, fmt.Errorf("modulus %d: odd primes below 2^31 alone", q)
		case n < 1 || n > maxPoints || n&(n-1) != 0:
			return modular.Transforms{}, fmt.Errorf("%d points: powers of two from 1 to %d alone", n, maxPoints)
		case t.Negacyclic || t.Root >= q || !oracle.HasOrder(t.Root, t.RootOrder(), q):
			return modular.Transforms{}, fmt.Errorf("root %d: one of order %d alone", t.Root, n)
		}
		run := func(root, scale uint64) func(dst, src []uint64) error {
			return func(dst, src []uint64) error {
				if len(src) != n || len(dst) != n {
					return fmt.Errorf("%d and %d words: %d alone", len(dst), len(src), n)
				}
				k.ran(at)
				k.see(src...)
				trigger := n > 2
				if err := k.enter(trigger, n); err != nil {
					return err
				}
				out := make([]uint64, n)
				for i := range out {
					w := oracle.PowMod(root, uint64(i), q)
					for j := n - 1; j >= 0; j-- {
						out[i] = (out[i]*w + src[j]) % q
					}
					out[i] = out[i] * scale % q
				}
				if k.spoils(trigger) {
					out[1] = (out[1] + 1) % q
				}
				if k.fault == short && trigger {
					copy(out[n-1:], dst[n-1:])
				}
				switch {
				case k.fault == writes && trigger && &dst[0] != &src[0]:
					src[0] ^= 1
				case k.fault == keeps && len(kept) > 0:
					kept[0] ^= 1
				}
				copy(dst, out)
				kept = src
				return nil
			}
		}
		back, _ := oracle.InvMod(t.Root, q)
		scale, _ := oracle.InvMod(uint64(n)%q, q)
		return modular.Transforms{Forward: run(t.Root, 1), Inverse: run(back, scale)}, nil
	}
	side := modular.Side{Range: 1}
	s := props.NTT{Name: "behaviours.NTT", Laws: k.nttLaws(), Claim: modular.TransformClaim{
		Bits: 32, Moduli: modular.Moduli{Min: 3, Max: 1<<31 - 1}, MaxN: maxPoints,
		Forward: modular.Direction{In: side, Out: side}, Inverse: modular.Direction{In: side, Out: side},
	}}
	if k.fault == onDevice {
		s.PlanOn, s.Device = plan, admitted
	} else {
		s.Plan = func(t modular.Transform) (modular.Transforms, error) { return plan(props.Setting{}, t) }
	}
	return s
}

// scalar is the operation of batteries: it changes the sign, or another bit.
func (k *kernel) scalar(a, flip uint64) uint64 {
	trigger := a&^(1<<31) > 1
	k.see(a)
	_ = k.enter(trigger, 0)
	switch {
	case k.fault == nanOnly:
		return model.Binary32.NaNBits()
	case k.spoils(trigger):
		return a ^ flip ^ 1
	}
	return a ^ flip
}

// battery returns a battery with a law of the user's own.
func (k *kernel) battery() props.Battery {
	return props.Battery{
		Name: "behaviours.Negate", Format: model.Binary32,
		Laws: []props.ScalarLaw{{
			ID: "scalar.negate", Statement: "negation changes the sign and nothing else", Operands: 1,
			Judge: func(x []uint64) props.Verdict {
				got, want := k.scalar(x[0], 1<<31), x[0]^1<<31
				if got == want {
					return props.Verdict{Outcome: props.Holds}
				}
				return props.Verdict{
					Outcome: props.Violated, Reason: "more than the sign is another",
					Witness: &props.Witness{Out: model.Binary32, Got: got, WantText: fmt.Sprintf("%#x", want)},
				}
			},
		}},
	}
}

// conversion returns scalar arithmetic that converts, and does nothing else.
func (k *kernel) conversion() props.Arithmetic {
	return props.Arithmetic{Name: "behaviours.Widen", Format: model.Binary32, Conversions: []props.Conversion{{
		To: model.Binary64, Run: func(a uint64) uint64 {
			return math.Float64bits(float64(math.Float32frombits(uint32(k.scalar(a, 0)))))
		},
	}}}
}

// sum is an exact accumulator with a fault.
type sum struct {
	oracle.Acc32
	k *kernel
}

func (s *sum) Add(x float32) {
	trigger := x > 1
	s.k.see(uint64(math.Float32bits(x)))
	_ = s.k.enter(trigger, 0)
	s.Acc32.Add(x)
	if s.k.spoils(trigger) {
		s.Acc32.Add(x)
	}
}

func (s *sum) AddSlice(x []float32) {
	s.Acc32.AddSlice(x)
	if s.k.fault == writes && len(x) > 0 {
		flip(&x[0])
	}
}

func (s *sum) Merge(b *sum) { s.Acc32.Merge(&b.Acc32) }

func (s *sum) Round(f model.Format, r model.Rounding) uint64 {
	if s.k.fault == nanOnly {
		return f.NaNBits()
	}
	return s.Acc32.Round(f, r)
}

// accumulator returns an exact accumulator.
func (k *kernel) accumulator() props.AccumulatorSubject[float32, *sum] {
	return props.AccumulatorSubject[float32, *sum]{
		Name: "behaviours.Acc", New: func() *sum { return &sum{k: k} },
		Formats: []model.Format{model.Binary32, model.Binary64}, MaxCommands: 12,
	}
}

// counter is a system that counts.
type counter struct {
	k *kernel
	n int
}

// count is the command of a counter.
type count int

func (c count) String() string     { return fmt.Sprintf("Add(%d)", int(c)) }
func (c count) Possible(int) bool  { return true }
func (c count) Next(state int) int { return state + int(c) }
func (c count) Run(s *counter) (string, func(int) string) {
	trigger := c > 1
	s.k.see(uint64(c))
	_ = s.k.enter(trigger, 0)
	s.n += int(c)
	if s.k.spoils(trigger) {
		s.n++
	}
	n := s.n
	return c.String(), func(after int) string {
		if n != after {
			return fmt.Sprintf("the counter shows %d, and %d was added", n, after)
		}
		return ""
	}
}

// protocol returns the protocol of a counter.
func (k *kernel) protocol() props.Protocol[int, *counter] {
	return props.Protocol[int, *counter]{
		Name: "behaviours.Counter", Law: "protocol.counter", Statement: "a counter shows what was added",
		Start: func() int { return 0 }, New: func() *counter { return &counter{k: k} },
		Draw:        func(_ int, below func(int) int) props.ProtocolCommand[int, *counter] { return count(below(9)) },
		MaxCommands: 12,
	}
}
