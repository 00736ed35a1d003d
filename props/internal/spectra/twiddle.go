package spectra

import (
	"cmp"
	"fmt"
	"math/cmplx"
	"slices"
	"strings"

	"gamma/model/fourier"
)

// mostFactors is the longest transform whose twiddle factors are tried one by one. It has no prime factor above mostRadix.
const (
	mostFactors = 1 << 12
	mostRadix   = 8
)

// way is how data get to the passes of complex numbers.
type way uint8

const (
	whole  way = iota // as they are, real ones with imaginary parts 0
	halved            // N real numbers as N/2 complex ones, whose spectrum is taken apart by one more step, or put together
	mirror            // in passes over real numbers, whose factors stand for their conjugates, too
)

// bent is a transform one of whose twiddle factors is wrong: w·(1+off) in the place of w.
type bent struct {
	way       way
	frequency bool // decimation in frequency: factors are on the results of passes, and not on their inputs
	split     bool // split-radix passes: one of half the length, and two of a quarter
	radix     func(points, of int) int

	// Where wide is set the factor is number factor of those on part part, in passes over wide points.
	wide, part, factor int
	// Else it is number entry of a table of as many points as are transformed, in all passes that use it, 0 if it is not theirs; and
	entry int
	// number joint of those by which the halves of a halved transform are joined, 0 if it is not one of them, and paired says that the one of the opposite
	// place is computed by it.
	joint  int
	paired bool

	n     int // points of the transform for which the factor was found
	off   complex128
	roots []complex128
	tmp   [2][]complex128
}

// power returns the greatest power of a radix, 4 or 8, that is at most n; passes of it alone leave n/power over.
func power(radix, n int) (p int) {
	for p = 1; n%(p*radix) == 0; p *= radix {
	}
	return p
}

// plans are the algorithms whose tables are looked at: the radix of a pass over points of n.
var plans = []struct {
	radix func(points, n int) int
	split bool
}{
	{radix: func(points, _ int) int { return leastFactor(points) }},
	{radix: uniform4, split: true},
	{radix: func(points, _ int) int { return leftLast(4, points) }},
	{radix: func(points, n int) int { return leftFirst(4, points, n) }},
	{radix: func(points, _ int) int { return leftLast(8, points) }},
	{radix: func(points, n int) int { return leftFirst(8, points, n) }},
}

func uniform4(points, _ int) int { return min(4, points) }

// leastFactor returns the least prime factor of n.
func leastFactor(n int) int {
	for r := 2; r*r <= n; r++ {
		if n%r == 0 {
			return r
		}
	}
	return n
}

// leftLast is the radix where what passes of one radix leave over is done by the passes of the fewest points, and leftFirst where it is by those of the most.
func leftLast(radix, points int) int {
	if points%radix == 0 {
		return radix
	}
	return leastFactor(points)
}

func leftFirst(radix, points, n int) int {
	if left := n / power(radix, n); points%radix == 0 && (left == 1 || points <= n/left) {
		return radix
	}
	return leastFactor(points)
}

// weight returns the factor on part p, number f, of a pass over points of the m that are transformed.
func (b *bent) weight(points, p, f int) complex128 {
	m := len(b.roots)
	e := p * f * (m / points)
	w := b.roots[e]
	is := func(f int) bool {
		if b.wide > 0 {
			return b.wide == points && b.part == p && b.factor == f
		}
		return b.entry > 0 && b.entry == p*f*(m/points)
	}
	switch d := points / b.radixOf(points); {
	case is(f):
		w += product(w, b.off)
	case b.way == mirror && f > 0 && is(d-f):
		w += product(w, cmplx.Conj(b.off))
	}
	return w
}

func (b *bent) radixOf(points int) int {
	if b.split {
		return 4
	}
	return b.radix(points, len(b.roots))
}

// passes returns the transform of x, of roots exp(∓2πi·k/len(x)).
func (b *bent) passes(x, roots []complex128) []complex128 {
	b.roots = roots
	y := make([]complex128, len(x))
	for i := range b.tmp {
		b.tmp[i] = make([]complex128, len(x))
	}
	if b.frequency {
		b.inFrequency(y, slices.Clone(x), 1)
	} else {
		b.inTime(y, x, 1)
	}
	return y
}

// butterfly replaces t by its transform.
func (b *bent) butterfly(t []complex128) {
	r, m := len(t), len(b.roots)
	if r == 2 {
		t[0], t[1] = t[0]+t[1], t[0]-t[1]
		return
	}
	y := b.tmp[1][:r]
	for q := range y {
		y[q] = t[0]
		for p := 1; p < r; p++ {
			y[q] += product(t[p], b.roots[p*q%r*(m/r)])
		}
	}
	copy(t, y)
}

// inTime writes the transform of every stride-th number of src.
func (b *bent) inTime(dst, src []complex128, stride int) {
	n := len(dst)
	if n == 1 {
		dst[0] = src[0]
		return
	}
	if b.split && n >= 4 {
		d, quarter := n/4, b.roots[len(b.roots)/4]
		b.inTime(dst[:2*d], src, 2*stride)
		b.inTime(dst[2*d:3*d], src[stride:], 4*stride)
		b.inTime(dst[3*d:], src[3*stride:], 4*stride)
		for f := range d {
			one, three := product(dst[2*d+f], b.weight(n, 1, f)), product(dst[3*d+f], b.weight(n, 3, f))
			sum, turned := one+three, product(one-three, quarter)
			dst[f], dst[f+d], dst[f+2*d], dst[f+3*d] = dst[f]+sum, dst[f+d]+turned, dst[f]-sum, dst[f+d]-turned
		}
		return
	}
	r := b.radix(n, len(b.roots))
	d, t := n/r, b.tmp[0][:r]
	for p := range r {
		b.inTime(dst[p*d:(p+1)*d], src[p*stride:], r*stride)
	}
	for f := range d {
		for p := range r {
			if t[p] = dst[p*d+f]; p > 0 && f > 0 {
				t[p] = product(t[p], b.weight(n, p, f))
			}
		}
		b.butterfly(t)
		for q := range r {
			dst[q*d+f] = t[q]
		}
	}
}

// inFrequency writes the transform of src, which it changes, to every stride-th number of dst.
func (b *bent) inFrequency(dst, src []complex128, stride int) {
	n := len(src)
	if n == 1 {
		dst[0] = src[0]
		return
	}
	if b.split && n >= 4 {
		d, quarter := n/4, b.roots[len(b.roots)/4]
		for f := range d {
			u, v := src[f]-src[f+2*d], product(src[f+d]-src[f+3*d], quarter)
			src[f], src[f+d] = src[f]+src[f+2*d], src[f+d]+src[f+3*d]
			src[f+2*d], src[f+3*d] = product(u+v, b.weight(n, 1, f)), product(u-v, b.weight(n, 3, f))
		}
		b.inFrequency(dst, src[:2*d], 2*stride)
		b.inFrequency(dst[stride:], src[2*d:3*d], 4*stride)
		b.inFrequency(dst[3*stride:], src[3*d:], 4*stride)
		return
	}
	r := b.radix(n, len(b.roots))
	d, t := n/r, b.tmp[0][:r]
	for f := range d {
		for p := range r {
			t[p] = src[p*d+f]
		}
		b.butterfly(t)
		for q := range r {
			if src[q*d+f] = t[q]; q > 0 && f > 0 {
				src[q*d+f] = product(t[q], b.weight(n, q, f))
			}
		}
	}
	for q := range r {
		b.inFrequency(dst[q*stride:], src[q*d:(q+1)*d], r*stride)
	}
}

// turns returns exp(∓2πi·k/n).
func turns(n int, s fourier.Sign) []complex128 {
	w := circle(n)
	for k := range w {
		if s == fourier.Inverse {
			w[k] = cmplx.Conj(w[k])
		}
	}
	return w
}

// joinHalves takes the spectrum of N/2 complex numbers to values 0 … N/2 of that of the real ones that are their parts, by factors w.
func joinHalves(z []complex128, w func(k int) complex128) []complex128 {
	m := len(z)
	y := make([]complex128, m+1)
	for k := range y {
		a, b := z[k%m], cmplx.Conj(z[(m-k)%m])
		odd := product(a-b, complex(0, -0.5))
		y[k] = times(a+b, 0.5) + product(odd, w(k))
	}
	return y
}

// partHalves takes values 0 … N/2 of a spectrum of real numbers to N/2 numbers whose transform has those as its parts.
func partHalves(x []complex128, w func(k int) complex128) []complex128 {
	m := len(x) - 1
	z := make([]complex128, m)
	for k := range z {
		a, b := x[k], cmplx.Conj(x[m-k])
		z[k] = a + b + product(product(a-b, 1i), w(k))
	}
	return z
}

// root returns factor k, wrong or not.
func (b *bent) root(roots []complex128, k int) complex128 {
	m := len(roots) / 2
	w := roots[k%len(roots)]
	switch {
	case b.joint == 0 || k == 0 || k >= m:
	case k == b.joint:
		w += product(w, b.off)
	case b.paired && m-k == b.joint: // it is -conj of the other
		w += product(w, cmplx.Conj(b.off))
	}
	return w
}

// result returns what the kernel gives for a row, unscaled: as many numbers as it writes.
func (b *bent) result(s *sample) []complex128 {
	sign := s.t.Sign
	if b.way != halved {
		return b.passes(s.x, turns(s.n, sign))
	}
	roots, m := turns(s.n, sign), s.n/2
	w := func(k int) complex128 { return b.root(roots, k) }
	if s.t.Data == fourier.RealOutput {
		z := b.passes(partHalves(s.x[:m+1], w), turns(m, sign))
		y := make([]complex128, s.n)
		for k, v := range z {
			y[2*k], y[2*k+1] = complex(real(v), 0), complex(imag(v), 0)
		}
		return y
	}
	return joinHalves(b.passes(pairs(s.x), turns(m, sign)), w)
}

// pairs makes complex numbers of pairs of real ones.
func pairs(x []complex128) []complex128 {
	z := make([]complex128, len(x)/2)
	for k := range z {
		z[k] = complex(real(x[2*k]), real(x[2*k+1]))
	}
	return z
}

// least is the residual after a fit: what of the row is not explained. It sets b.off, from 0, by the method of Gauss and Newton for both parts, in the sense of least squares: one step is
// enough where results are linear in a factor, which those of a table are not.
func (b *bent) least(s *sample) float64 {
	got := make([]complex128, len(s.got))
	for i, z := range s.got {
		got[i] = times(z, 1/s.s)
	}
	b.off = 0
	base, steps, h := s.exact, 1, 1.0
	if b.wide == 0 {
		steps, h = 6, 0x1p-20
	}
	part := func(z complex128) [2]float64 {
		if s.t.out.real {
			return [2]float64{real(z), 0}
		}
		return [2]float64{real(z), imag(z)}
	}
	left := func() (sum float64) {
		for i := range got {
			d := part(got[i] - base[i])
			sum += float64(d[0]*d[0]) + float64(d[1]*d[1])
		}
		return sum
	}
	for range steps {
		at := b.off
		b.off = at + complex(h, 0)
		one := b.result(s)
		b.off = at + complex(0, h)
		two := b.result(s)
		var aa, ab, bb, ar, br float64
		for i := range got {
			p, q, r := part(times(one[i]-base[i], 1/h)), part(times(two[i]-base[i], 1/h)), part(got[i]-base[i])
			for k := range 2 {
				aa, ab, bb = aa+float64(p[k]*p[k]), ab+float64(p[k]*q[k]), bb+float64(q[k]*q[k])
				ar, br = ar+float64(p[k]*r[k]), br+float64(q[k]*r[k])
			}
		}
		det := float64(aa*bb) - float64(ab*ab)
		if !(det > float64(0x1p-40*aa*bb)) {
			b.off = 0
			return left()
		}
		b.off = at + complex((float64(ar*bb)-float64(br*ab))/det, (float64(br*aa)-float64(ar*ab))/det)
		base = b.result(s)
		if cmplx.Abs(b.off-at) < 0x1p-40 {
			break
		}
	}
	return left()
}

// wrongFactor returns the hypotheses that one twiddle factor is wrong which explain one of the samples, those first that leave the least of it: how far it is off is fitted to that sample.
//
// A wrong factor w·(1+off) of a pass over W of N points by radix r, decimation in time, number f of part p, adds off times the transform of x_j with ⌊j·W/N⌋ ≡ p mod r to the numbers
// k ≡ f mod W/r, and changes no other. Decimation in frequency is its transpose: what it adds is the transform of numbers j ≡ f mod W/r alone. So the errors, or their inverse transform, say for
// each W/r which f it may be, and those are tried.
func wrongFactor(all []sample) (list []fault) {
	i := slices.IndexFunc(all, func(s sample) bool { return !right.explains(&s) })
	if i < 0 || all[i].n > mostFactors || all[i].n < 4 {
		return nil
	}
	s := &all[i]
	ways := []way{whole}
	if s.t.Data != fourier.Complex {
		if ways = []way{mirror, whole}; s.n%2 == 0 {
			ways = []way{halved, mirror, whole}
		}
	}
	before := unexplained(s)
	type fitted struct {
		bent
		left float64
	}
	var found []fitted
	for _, w := range ways {
		for _, b := range candidates(s, w) {
			b.n = s.n
			if left := b.least(s); left <= before/16 && cmplx.Abs(b.off) > 0x1p-30 {
				found = append(found, fitted{b, left})
			}
		}
	}
	room := float64(s.room*s.room) / float64(s.s*s.s) / 64 // differences below are of roundings
	slices.SortStableFunc(found, func(a, b fitted) int { return cmp.Compare(max(a.left, room), max(b.left, room)) })
	for _, f := range found {
		list = append(list, f.fault(s))
	}
	return list
}

// unexplained returns the square of the 2-norm of a row's error, unscaled.
func unexplained(s *sample) (sum float64) {
	for i, z := range s.got {
		d := times(z, 1/s.s) - s.exact[i]
		if sum += float64(real(d) * real(d)); !s.t.out.real {
			sum += float64(imag(d) * imag(d))
		}
	}
	return sum
}

// fault makes a hypothesis of a wrong factor that was found in a sample.
func (b bent) fault(s *sample) fault {
	points, k, m := b.n, b.joint, b.n
	var where []string
	if b.way == halved {
		m /= 2
	}
	at := func(format string, args ...any) { where = append(where, fmt.Sprintf(format, args...)) }
	switch r := max(b.radixOf(m), b.radixOf(min(m, 8))); {
	case b.joint > 0 && s.t.Data == fourier.RealOutput:
		at("by which a spectrum is parted into those of even and odd numbers")
	case b.joint > 0:
		at("by which the spectra of even and odd numbers are joined")
	case b.wide > 0:
		points, k = b.wide, b.part*b.factor
		if r = b.radixOf(b.wide); b.split {
			at("in a split-radix pass")
		} else if r != 2 {
			at("in a pass of radix %d", r)
		}
	default:
		if points, k = m, b.entry; b.split {
			at("in split-radix passes")
		} else if r != 2 {
			at("in passes of radix %d", r)
		}
	}
	if b.way == mirror {
		at("in passes over real numbers")
	} else if b.way == halved && b.joint == 0 {
		at("in the transform of %d complex numbers", m)
	}
	of := ""
	if len(where) > 0 {
		of = ", " + strings.Join(where, ", ") + ","
	}
	w := turns(points, s.t.Sign)[k]
	return fault{
		fmt.Sprintf("one twiddle factor is wrong: number %d of %d points%s is off by %s", k, points, of, text(product(b.off, w), false)),
		func(s *sample) []complex128 {
			if s.n != b.n && (b.wide == 0 || right.explains(s)) {
				return right.predict(s) // a table of another length, or another transform, may be right
			}
			if wide := max(1, b.wide); s.n%wide != 0 || b.way == halved && s.n%(2*wide) != 0 {
				return nil
			}
			y := b.result(s)
			for i := range y {
				y[i] = times(y[i], s.s)
			}
			return y
		},
	}
}

// residual is what the passes of a transform have given beside what is right, as numbers that the passes give, and before them.
type residual struct {
	after, before []complex128
	room          float64 // squares of roundings
	symmetric     bool    // an error at k is one at -k, too
	partial       bool    // half of the errors is not known
}

// residualOf takes the errors of a row back to the passes, and through them.
func residualOf(s *sample, w way) residual {
	sign, n := s.t.Sign, s.n
	d := make([]complex128, len(s.got), n)
	for k, z := range s.got {
		if d[k] = times(z, 1/s.s) - s.exact[k]; s.t.out.real {
			d[k] = complex(real(d[k]), 0)
		}
	}
	r := residual{room: float64(4 * s.room * s.room / float64(s.s*s.s))}
	switch real := s.t.Data != fourier.Complex; {
	case w == halved && s.t.Data == fourier.RealOutput:
		d = pairs(d)
	case w == halved:
		roots := turns(n, fourier.Inverse-sign)
		d = partHalves(d, func(k int) complex128 { return roots[k] })
		for k := range d {
			d[k] = times(d[k], 0.5)
		}
	case s.t.Data == fourier.RealInput:
		r.partial = w == whole
		for k := len(d); k < n; k++ {
			d = append(d, 0)
			if w == mirror {
				d[k] = cmplx.Conj(d[n-k])
			}
		}
		r.symmetric = w == mirror
	case real:
		r.symmetric = true
	}
	r.after = d
	back := &bent{radix: plans[0].radix}
	r.before = back.passes(d, turns(len(d), fourier.Inverse-sign))
	for k := range r.before {
		r.before[k] = times(r.before[k], 1/float64(len(d)))
	}
	return r
}

// classes returns the sums of squares of numbers k ≡ f mod d.
func classes(x []complex128, d int, symmetric bool) []float64 {
	e := make([]float64, d)
	for k, z := range x {
		f := k % d
		if symmetric {
			f = min(f, (d-f)%d)
		}
		e[f] += float64(real(z)*real(z)) + float64(imag(z)*imag(z))
	}
	return e
}

func total(e []float64) (sum float64) {
	for _, v := range e {
		sum += v
	}
	return sum
}

// candidates returns wrong factors that may have left the errors of a row.
func candidates(s *sample, w way) (list []bent) {
	r := residualOf(s, w)
	m := len(r.after)
	for k := m; k > 1; k /= leastFactor(k) {
		if leastFactor(k) > mostRadix {
			return nil
		}
	}
	list = joints(s, w, &r)
	for _, frequency := range []bool{false, true} {
		errors, all, room := r.after, total(classes(r.after, 1, false)), r.room
		if frequency {
			errors, all, room = r.before, total(classes(r.before, 1, false)), r.room/float64(m)
		}
		if r.partial && frequency {
			room += float64(0.6 * all) // errors that are not known spread
		}
		tried := map[int]bool{}
		for d := 2; d < m; d++ {
			if m%d != 0 {
				continue
			}
			e := classes(errors, d, r.symmetric)
			e[0] = 0
			f := slices.Index(e, slices.Max(e))
			if f == 0 {
				continue
			}
			places := []int{f}
			if w == whole && r.symmetric && 2*f != d {
				places = append(places, d-f)
			}
			for _, radix := range []int{2, 3, 4, 5, 7, 8} {
				if m/d%radix != 0 {
					continue
				}
				for part := 1; part < radix; part++ {
					for _, f := range places {
						one := bent{way: w, frequency: frequency, wide: radix * d, part: part, factor: f}
						tried[part*f*(m/one.wide)] = true
						if all-e[places[0]] > room {
							continue
						}
						list = append(list, one.with(radix, false))
						if radix == 4 && part != 2 && m&(m-1) == 0 {
							list = append(list, one.with(radix, true))
						}
					}
				}
			}
		}
		for entry := 1; entry < m; entry++ {
			if tried[entry] {
				list = append(list, tables(w, frequency, m, entry, errors, all, room, r.symmetric)...)
			}
		}
	}
	return list
}

// with sets the radix of the passes that a factor belongs to.
func (b bent) with(radix int, split bool) bent {
	wide := b.wide
	b.split = split
	b.radix = func(points, _ int) int {
		if points == wide {
			return radix
		}
		return leastFactor(points)
	}
	return b
}

// joints returns the factors by which halves are joined that may have left errors at one place, or two opposite ones.
func joints(s *sample, w way, r *residual) (list []bent) {
	if w != halved {
		return nil
	}
	m := s.n / 2
	size := func(k int) float64 {
		if s.t.Data == fourier.RealOutput {
			return cmplx.Abs(r.before[k%m])
		}
		return cmplx.Abs(times(s.got[k], 1/s.s) - s.exact[k])
	}
	worst, all, room := 1, 0.0, r.room
	if s.t.Data == fourier.RealOutput {
		room /= float64(m)
	}
	for k := range m {
		all += float64(size(k) * size(k))
		if k > 0 && size(k) > size(worst) {
			worst = k
		}
	}
	if m < 2 || all-float64(size(worst)*size(worst))-float64(size(m-worst)*size(m-worst)) > room {
		return nil
	}
	for _, k := range []int{worst, m - worst} {
		for _, paired := range []bool{false, true} {
			list = append(list, bent{way: halved, radix: plans[0].radix, joint: k, paired: paired})
		}
	}
	return list
}

// tables returns the algorithms that use an entry of a table of m points for the numbers with errors alone.
func tables(w way, frequency bool, m, entry int, errors []complex128, all, room float64, symmetric bool) (list []bent) {
	for _, plan := range plans {
		b := bent{way: w, frequency: frequency, split: plan.split, radix: plan.radix, entry: entry}
		left, used, uses := all, make([]bool, m), 0
		for points := m; points > 1; {
			r := b.radix(points, m)
			d := points / r
			for f := 1; f < d; f++ {
				for part := 1; part < r; part++ {
					if part*f*(m/points) != entry || plan.split && part == 2 {
						continue
					}
					uses++
					for k := f; k < m; k += d {
						used[k] = true
						used[(m-k)%m] = used[(m-k)%m] || symmetric
					}
				}
			}
			if points = d; plan.split && r == 4 {
				points = 2 * d
			}
		}
		for k, z := range errors {
			if used[k] {
				left -= float64(real(z)*real(z)) + float64(imag(z)*imag(z))
			}
		}
		if left > room || uses == 0 {
			continue
		}
		list = append(list, b)
		for _, paired := range []bool{false, true} {
			if b.joint, b.paired = 2*entry, paired; w == halved && b.joint < m {
				list = append(list, b)
			}
		}
	}
	return list
}
