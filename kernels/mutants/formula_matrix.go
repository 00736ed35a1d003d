package mutants

import (
	"math"

	"gamma/kernels"
	"gamma/kernels/nn"
)

// Faults of matrix products, attention and quantised layers.

// product returns a mutant of a matrix product whose results are each computed by itself, from its row and its column.
func product(right, name, fault string, f func(x, y []float32) float32) Formula {
	return of(right, name, fault, nn.Product(func(dst, a, b []float32, m, n, k int) {
		y := make([]float32, k)
		for i := range m {
			for j := range n {
				for l := range y {
					y[l] = b[l*n+j]
				}
				dst[i*n+j] = f(a[i*k:][:k], y)
			}
		}
	}))
}

// dotPart returns the sum of the products from lo to hi.
func dotPart(x, y []float32, lo, hi int) float32 { return kernels.DotSerial(x[lo:hi], y[lo:hi]) }

func matrices() []Formula {
	const tile = 32
	all := []Formula{
		of("MatMulHalf", "Narrow", "sums are in binary16", func(a nn.Arrays) {
			halves(a, func(x, y []uint16) float32 { return kernels.HalfToFloat32(uint16(kernels.DotHalfNarrow(x, y))) })
		}),
		of("MatMulHalf", "Truncated", "the last four bits of each factor are dropped", func(a nn.Arrays) {
			halves(a, func(x, y []uint16) float32 {
				var s float32
				for i := range x {
					s += float32(kernels.HalfToFloat32(x[i]&^15) * kernels.HalfToFloat32(y[i]&^15))
				}
				return s
			})
		}),
		of("MatMulHalf", "AsBFloat", "encodings are read as bfloat16", func(a nn.Arrays) {
			halves(a, func(x, y []uint16) float32 { return math.Float32frombits(uint32(kernels.DotBFloatTo32(x, y))) })
		}),
		of("MatMulHalf", "TermLost", "the last product is left out", func(a nn.Arrays) {
			halves(a, func(x, y []uint16) float32 { return dotHalf(x[1:], y[1:]) })
		}),
		of("MatMulHalf", "Assigns", "acc = for acc +=", func(a nn.Arrays) {
			halves(a, func(x, y []uint16) float32 { return dotHalf(x[len(x)-1:], y[len(y)-1:]) })
		}),
	}
	for _, right := range []string{"MatMul", "MatMulTiled", "MatMulSplitK"} {
		all = append(all,
			product(right, "Assigns", "acc = for acc +=, from one tile of 32 terms to the next", func(x, y []float32) float32 {
				return dotPart(x, y, (len(x)-1)/tile*tile, len(x))
			}),
			product(right, "TileDropped", "the second tile of 32 terms is left out", func(x, y []float32) float32 {
				n := len(x)
				return dotPart(x, y, 0, min(tile, n)) + dotPart(x, y, min(2*tile, n), n)
			}),
			product(right, "TileDoubled", "the first tile of 32 terms is added twice", func(x, y []float32) float32 {
				return dotPart(x, y, 0, min(tile, len(x))) + kernels.DotSerial(x, y)
			}),
			product(right, "BFloatSum", "sums are in bfloat16", func(x, y []float32) float32 { return serialBy(products(x, y), bfloat) }),
			product(right, "HalfSum", "sums are in binary16", func(x, y []float32) float32 { return serialBy(products(x, y), half) }),
			product(right, "TensorFloat", "factors are rounded to 11 bits", func(x, y []float32) float32 {
				return kernels.DotSerial(mapped(x, bits11), mapped(y, bits11))
			}),
			product(right, "TermLost", "the last product is left out", func(x, y []float32) float32 { return dotPart(x, y, 0, len(x)-1) }),
		)
	}
	return all
}

// bits11 rounds v to 11 bits.
func bits11(v float32) float32 {
	return math.Float32frombits((math.Float32bits(v) + 1<<12) &^ (1<<13 - 1))
}

func dotHalf(x, y []uint16) float32 { return math.Float32frombits(uint32(kernels.DotHalfTo32(x, y))) }

// halves runs a product of binary16 numbers.
func halves(a nn.Arrays, f func(x, y []uint16) float32) {
	dst, x, b := a.Float32("dst"), a.Encodings("a"), a.Encodings("b")
	m, n, k := a.Size("m"), a.Size("n"), a.Size("k")
	y := make([]uint16, k)
	for i := range m {
		for j := range n {
			for l := range y {
				y[l] = b[l*n+j]
			}
			dst[i*n+j] = f(x[i*k:][:k], y)
		}
	}
}

// heads is an attention with its parts to be put in.
type heads struct {
	scale func(d int) float32
	sees  func(i, j int) bool
	score func(s float32) float32
	// rescale is the factor of the sums after a new greatest score.
	rescale func(old, m float32) float32
	noMax   bool
}

// attend returns a mutant of an attention, changed by change.
func attend(right, name, fault string, change func(h *heads)) Formula {
	h := heads{
		scale:   func(d int) float32 { return 1 / float32(math.Sqrt(float64(d))) },
		sees:    func(_, _ int) bool { return true },
		score:   func(s float32) float32 { return s },
		rescale: func(old, m float32) float32 { return exp32(old - m) },
	}
	if right == "AttentionCausal" {
		h.sees = func(i, j int) bool { return j <= i }
	}
	change(&h)
	return of(right, name, fault, nn.Heads(func(dst, q, k, v []float32, t, s, d, e int) {
		for i := range t {
			out := make([]float32, e)
			m, total := float32(math.Inf(-1)), float32(0)
			if h.noMax {
				m = 0
			}
			for j := range s {
				if !h.sees(i, j) {
					continue
				}
				score := h.score(float32(kernels.DotSerial(q[i*d:][:d], k[j*d:][:d]) * h.scale(d)))
				if score > m && !h.noMax {
					f := h.rescale(m, score)
					for c := range out {
						out[c] = float32(out[c] * f)
					}
					total, m = float32(total*f), score
				}
				p := exp32(score - m)
				total += p
				for c, x := range v[j*e:][:e] {
					out[c] += float32(p * x)
				}
			}
			for c, x := range out {
				dst[i*e+c] = x / total
			}
		}
	}))
}

func attentions() []Formula {
	var all []Formula
	for _, right := range []string{"Attention", "AttentionCausal"} {
		all = append(all,
			attend(right, "NoScale", "1/√d is dropped", func(h *heads) { h.scale = func(int) float32 { return 1 } }),
			attend(right, "ScaleNoRoot", "1/d for 1/√d", func(h *heads) { h.scale = func(d int) float32 { return 1 / float32(d) } }),
			attend(right, "NoRescale", "sums are not rescaled after a new greatest score", func(h *heads) {
				h.rescale = func(old, _ float32) float32 { return float32(max(min(old, 0), -1) + 2) }
			}),
			attend(right, "BFloatScores", "scores are in bfloat16", func(h *heads) { h.score = bfloat }),
			attend(right, "NoMax", "the greatest score is not subtracted", func(h *heads) { h.noMax = true }),
			of(right, "Noise", "noise between 0.5 and 1", func(a nn.Arrays) {
				for i := range a.Float32("dst") {
					a.Float32("dst")[i] = 0.5 + float32(float32(uint32(i+1)*0x9e3779b1>>8)*0x1p-25)
				}
			}),
		)
	}
	return append(all,
		attend("AttentionCausal", "NoMask", "every key is seen", func(h *heads) { h.sees = func(_, _ int) bool { return true } }),
		attend("AttentionCausal", "MaskAfter", "the mask is one key late", func(h *heads) { h.sees = func(i, j int) bool { return j <= i+1 } }),
		of("AttentionCausal", "Unseen", "values that are not seen are multiplied by 0, which is NaN of an infinity", nn.Heads(func(dst, q, k, v []float32, t, s, d, e int) {
			nn.AttentionCausal(dst, q, k, v, t, s, d, e)
			for i := range t {
				for j := i + 1; j < s; j++ {
					for c, x := range v[j*e:][:e] {
						dst[i*e+c] += float32(0 * x)
					}
				}
			}
		})),
		attend("AttentionCausal", "MaskBefore", "the mask is one key early, but for the first", func(h *heads) {
			h.sees = func(i, j int) bool { return j < max(i, 1) }
		}),
	)
}

func quantised() []Formula {
	sum := func(name, fault string, f func(s, scaleA, scaleB float32) float32, g func(a, b int8) int32) Formula {
		return of("MatMulInt8", name, fault, func(a nn.Arrays) {
			x, y, dst := a.Int8("a"), a.Int8("b"), a.Float32("dst")
			m, n, k := a.Size("m"), a.Size("n"), a.Size("k")
			for i := range m {
				for j := range n {
					var s int32
					for l := range k {
						s += g(x[i*k+l], y[l*n+j])
					}
					dst[i*n+j] = f(float32(s), a.Float32("scaleA")[i], a.Float32("scaleB")[j])
				}
			}
		})
	}
	scaled := func(s, scaleA, scaleB float32) float32 { return float32(float32(s*scaleA) * scaleB) }
	times := func(a, b int8) int32 { return int32(a) * int32(b) }
	return append([]Formula{
		sum("NoScaleA", "the rows' scale is missing", func(s, _, b float32) float32 { return float32(s * b) }, times),
		sum("NoScaleB", "the columns' scale is missing", func(s, a, _ float32) float32 { return float32(s * a) }, times),
		sum("Wraps16", "the sum wraps in 16 bits", func(s, a, b float32) float32 { return scaled(float32(int16(int32(s))), a, b) }, times),
		sum("Product8", "products wrap in 8 bits", scaled, func(a, b int8) int32 { return int32(a * b) }),
		sum("Unsigned", "one factor is read without its sign", scaled, func(a, b int8) int32 { return int32(uint8(a)) * int32(b) }),
	}, append(codes(), rotaries()...)...)
}

// quantise returns a mutant of the codes of an RMS norm: f makes an element's code of y, the greatest magnitude of its row, and that of all rows.
func quantise(name, fault string, f func(y, top, all float32) uint8) Formula {
	return of("RMSNormE4M3", name, fault, func(a nn.Arrays) {
		x, gamma, n, dst := a.Float32("x"), a.Float32("gamma"), a.Size("n"), a.Encodings("dst")
		y := make([]float32, len(x))
		nn.RMSNorm(y, make([]float32, len(x)), x, make([]float32, len(x)), gamma, 1e-5, n)
		magnitude := func(x []float32) (m float32) {
			for _, v := range x {
				m = max(m, v, -v)
			}
			return max(m, 1e-12)
		}
		for i, v := range y {
			r := i / n * n
			dst[i] = uint16(f(v, magnitude(y[r:r+n]), magnitude(y)))
		}
	})
}

func codes() []Formula {
	scale := func(name, fault string, f func(x, gamma []float32, n int, right float32) float32) Formula {
		return of("RMSNormScale", name, fault, func(a nn.Arrays) {
			x, gamma, n, dst := a.Float32("x"), a.Float32("gamma"), a.Size("n"), a.Float32("dst")
			nn.RMSNormE4M3(make([]uint8, len(x)), dst, x, gamma, 1e-5, n)
			for i := range dst {
				dst[i] = f(x[i*n:][:n], gamma, n, dst[i])
			}
		})
	}
	return []Formula{
		quantise("Truncates", "quotients are rounded toward zero", func(y, top, _ float32) uint8 {
			q := y / (top / 448)
			c := nn.E4M3FromFloat32(q)
			if c&0x7f > 0 && float32(nn.E4M3ToFloat32(c&0x7f)) > max(q, -q) {
				c--
			}
			return c
		}),
		quantise("Greatest240", "the greatest number is taken to be 240", func(y, top, _ float32) uint8 { return nn.E4M3FromFloat32(y / (top / 240)) }),
		quantise("OneScale", "all rows have one scale", func(y, _, all float32) uint8 { return nn.E4M3FromFloat32(y / (all / 448)) }),
		quantise("NoSign", "the sign is lost", func(y, top, _ float32) uint8 { return nn.E4M3FromFloat32(y/(top/448)) & 0x7f }),
		quantise("FlushesSmall", "subnormal codes become 0", func(y, top, _ float32) uint8 {
			if c := nn.E4M3FromFloat32(y / (top / 448)); c&0x78 != 0 {
				return c
			}
			return 0
		}),
		quantise("CodeOff", "one code in 64 is the next one, away from ties", func(y, top, _ float32) uint8 {
			q := y / (top / 448)
			c := nn.E4M3FromFloat32(q)
			if math.Float32bits(y)*0x9e3779b1>>26 != 0 || c&0x7f > 0x7d {
				return c
			}
			// Only a quotient within an eighth of a step of its number: ties are a quarter of it away at least.
			m, v := max(q, -q), nn.E4M3ToFloat32(c&0x7f)
			if step := nn.E4M3ToFloat32(c&0x7f+1) - v; max(m-v, v-m) > step/8 {
				return c
			}
			return c + 1
		}),
		scale("Greatest240", "the greatest number is taken to be 240", func(_, _ []float32, _ int, s float32) float32 { return float32(s*448) / 240 }),
		scale("Reciprocal", "its reciprocal", func(_, _ []float32, _ int, s float32) float32 { return 1 / s }),
		scale("FirstElement", "that of the first element", func(x, gamma []float32, n int, s float32) float32 {
			y := make([]float32, n)
			nn.RMSNorm(y, make([]float32, n), x, make([]float32, n), gamma, 1e-5, n)
			return max(y[0], -y[0], 1e-12) / 448
		}),
	}
}

// rotaries returns faults of a norm with a rotation: f makes a result of an element, its partner, cosine and sine; first says that it is of the first half.
func rotaries() []Formula {
	rotary := func(name, fault string, partner func(i, n int) int, f func(v, p, c, s float32, first bool) uint16) Formula {
		return of("RMSNormRotary", name, fault, func(a nn.Arrays) {
			x, gamma, cos, sin, n, dst := a.Float32("x"), a.Float32("gamma"), a.Float32("cos"), a.Float32("sin"), a.Size("n"), a.Encodings("dst")
			y := make([]float32, len(x))
			nn.RMSNorm(y, make([]float32, len(x)), x, make([]float32, len(x)), gamma, 1e-5, n)
			for i, v := range y {
				r, j := i/n*n, i%n
				dst[i] = f(v, y[r+partner(j, n)], cos[i], sin[i], j < n/2)
			}
		})
	}
	half := func(i, n int) int { return (i + n/2) % n }
	turned := func(v, p, c, s float32, first bool) float32 {
		if first {
			p = -p
		}
		return float32(v*c) + float32(p*s)
	}
	return []Formula{
		rotary("Sign", "the first half's partner is not negated", half, func(v, p, c, s float32, _ bool) uint16 {
			return kernels.BFloatFromFloat32(turned(v, p, c, s, false))
		}),
		rotary("Neighbours", "neighbours are partners, not halves", func(i, n int) int { return min(i^1, n-1) }, func(v, p, c, s float32, first bool) uint16 {
			return kernels.BFloatFromFloat32(turned(v, p, c, s, first))
		}),
		rotary("Swapped", "cosine and sine are swapped", half, func(v, p, c, s float32, first bool) uint16 {
			return kernels.BFloatFromFloat32(turned(v, p, s, c, first))
		}),
		rotary("Truncates", "results are cut off to bfloat16, not rounded", half, func(v, p, c, s float32, first bool) uint16 {
			return uint16(math.Float32bits(turned(v, p, c, s, first)) >> 16)
		}),
		rotary("Early", "the norm is rounded to bfloat16 before it is rotated", half, func(v, p, c, s float32, first bool) uint16 {
			return kernels.BFloatFromFloat32(turned(bfloat(v), bfloat(p), c, s, first))
		}),
	}
}
