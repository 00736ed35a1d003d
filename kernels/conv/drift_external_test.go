package conv_test

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"gamma/kernels/dd"
)

var update = flag.Bool("update", false, "write DETERMINISM.md and drift.svg")

// The rotation goes 2^most steps, and is recorded after 2^least, 2^(least+1), …
const least, most = 4, 24

// rebase is after how many steps a state is set to the reference.
const rebase = 4096

// curve is the largest error up to 2^least, …, 2^most steps, in turns.
type curve struct {
	name, colour string
	dashed       bool
	at           []float64
}

// drift turns a point on a circle by ω a step, φ ← φ + ω modulo 1, and follows how far it is from the exact place, which 64-bit integers hold.
func drift() []curve {
	const omega = 0x1.3c6ef2p-7 // a binary32 number, 0.00966…
	constant := func() func() float32 { return func() float32 { return omega } }
	drawn := func(low float32) func() float32 {
		d, scale := draw(1), low
		return func() float32 {
			d.next()
			scale = low * 0x1p-30 / scale // 2^-30 and low in turns
			return float32(d>>40) * scale // 24 bits, below 2^-6
		}
	}
	plain := func(phi, w float32) float32 {
		if phi += w; phi >= 1 {
			phi-- // exact
		}
		return phi
	}
	var phi, lost float32
	var pair dd.DD32
	one := func(step func(w float32, exact uint64, n int)) func(w float32, exact uint64, n int) float64 {
		phi, lost, pair = 0, 0, dd.DD32{}
		return func(w float32, exact uint64, n int) float64 {
			step(w, exact, n)
			return float64(phi)
		}
	}
	alone := func(w float32, _ uint64, _ int) { phi = plain(phi, w) }
	curves := []curve{
		follow("binary32, ω constant", "#c0392b", constant(), one(alone)),
		follow("binary32, ω drawn", "#e67e22", drawn(0x1p-30), one(alone)),
		follow(fmt.Sprintf("binary32, rebased every %d", rebase), "#8e44ad", constant(), one(func(w float32, exact uint64, n int) {
			if phi = plain(phi, w); n%rebase == 0 {
				phi = float32(turns(exact))
			}
		})),
		follow("Kahan", "#2980b9", constant(), one(func(w float32, _ uint64, _ int) {
			y := w - lost
			t := phi + y
			lost = (t - phi) - y
			if phi = t; phi >= 1 {
				phi--
			}
		})),
		follow("double word, ω drawn of 58 bits", "#27ae60", drawn(0x1p-58), func(w float32, _ uint64, _ int) float64 {
			if pair = pair.PlusFP(w); pair.Hi >= 1 {
				pair = pair.PlusFP(-1)
			}
			return float64(pair.Hi) + float64(pair.Lo)
		}),
	}
	for _, m := range []struct {
		name string
		at   func(n float64) float64
	}{
		{"n·u", func(n float64) float64 { return n * 0x1p-24 }},
		{"√n·u", func(n float64) float64 { return math.Sqrt(n) * 0x1p-24 }},
		{"u", func(float64) float64 { return 0x1p-24 }},
		{"n·2u²", func(n float64) float64 { return n * 0x1p-47 }},
	} {
		c := curve{name: m.name, colour: "#888", dashed: true}
		for e := least; e <= most; e++ {
			c.at = append(c.at, m.at(math.Ldexp(1, e)))
		}
		curves = append(curves, c)
	}
	return curves
}

// turns returns a 64-bit fraction of a turn.
func turns(exact uint64) float64 { return float64(exact>>11) * 0x1p-53 }

// follow runs a rotation.
func follow(name, colour string, increment func() float32, step func(w float32, exact uint64, n int) float64) curve {
	c, exact, worst := curve{name: name, colour: colour}, uint64(0), 0.0
	for n := 1; n <= 1<<most; n++ {
		w := increment()
		exact += uint64(float64(w) * 0x1p64)
		d := step(w, exact, n) - turns(exact)
		worst = max(worst, math.Abs(d-math.Round(d)))
		if n&(n-1) == 0 && n >= 1<<least {
			c.at = append(c.at, worst)
		}
	}
	return c
}

// writeDrift writes the numbers of the plot.
func writeDrift(b *bytes.Buffer, curves []curve) {
	steps := []int{10, 16, 20, 24}
	b.WriteString("| state | 2^10 steps | 2^16 | 2^20 | 2^24 |\n|---|---|---|---|---|\n")
	for _, c := range curves {
		fmt.Fprintf(b, "| %s |", c.name)
		for _, e := range steps {
			fmt.Fprintf(b, " %.2e |", c.at[e-least])
		}
		b.WriteString("\n")
	}
}

// chaos iterates the logistic map x ← 4x(1-x), each of whose steps doubles an error on average, beside a reference of 1024 bits.
func chaos(b *bytes.Buffer) {
	const start, steps, far, every = 0x1.8p-2 + 0x1p-20, 400, 0.01, 8
	exact := []float64{start}
	x := big.NewFloat(start).SetPrec(1024)
	for range steps {
		rest := new(big.Float).SetPrec(1024).Sub(big.NewFloat(1), x)
		x.Mul(x, rest).Mul(x, big.NewFloat(4))
		v, _ := x.Float64()
		exact = append(exact, v)
	}
	first := func(step func(n int) float64) string {
		for n := 1; n <= steps; n++ {
			if math.Abs(step(n)-exact[n]) > far {
				return fmt.Sprint(n)
			}
		}
		return "never"
	}
	single, wide, pair, based := float32(start), float64(start), dd.FromWord(float32(start)), float32(start)
	list := []struct {
		name, after string
	}{
		{"binary32", first(func(int) float64 {
			single = float32(4*single) * (1 - single)
			return float64(single)
		})},
		{"double word of binary32", first(func(int) float64 {
			y := pair.Times3(pair.Neg().PlusFP(1))
			pair = dd.DD32{Hi: 4 * y.Hi, Lo: 4 * y.Lo}
			return float64(pair.Hi) + float64(pair.Lo)
		})},
		{"binary64", first(func(int) float64 {
			wide = float64(4*wide) * (1 - wide)
			return wide
		})},
		{fmt.Sprintf("binary32, rebased every %d", every), first(func(n int) float64 {
			based = float32(4*based) * (1 - based)
			y := float64(based)
			if n%every == 0 {
				based = float32(exact[n])
			}
			return y
		})},
	}
	fmt.Fprintf(b, "\nThe logistic map x ← 4x(1-x) from 3/8 + 2^-20 loses a bit a step, whatever holds it: steps until a state is off by more than %g, of %d.\n\n| state | steps |\n|---|---|\n", far, steps)
	for _, l := range list {
		fmt.Fprintf(b, "| %s | %s |\n", l.name, l.after)
	}
	b.WriteString(chaosText)
}

// plot draws curves in SVG, both axes by powers of two.
func plot(curves []curve) []byte {
	const (
		left, top, width, height = 70, 40, 520, 400
		low, high                = -50, 0 // log2 of errors
	)
	var b bytes.Buffer
	x := func(e float64) float64 { return left + (e-least)*width/(most-least) }
	y := func(v float64) float64 { return top + (high-max(low, math.Log2(v)))*height/(high-low) }
	line := func(x1, y1, x2, y2 float64) {
		fmt.Fprintf(&b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#ddd"/>`+"\n", x1, y1, x2, y2)
	}
	text := func(x, y float64, anchor, colour, s string) {
		fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" text-anchor="%s" fill="%s">%s</text>`+"\n", x, y, anchor, colour, s)
	}
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="830" height="490" font-family="sans-serif" font-size="12">`+"\n"+`<rect width="830" height="490" fill="#fff"/>`+"\n")
	for e := least; e <= most; e += 4 {
		line(x(float64(e)), top, x(float64(e)), top+height)
		text(x(float64(e)), top+height+18, "middle", "#333", fmt.Sprintf("2^%d", e))
	}
	for e := low; e <= high; e += 10 {
		v := y(math.Ldexp(1, e))
		line(left, v, left+width, v)
		text(left-8, v+4, "end", "#333", fmt.Sprintf("2^%d", e))
	}
	text(left+width/2, top+height+38, "middle", "#333", "steps")
	text(left, top-16, "start", "#333", "largest error so far of φ ← φ + ω modulo 1, in turns; models dashed, u = 2^-24")
	last := func(c curve) float64 { return c.at[len(c.at)-1] }
	curves = slices.SortedFunc(slices.Values(curves), func(a, b curve) int { return cmp.Compare(last(b), last(a)) })
	label := 0.0
	for _, c := range curves {
		var points []string
		for i, v := range c.at {
			points = append(points, fmt.Sprintf("%.1f,%.1f", x(float64(least+i)), y(v)))
		}
		style := `stroke-width="2"`
		if c.dashed {
			style = `stroke-dasharray="5 4"`
		}
		fmt.Fprintf(&b, `<polyline points="%s" fill="none" stroke="%s" %s/>`+"\n", strings.Join(points, " "), c.colour, style)
		label = max(label+15, y(last(c))+4) // labels do not overlap
		text(left+width+8, label, "start", c.colour, c.name)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

const (
	determinismHead = `# Determinism and drift

Written by ` + "`go test ./kernels/conv -run TestDeterminism -update`" + `; u = 2^-24. Claims are those of numerical-precision-guide.txt
and mojo-cuda-fft.txt, the seeds.

Kernels of a fixed order give the same bits in each run: TestSameBits computes the rows of a long convolution together, each by itself, in the
other order and at once, under 1, 2 and 7 threads. TestConvolutionRepeats of props/device judges its shaders by the law kernel.schedule, in the
simulator's orders.

`
	nine = `
That is the 2^-9 of the seed's product: two sums in binary32 that differ in their last bits lie, now and then, on both sides of the middle
between two bfloat16 numbers, and one ulp of bfloat16 is 2^-9 where results are from 1/4 to 1/2. The largest difference says how large a
result happened to be on such a middle, and nothing about the sums. Nor is the 2^-9 of its transform a constant of order: differences are
multiples of an ulp, which is 2^-13 from 1024 on, and grow with the length.

Is binary64 inside the end of it, as the seed says? Not for every input. Where an exact sum lies beside the middle of two binary32 numbers,
two orders of binary64 can still round to different sides; with cancellation, the seed's own Kahan sums in binary64 can lose a term or not. Both
inputs are of binary32 numbers, and are the terms of the value X_0 of a transform:

`
	tieText = `
So binary64 makes a difference rare, about one in 2^29 divided by what the orders differ by in ulps of binary64, and not impossible. What makes every order agree is an exact
sum, rounded once (package kernels has such), or a fixed order.

`
	driftText = `A point on a circle turns by ω a step, φ ← φ + ω modulo 1; the exact place is held by 64-bit integers. What is shown is the largest error so
far, in turns.

![drift](drift.svg)

`
	chaosText = `
There neither a compensated sum nor a wider format removes the drift; P bits last about P steps. Setting the state to a reference does, if it
comes before the bits are used up.

`
	claims = `## What the seeds say of drift

| claim | what holds | verdict |
|---|---|---|
| pathological order: error <= κ·N·u | (N-1)·u/(1+u)·Σ\|x\| for any order | holds |
| random signs: κ·√N·u, "typical" | increments drawn follow √n·u above; a constant ω drifts in proportion to n, since all its roundings have one sign for long | of drawn increments alone |
| Kahan: κ·u, independent of N | φ stays within u above, for 2^24 steps. The proved bound has a second term, 3u + 5(N+1)·u², which is 0.46 at the guide's N = 2.6·10^13 | of N·u far below 1 |
| N = 2.6·10^13: worst case 5.1·10^6·u ≈ 0.3 | 5.1·10^6 is √N; N·u is 1.5·10^6 | **false** |
| N = 2.6·10^13: random √N·u ≈ 3·10^-4 | √N·u is 0.30 | **false** |
| four roundings in the plain pipeline, one in the extended one | law pipeline.roundings counts them. The guide's own extended profile, without ep_fft, leaves all four | holds with ep_fft |
| extended: relative error < 10^-10, mean square < 10^-20 | not of results in binary32: one rounding alone errs by up to 6·10^-8 of each; TestSeedTable has 3 to 5·10^-8 of the largest, and 6·10^-15 to 2.4·10^-14. Before that rounding TestSpectrum has 4·10^-16, and in double words TestSpectrumDouble has 3·10^-32 | **false** |
| periodic rebase bounds drift | by the steps between, above; of the logistic map as well | holds |
| binary64 inside gives identical binary32 results in every order | the two inputs above | **false** |
`
)
