package fourier

import (
	"fmt"
	"math"
	"math/bits"

	"gamma/model"
)

// Bound is what is proved of the errors of one transform of N points, on an input of which no step overflows. s is the scale, and norms of spectra
// of real numbers are those of the whole, N values.
type Bound struct {
	// L2: ‖X̃ - X‖₂ <= L2·s·√N·‖x‖₂ + Tiny. For complex transforms s·√N·‖x‖₂ is ‖X‖₂.
	L2 float64
	// Max: |X̃_k - X_k| <= Max·s·‖x‖₁ + Tiny for each k; +Inf where nothing is proved.
	Max float64
	// Tiny is what underflow adds at most.
	Tiny float64
	// Growth: no step gives a number above Growth·‖x‖₁·(1 + L2).
	Growth float64
	// Name and Source say which theorem decides.
	Name, Source string
}

// Bound returns the proven bound of a transform under the claim.
//
// Errors of single operations, in units U = u, or u² of double words: a sum of real numbers errs by v relative to it, v = u/(1+u), or 3u²/(1-4u)
// [MR 2022]; a product of a complex number and a twiddle factor w̃, |w̃ - w| <= μ, by η with 1+η = (1+ρ)(1+μ), where ρ = √5·u [BPZ 2007], 2u if fused [JKLM 2017],
// or for double words (1+√2·5u²)(1+v) - 1, from 5u² of a product [MR 2022] in |ac|+|bd|, |ad|+|bc|, whose norm is at most √2·|z||w|.
//
// Where a compiler may fuse parts of products, ρ = √(16/3)·u. With the magnitudes P, Q of the products of one part, R, S of those of the other, PQ = RS, one part is ±(P-Q) and the other
// ±(R+S). Unfused a part errs by u·(P+Q+|P-Q|) <= 2u·max(P, Q) at most, or 2u·(R+S), since v·(1+v) <= u; fused by less, whichever product it is. The square of both
// is at most 4u²·(P²+R²+S²+2PQ), P >= Q, whose quotient by |z|²|w|² = P²+Q²+R²+S² is greatest where R = S, Q = P/2: 16/3·u².
//
// Stage of radix 2. It takes pairs (a, b) to a ± w·b. The computed product is w·b + d, |d| <= η|b|, and each sum is multiplied by 1+δ in each part, |δ| <= v. The
// exact stage S is √2 times an isometry, the vector of the ±d has norm at most √2·η·‖x‖₂, so that the error of one stage is at most
// v·‖Sx+d‖₂ + ‖d‖₂ <= ((1+v)(1+η) - 1)·‖Sx‖₂. Errors of the stages before are multiplied by √2, as the data are. So m stages have
//
//	1 + L2 = ((1+v)(1+η))^m.
//
// Where the claim says Sum, sums of double words err by Sum·u²·(|x|+|y|), the two of a pair by √2·Sum·u²·(|a|+|w·b|), in norm √2·Sum·u² times that of both: that stands in the place of v,
// and in a product, where Product is not said, 1+ρ is 1 + √2·((1+5u²)(1+Sum·u²) - 1).
//
// Decimation in frequency, (a+b, w·(a-b)), has the same factors in the other order. A pass of radix 4 is two stages whose second twiddle factors are 1 and ∓i, exact: it
// has (1+v)²(1+η). One of radix 8 is three with (1∓i)·√½ besides, computed as a sum, and a product by a rounded constant, where (1+v)²(1+u) <= (1+η)²: passes of radix
// 2, 4, 8, and split-radix ones, cost no more than log2 r stages.
//
// Pass of odd prime radix r. After a twiddle factor, 1+η, each result is x_0 plus a sum of all other x_j times cosines and sines. By complex
// products and their sums, or by sums and differences of x_j and x_(r-j), each part of x_j passes at most r sums and two products, by constants within μ; its
// coefficients satisfy |cos||Re x_j| + |sin||Im x_j| <= |x_j|. For r = 5 by (x_1+x_4) ± (x_2+x_3), the cosines' coefficients are 1/4 + √5/4 in magnitude, of which
// √(0.81² + 0.96²) = 1.26 would come in place of 1, and a path has 5 sums and one product, or to the sines 3 and one: √((0.81·(5v+ε+μ))² + (0.96·(3v+ε+μ))²) is below 5v+2ε+μ for μ <= 2.9ε. So each part errs by at most κ·Σ|x_j|, and 1+κ = (1+v)^r·(1+ε)²·(1+μ), ε = v or 5u². In the
// 2-norm that is √2·κ·√r·‖x‖₁ <= √(2r)·κ·(√r·‖x‖₂): the pass has (1+η)(1+√(2r)·κ). So a radix-3 pass costs more than log2 3 stages of radix 2, and each odd radix has
// this bound of its own.
//
// Definition: each part is a sum of 2N products in any order, so that each product passes at most 2N-1 sums: 1+κ = (1+v)^(2N-1)·(1+ε)·(1+μ), and √(2N)·κ in the 2-norm. By
// Kahan's sums of these products κ is (1+v)·(1+μ)·(1+3u+5(2N+1)u²) - 1 [Gamma K1]. Real data of even length: N/2 complex points, whose spectrum is taken apart by one more sum and the last stage, or
// put together: one factor 1+v more.
//
// Single results. In each step |error| <= (its factor - 1)·Σ|x_j| over the inputs that it adds, with √2·κ in the place of √(2r)·κ, so that by induction
// |X̃_k - X_k| <= Max·‖x‖₁; twice that for real data, where two values of N/2 points make one. Where x has few large numbers, ‖x‖₁ is far below √N·‖x‖₂. A bound of the 1-norm, ‖X̃ - X‖₁ <= √N·‖X̃ - X‖₂, follows from L2.
//
// Scale: 1/N is exact for powers of two; else a product by a rounded constant, or for 1/√N one by a root of a rounded quotient: (1+ε)(1+u), (1+ε)(1+u)². Input and result each have a
// factor 1+u if they are rounded to fewer bits than they have.
//
// Bluestein's algorithm, M the power of two from 2N-1 on, β = 2N-1 >= |B_k|: see bluestein.
//
// Tiny: a real product that underflows errs by η₀, half the least subnormal, at most besides; 10η₀ covers one of double words, of nine products. A complex product: Δ = √2·2η₀·(1+v).
// Sums do not lose by underflow. A pass of radix r makes for each result at most 2r such products of its inputs, in norm √N·2r·Δ, which grows by √(N/r) at most until the end: N·Δ·2√r
// together for each pass, and √2·N·η₀ for the scale, before or after. Where flushing is claimed, η₀ is the least normal number, for sums as for products, and inputs lose as much:
// 2Δ + √2·η₀ for Δ.
//
// Error:  bounds are rounded up, by less than 2^-40 of their value.
// Source: [Gamma Y1]; the factors a stage as in [Higham 2002] Theorem 24.2.
func (c Claim) Bound(t Transform) Bound {
	c = c.WithDefaults()
	e := c.units()
	b := Bound{Growth: 2, Source: "[Gamma Y1]"}
	l2, most, passes := 0.0, 0.0, 0.0 // logarithms of 1 + L2 and 1 + Max, and Σ 2√r
	pass := func(r int) {
		passes += float64(2 * math.Sqrt(float64(r)))
		if r == 2 {
			l2, most = l2+e.stage(), most+e.stage()
			return
		}
		k := e.summed(r, 2)
		l2 += math.Log1p(float64(math.Sqrt(float64(2*r))*k)) + math.Log1p(e.eta)
		most += math.Log1p(float64(math.Sqrt2*k)) + math.Log1p(e.eta)
	}
	delta := e.lost
	switch {
	case t.N == 1:
		b.Name = "1 point"
	case c.Own != nil:
		b.Name, b.Source = "the claim's own", c.Source
		l2, most = math.Log1p(c.Own(t.N)), math.Inf(1)
		factors(t.N, func(r int) { passes += float64(2 * math.Sqrt(float64(r))) })
	case c.Method == Direct:
		k := e.summed(2*t.N-1, 1)
		if c.Compensated {
			terms := float64(2*t.N + 1)
			k = math.Expm1(math.Log1p(e.v) + math.Log1p(e.mu) + math.Log1p(float64(3*e.u)+float64(5*terms*e.u*e.u)))
		}
		l2, most = math.Log1p(float64(math.Sqrt(float64(2*t.N))*k)), math.Log1p(float64(math.Sqrt2*k))
		passes, b.Name = 2*math.Sqrt(float64(t.N)), "the definition"
	case c.Stages != nil:
		m := c.Stages(t.N)
		l2 = float64(float64(m) * e.stage())
		most, passes, b.Name = l2, 2*math.Sqrt2*float64(m), fmt.Sprintf("%d stages", m)
	case c.Radix > 0 && greatestPrime(t.N) > c.Radix:
		own, tiny := e.bluestein(t.N)
		l2, most = math.Log1p(own), math.Inf(1)
		m := padded(t.N)
		b.Name, b.Growth, b.Tiny = fmt.Sprintf("Bluestein by %d points", m), float64(4*float64(t.N)*float64(m)), tiny
	default:
		factors(t.N, pass)
		b.Name = "passes"
	}
	if t.Data != Complex && t.N%2 == 0 {
		l2, most = l2+math.Log1p(e.both), most+math.Log1p(e.both)
	}
	of := 1.0
	if t.Data != Complex {
		of = 2
	}
	ends := 0.0
	if t.Scale != Unscaled && t.N&(t.N-1) != 0 || t.Scale == ByRootN {
		ends += math.Log1p(e.mul) + float64(2*math.Log1p(e.u))
	}
	if c.In.U() < e.u {
		ends += math.Log1p(e.u)
	}
	if c.Out.U() > e.u {
		ends += math.Log1p(c.Out.U())
	}
	b.L2, b.Max = up(math.Expm1(l2+ends)), up(float64(of*math.Expm1(most+ends)))
	n := float64(t.N)
	b.Tiny += float64(n*delta*passes) + float64(float64(math.Sqrt2*n)*e.tiny)
	b.Tiny = up(float64(b.Tiny*(1+b.L2)) + float64(math.Sqrt(2*n)*Number{Format: c.Out.Format}.half(c.Flush)))
	return b
}

// up rounds a bound up, by more than the functions of package math and the sums err here.
func up(x float64) float64 { return float64(x * (1 + 0x1p-40)) }

// units are the errors of single operations.
type units struct {
	u    float64 // U
	v    float64 // of a sum
	both float64 // of the two sums of a butterfly, relative to their norm
	mul  float64 // of a product of real numbers
	mu   float64 // of a twiddle factor
	eta  float64 // of a complex product by a twiddle factor
	tiny float64 // what a real product may lose by underflow
	lost float64 // and a complex one
}

// half returns what an operation loses by underflow at most.
func (n Number) half(f model.Flush) float64 {
	if f != (model.Flush{}) {
		return math.Ldexp(1, n.Format.Emin)
	}
	return max(math.Ldexp(1, n.Format.EtaExp()), 0x1p-1074)
}

func (c Claim) units() units {
	n := c.Inside
	word := n.Format.U()
	e := units{u: n.U(), v: word / (1 + word), mu: float64(c.Twiddle * n.U()), tiny: n.half(c.Flush)}
	e.mul = e.v
	rho := float64(math.Sqrt(5) * word)
	switch {
	case c.Fused:
		rho = 2 * word
	case c.Contracted:
		rho = float64(math.Sqrt(16.0/3) * word)
	}
	if n.Double() {
		e.v, e.mul, e.tiny = float64(3*e.u)/(1-float64(4*word)), float64(5*e.u), float64(10*e.tiny)
		rho = math.Expm1(math.Log1p(float64(math.Sqrt2*e.mul)) + math.Log1p(e.v))
		switch {
		case c.Product > 0:
			rho = float64(math.Sqrt2 * float64(c.Product*e.u))
		case c.Sum > 0:
			rho = float64(math.Sqrt2 * math.Expm1(math.Log1p(e.mul)+math.Log1p(float64(c.Sum*e.u))))
		}
	}
	if e.both = e.v; n.Double() && c.Sum > 0 {
		e.v = float64(c.Sum * e.u)
		e.both = float64(math.Sqrt2 * e.v)
	}
	e.eta = math.Expm1(math.Log1p(rho) + math.Log1p(e.mu))
	e.lost = float64(2 * math.Sqrt2 * e.tiny * (1 + e.v))
	if c.Flush != (model.Flush{}) {
		e.lost = float64(2*e.lost) + float64(math.Sqrt2*e.tiny)
	}
	return e
}

// stage returns the logarithm of the factor of a stage of radix 2.
func (e units) stage() float64 { return math.Log1p(e.both) + math.Log1p(e.eta) }

// summed returns κ of numbers that pass so many sums and products.
func (e units) summed(sums, products int) float64 {
	return math.Expm1(float64(float64(sums)*math.Log1p(e.v)) + float64(float64(products)*math.Log1p(e.mul)) + math.Log1p(e.mu))
}

// padded returns M, the length of the convolution that Bluestein's algorithm needs for n points.
func padded(n int) int { return 1 << bits.Len(uint(2*n-2)) }

// bluestein returns the factor L2 of Bluestein's algorithm, and what underflow adds.
//
// X_k = c_k·Σ_j (x_j·c_j)·b_(k-j) with c_j = exp(∓πij²/N), b_j = conj c_j, a cyclic convolution of M points. Relative to ‖x‖₂: y = x∘c errs by η, Y = F(y) by √M·A,
// 1+A = (1+ε)(1+η), ε that of M points. ‖b‖₂ <= √(2N), so that B = F(b) errs in each value by D = √(2MN)·((1+ε)(1+μ) - 1) at most. Z = Y∘B, where
// |B_k| <= ‖b‖₁ = 2N-1 = β, errs by √M·E, E = A(β+D)(1+ρ) + D(1+ρ) + ρβ; the inverse of M points by (1+ε)·E + ε·β; and c once more:
// L2 = (1+η)·((1+ε)E + εβ)/√N + η. That is √N times more than such a transform errs in fact, since |B_k| is about √N.
func (e units) bluestein(n int) (l2, tiny float64) {
	m := float64(padded(n))
	stages := float64(bits.Len(uint(padded(n))) - 1)
	size := float64(n)
	eps := math.Expm1(float64(stages * e.stage()))
	beta := float64(2*size) - 1
	lost := float64(m * e.lost * stages * (2 * math.Sqrt2)) // by underflow in m points
	a := eps + e.eta + float64(eps*e.eta)
	d := float64(math.Sqrt(2*m*size)*(eps+e.mu+float64(eps*e.mu))) + lost
	z := float64(float64(a*(beta+d))*(1+e.eta)) + float64(d*(1+e.eta)) + float64(e.eta*beta)
	l2 = float64((1+e.eta)*(float64((1+eps)*z)+float64(eps*beta)))/math.Sqrt(size) + e.eta
	root := math.Sqrt(size)
	tiny = 2 * (float64(2*size*root*e.lost) + float64(2*size*lost)/math.Sqrt(m) + e.lost + lost + float64(2*root*e.lost))
	return l2, tiny
}
