package cuda_test

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/metal"
	"gamma/metal/cuda"
	"gamma/metal/sim"
	"gamma/model"
	"gamma/model/modular"
	"gamma/model/word"
	"gamma/oracle"
	"gamma/props"
	"gamma/props/builtin"
	"gamma/props/judge"
	"gamma/shaders"
	"gamma/shaders/mutants"
	"gamma/sumtree"
)

// large judges shaders on inputs that are too long for the simulator, by the oracle and the claims' bounds alone.
type large struct {
	dev  metal.Device
	rec  *record
	log  int           // 2^log leaves, rows and points
	lone int           // 2^lone leaves of the sum by atomics, whose threads wait for each other at one word
	each time.Duration // that a law may take for an operation on words, of one core
	cpu  chan struct{} // a token for each core
	fail func(format string, args ...any)
	say  func(args ...any)

	mu       sync.Mutex
	families int                                              // of inputs of sums that there was time for
	trees    map[string]func(int, model.Launch) *sumtree.Tree // by kernel and size
}

func newLarge(t *testing.T, dev metal.Device, log, lone int, each time.Duration) *large {
	return &large{dev: dev, rec: newRecord(t, dev), log: log, lone: lone, each: each, cpu: make(chan struct{}, runtime.GOMAXPROCS(0)), fail: t.Errorf, say: t.Log, trees: map[string]func(int, model.Launch) *sumtree.Tree{}}
}

// TestCUDALarge judges every shader on 2^24 leaves, rows or points at GAMMA_LEVEL=thorough, and on 2^20 else.
//
// Nothing is compared with the simulator. Sums and dot products are judged by the laws of props, which hold the result against the exact sum and
// the bounds of the claim, or against the claimed tree's evaluation. Operations on words are judged row by row by the laws of words.
// Operations on residues are judged by division, every row. Transforms are compared in full, every point, with the oracle's, which divides.
func TestCUDALarge(t *testing.T) {
	dev := open(t, cuda.Options{})
	if thorough() {
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(64 << 30)) // garbage of one shader is not to wait for the next
		newLarge(t, dev, 24, 21, time.Second).run(t)
	} else {
		newLarge(t, dev, 20, 17, 300*time.Millisecond).run(t)
	}
}

// TestLargeSimulated runs what TestCUDALarge runs, on the simulator and on short inputs.
func TestLargeSimulated(t *testing.T) {
	dev := sim.New(sim.Options{NoChecks: true, Workers: 1})
	defer dev.Release()
	newLarge(t, dev, 8, 7, 10*time.Millisecond).run(t)
}

func (l *large) run(t *testing.T) {
	for _, part := range []struct {
		name string
		run  func()
	}{{"sums", l.sums}, {"operations", l.operations}, {"residues", l.residues}, {"transforms", l.transforms}} {
		t.Run(part.name, func(t *testing.T) {
			start := time.Now()
			part.run()
			t.Logf("%s: %.1f s", part.name, time.Since(start).Seconds())
		})
	}
	l.rec.note(t, fmt.Sprintf("sums: families %s; the sum by atomics has 2^%d leaves; it, and kernels one thread of which adds, 2^%d in later families", strings.Join(sumFamilies[:l.families], ", "), l.lone, l.lone-4))
	l.rec.note(t, fmt.Sprintf("operations ran on %d rows; each law judged parts of them, from all over, for %s of one core: the numbers of rows by law", 1<<l.log, l.each))
	for _, x := range l.rec.Rows {
		t.Logf("%-50s %3d laws %11d cases, worst error/bound %.4g of %s %s", x.Shader, x.Laws, x.Cases, x.Worst, x.By, x.Note)
	}
}

// abreast is how many shaders are in memory at once.
const abreast = 16

// largeTime is after what time no further shader is begun: then something takes longer than it should, and the record is worth more.
const largeTime = 90 * time.Second

// late says that there is no time for a shader, which fails the test.
func (l *large) late(name string) bool {
	if time.Since(l.rec.start) < largeTime {
		return false
	}
	l.fail("%s is left out: %s have passed", name, largeTime)
	return true
}

// together runs f for each element.
func together[T any](list []T, f func(T)) {
	var wait sync.WaitGroup
	room := make(chan struct{}, abreast)
	for _, x := range list {
		room <- struct{}{}
		wait.Go(func() { defer func() { <-room }(); f(x) })
	}
	wait.Wait()
}

// work runs f when a core is free.
func (l *large) work(f func()) {
	l.cpu <- struct{}{}
	defer func() { <-l.cpu }()
	f()
}

// inputs are the vectors of sums and dot products, expanded once.
type inputs struct {
	mu   sync.Mutex
	list map[string]*input
}

type input struct {
	once sync.Once
	x, y corpus.Values
}

func (in *inputs) get(r props.Recipe, f model.Format) (x, y corpus.Values) {
	key := fmt.Sprint(r, f)
	in.mu.Lock()
	v := in.list[key]
	if v == nil {
		v = &input{}
		in.list[key] = v
	}
	in.mu.Unlock()
	v.once.Do(func() { v.x, v.y = r.Expand(f) })
	return v.x, v.y
}

// sumsTime is after what time no further family of inputs is begun.
const sumsTime = 12 * time.Second

// sumFamilies are the families of inputs of sums: random ones, cancelling ones, wide exponents, exact ones, and the worst cases of two orders.
var sumFamilies = []string{"window", "cond", "unit", "onesign", "pairs", "geometric", "integers", "planted", "balanced"}

func (l *large) sums() {
	in := &inputs{list: map[string]*input{}}
	families := sumFamilies
	if !thorough() {
		families = families[:3]
	}
	start := time.Now()
	for f, family := range families {
		if f >= 3 && time.Since(start) > sumsTime {
			break
		}
		l.families = f + 1
		// One family at a time, so that its inputs alone are in memory.
		together(shaders.All(), func(k shaders.Kernel) {
			n := 1 << l.log
			if l.alone(k) {
				// They take their time: the first input alone is long.
				switch {
				case f > 0:
					n = 1 << (l.lone - 4)
				case strings.HasSuffix(k.Name, "#atomic"):
					n = 1 << l.lone
				}
			}
			l.sum(in, k, props.Recipe{Family: family, N: n, A: uint8(97 * f), B: uint8(255 - 31*f), Seed: uint64(f + 1), Dot: k.IsDot()})
		})
		clear(in.list)
		runtime.GC()
	}
}

// alone reports whether one thread adds all leaves, whatever the launch, or all threads wait for each other at one word, as those of the sum by
// atomics do: it exchanges by comparison, since hardware's own atomic addition flushes.
func (l *large) alone(k shaders.Kernel) bool {
	n := 1 << l.log
	return k.Rows32 == nil && k.SumTree == nil && (k.MaxN > 0 || k.Fits(n, model.Launch1D(1, 32)) != nil)
}

// launch returns a launch of many threads that k allows.
func launch(k shaders.Kernel, n int) model.Launch {
	list := []model.Launch{model.Launch1D(1024, 256), model.Launch1D(1, 256), model.Launch1D(1, 32), model.Launch1D(1, 1)}
	if k.Fits != nil && k.Fits(1<<20, model.Launch1D(1, 32)) != nil && k.Fits(1<<20, model.Launch1D(1, 1)) != nil {
		list = []model.Launch{model.Launch1D(n, 1)} // a thread a leaf, few of them at the same time
	}
	for _, c := range list {
		if k.Fits == nil || k.Fits(n, c) == nil {
			return c
		}
	}
	return model.Launch{}
}

// unheld are laws that need more runs than the one that is judged, or speak of short vectors alone.
func unheld(id model.LawID) bool {
	_, name, _ := strings.Cut(string(id), ".")
	return slices.Contains([]string{"member", "repeat", "permute", "schedule", "pure", "independent"}, name) || strings.HasPrefix(string(id), "kernel.") || strings.HasPrefix(string(id), "device.")
}

// sum judges one kernel on one input by every law of values.
func (l *large) sum(in *inputs, k shaders.Kernel, r props.Recipe) {
	fail := func(format string, args ...any) { l.fail("%s on %s: %s", k.Name, r, fmt.Sprintf(format, args...)) }
	c := &corpus.Case{Kernel: k.Name, Seed: 1}
	if k.SumTree != nil {
		c.Tree = fmt.Sprintf("%s/%d", sumtree.Pairwise(1), r.N)
	}
	if k.Rows32 != nil {
		r.Rows = 1 << (l.log / 2)
		r.N /= r.Rows
		c.Rows = r.Rows
	}
	c.Launch = launch(k, r.N)
	subject := builtin.Shader(k, l.dev)
	format := k.Claim.WithDefaults(k.Claim.In).In
	l.work(func() { c.X, c.Y = in.get(r, format) })
	at := props.Setting{Launch: c.Launch}
	if k.SumTree != nil {
		at.Launch, c.Launch = model.Launch{}, model.Launch{}
	}
	// The kernel runs twice here, and every law judges what came out.
	start := time.Now()
	var err error
	differs := false
	switch s := subject.(type) {
	case props.Reduction:
		s.Device.Schedule = l.remembered(k.Name, r.N, s.Device.Schedule)
		switch {
		case s.RunOn != nil:
			var v, again float32
			v, err = s.RunOn(at, c.X.F32)
			if err == nil {
				again, err = s.RunOn(at, c.X.F32)
			}
			differs = math.Float32bits(v) != math.Float32bits(again)
			s.RunOn = func(props.Setting, []float32) (float32, error) { return v, nil }
		case s.RunBitsOn != nil:
			var v, again uint64
			v, err = s.RunBitsOn(at, c.X.Bits)
			if err == nil {
				again, err = s.RunBitsOn(at, c.X.Bits)
			}
			differs = v != again
			s.RunBitsOn = func(props.Setting, []uint16) (uint64, error) { return v, nil }
		case s.RunTreeOn != nil:
			var v float32
			v, err = s.RunTreeOn(at, sumtree.Pairwise(1).Tree(r.N), c.X.F32)
			s.RunTreeOn = func(props.Setting, *sumtree.Tree, []float32) (float32, error) { return v, nil }
		case s.RunRowsOn != nil:
			v := make([]float32, c.Rows)
			err = s.RunRowsOn(at, v, c.X.F32, r.N)
			s.RunRowsOn = func(_ props.Setting, dst, _ []float32, _ int) error { copy(dst, v); return nil }
		}
		subject = s
	case props.Dot:
		s.Device.Schedule = l.remembered(k.Name, r.N, s.Device.Schedule)
		var v, again float32
		v, err = s.RunOn(at, c.X.F32, c.Y.F32)
		if err == nil {
			again, err = s.RunOn(at, c.X.F32, c.Y.F32)
		}
		differs = math.Float32bits(v) != math.Float32bits(again)
		s.RunOn = func(props.Setting, []float32, []float32) (float32, error) { return v, nil }
		subject = s
	}
	if err != nil {
		fail("%v", err)
		return
	}
	if took := time.Since(start); took > time.Second {
		l.say(fmt.Sprintf("%s on %s: two runs took %.1f s", k.Name, r, took.Seconds()))
	}
	if differs && k.Claim.Repeats {
		fail("the second run has other bits than the first, and the claim says that results repeat")
	}
	op := props.OpSum
	if k.IsDot() {
		op = props.OpDot
	}
	// Looking at a schedule of so many leaves takes a second; only the laws that speak of it get it.
	bare := subject
	switch s := subject.(type) {
	case props.Reduction:
		s.Device.Schedule = nil
		bare = s
	case props.Dot:
		s.Device.Schedule = nil
		bare = s
	}
	for _, law := range judge.Laws() {
		if law.Op != op || unheld(law.ID) {
			continue
		}
		judged := bare
		if slices.Contains([]model.LawID{model.SumHeight, model.SumTree, model.DotHeight, model.DotTree}, law.ID) {
			judged = subject
		}
		l.work(func() {
			v, err := judge.Judge(law, judged, c)
			switch {
			case err != nil:
				fail("%v", err)
			case v.Outcome == props.Violated || v.Outcome == props.Broken:
				fail("%s", v)
			case v.Outcome == props.Holds:
				l.rec.on(k.Name, func(x *row) { x.judged(law.ID, 0, v.Ratio, r.Family) })
			}
		})
	}
	l.rec.on(k.Name, func(x *row) {
		x.Cases++
		if note := fmt.Sprintf("to %d leaves", r.N*max(r.Rows, 1)); x.Note == "" {
			x.Note = note
		}
	})
}

// remembered is schedule, which makes the tree of a kernel and size once.
func (l *large) remembered(name string, n int, schedule func(int, model.Launch) *sumtree.Tree) func(int, model.Launch) *sumtree.Tree {
	if schedule == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	key := fmt.Sprint(name, n)
	if f := l.trees[key]; f != nil {
		return f
	}
	var once sync.Once
	var tree *sumtree.Tree
	l.trees[key] = func(n int, at model.Launch) *sumtree.Tree {
		once.Do(func() { tree = schedule(n, at) })
		return tree
	}
	return l.trees[key]
}

// operandRows fills rows of operands: by turns of like size, cancelling, of wide exponents, and with few bits. Operands of several words are normalised.
func operandRows(rng *rand.Rand, op word.Op, src []float32) {
	operands := op.Operands()
	in := op.In()
	var before float32
	for at := 0; at < len(src); at += in {
		kind := at / in % 4
		k := at
		for i, n := range operands {
			v := float32(1 + rng.Float64())
			switch {
			case kind == 1 && i > 0 && rng.IntN(2) == 0:
				v = -before * float32(1+math.Ldexp(float64(rng.IntN(7)-3), -rng.IntN(24)))
			case kind == 2:
				v = float32(math.Ldexp(float64(v), rng.IntN(40)-20))
			case kind == 3:
				v = float32(rng.IntN(1<<rng.IntN(24) + 1))
			}
			if kind != 1 && rng.IntN(2) == 0 {
				v = -v
			}
			before = v
			for w := range n {
				src[k+w] = v
				tail := float32(math.Ldexp(float64(v), -24) * (2*rng.Float64() - 1))
				high := float32(v + tail)
				if w+1 < n {
					src[k+w] = high
					v = float32(tail - float32(high-v))
				}
			}
			k += n
		}
	}
}

func (l *large) operations() {
	together(shaders.Operations(), l.operation)
	var names []string
	for _, o := range shaders.Operations() {
		names = append(names, o.Name)
	}
	l.complete(names)
}

// operation judges one operation on words.
func (l *large) operation(o shaders.Operation) {
	if l.late(o.Name) {
		return
	}
	rows := 1 << l.log
	op := o.Claim.Op
	in, out := op.In(), op.Out()
	subject := builtin.Shader(o, l.dev).(props.Operation)
	src, dst := make([]float32, rows*in), make([]float32, rows*out)
	l.work(func() { operandRows(rand.New(rand.NewPCG(11, uint64(l.log))), op, src) })
	if err := subject.RunOn(props.Setting{Launch: model.Launch1D((rows+255)/256, 256)}, dst, src); err != nil {
		l.fail("%s: %v", o.Name, err)
		return
	}
	part := min(rows, 1<<17)
	var wait sync.WaitGroup
	for _, law := range judge.WordLaws() {
		if strings.HasPrefix(string(law.ID), "kernel.") || strings.HasPrefix(string(law.ID), "device.") || law.Calls != nil { // they ask for further runs
			continue
		}
		wait.Go(func() {
			judged, worst, why := 0, 0.0, ""
			var spent time.Duration
			bits := make([]uint64, part*in)
			parts := rows / part
			for i := 0; i < parts && spent < l.each; i++ {
				at := i * 37 % parts * part // all over the rows: parts is a power of two
				l.work(func() {
					start := time.Now()
					for k, v := range src[at*in : (at+part)*in] {
						bits[k] = uint64(math.Float32bits(v))
					}
					// What is judged is what the GPU gave for these rows.
					one := subject
					one.Device = props.DeviceClaim{}
					one.RunOn = func(_ props.Setting, got, _ []float32) error { copy(got, dst[at*out:]); return nil }
					rows := &corpus.Table{Batch: true}
					for row := range slices.Chunk(bits, in) {
						rows.Rows = append(rows.Rows, corpus.TableRow{Words: row})
					}
					v, err := judge.Judge(law, one, rows)
					switch {
					case err != nil:
						l.fail("%s: %v", o.Name, err)
						spent = l.each
					case v.Outcome == props.Violated || v.Outcome == props.Broken:
						l.fail("%s: rows from %d on: %s", o.Name, at, v)
						spent = l.each
					case v.Outcome == props.Vacuous:
						why = v.Reason
					default:
						judged += part
						worst = max(worst, v.Ratio)
					}
					spent += time.Since(start)
				})
				if judged == 0 && why != "" {
					break
				}
			}
			if judged > 0 {
				l.rec.on(o.Name, func(x *row) {
					x.Laws++
					x.Cases = max(x.Cases, judged)
					x.worst(string(law.ID), worst)
					x.cell(string(law.ID), fmt.Sprint(judged))
				})
			}
		})
	}
	wait.Wait()
}

// complete requires that something was judged of every shader.
func (l *large) complete(names []string) {
	for _, n := range names {
		l.rec.on(n, func(x *row) {
			if x.Laws == 0 || x.Cases == 0 {
				l.fail("%s: nothing was judged", n)
			}
		})
	}
}

// residueRows fills rows of operands of a claim, every eighth word at an end of its range.
func residueRows(rng *rand.Rand, c *modular.Claim, q uint64, src []uint64) {
	all := ^uint64(0) >> (64 - c.Bits)
	for at := 0; at < len(src); at += len(c.In) {
		for i, w := range c.In {
			if w.Shoup {
				hi, lo := src[at+i-1], uint64(0)
				if c.Bits < 64 {
					hi, lo = hi>>(64-c.Bits), hi<<c.Bits
				}
				src[at+i], _ = bits.Div64(hi, lo, q)
				continue
			}
			last := all
			if hi, lo := bits.Mul64(uint64(w.Range), q); w.Range > 0 && hi == 0 && lo-1 <= all {
				last = lo - 1
			}
			r := rng.Uint64()
			switch {
			case r%8 == 0:
				src[at+i] = []uint64{0, 1, q - 1, last, last - 1, last / 2}[r>>8%6]
			case last == ^uint64(0):
				src[at+i] = rng.Uint64()
			default:
				src[at+i] = rng.Uint64N(last + 1)
			}
		}
	}
}

func (l *large) residues() {
	var names []string
	for _, m := range shaders.Modulars() {
		names = append(names, m.Name)
	}
	together(shaders.Modulars(), l.residue)
	l.complete(names)
}

// residue judges one operation on residues.
func (l *large) residue(m shaders.Modular) {
	if l.late(m.Name) {
		return
	}
	rows := 1 << l.log
	c := &m.Claim
	r := shaders.NewRunner(l.dev)
	defer r.Release()
	in, out := len(c.In), len(c.Out)
	src, dst := make([]uint64, rows*in), make([]uint64, rows*out)
	for i, q := range []uint64{c.Moduli.MaxModulus(c.Bits) | 1, 12289} {
		n := rows >> i
		judge, err := oracle.NewResidues(c, q)
		if err != nil {
			l.fail("%s: %v", m.Name, err)
			return
		}
		l.work(func() { residueRows(rand.New(rand.NewPCG(q, 3)), c, q, src[:n*in]) })
		if err := m.Run(r, model.Launch1D((n+255)/256, 256), q, dst[:n*out], src[:n*in]); err != nil {
			l.fail("%s modulo %d: %v", m.Name, q, err)
			return
		}
		var wait sync.WaitGroup
		part := max(n/32, 1)
		for at := 0; at < n; at += part {
			wait.Go(func() {
				l.work(func() {
					var want []uint64
					for row := at; row < min(at+part, n); row++ {
						x, got := src[row*in:(row+1)*in], dst[row*out:(row+1)*out]
						var err error
						if want, err = judge.AppendRow(want[:0], x); err != nil {
							l.fail("%s modulo %d: row %d: %v", m.Name, q, row, err)
							return
						}
						for k, v := range got {
							if why := judge.InRange(k, v); why != nil || !judge.Congruent(k, v, want[k]) {
								l.fail("%s modulo %d: row %d, %d, gave %d, and %d is right: %v", m.Name, q, row, x, got, want, why)
								return
							}
						}
					}
					l.rec.on(m.Name, func(x *row) { x.Cases += min(part, n-at) })
				})
			})
		}
		wait.Wait()
		l.rec.on(m.Name, func(x *row) { x.Laws, x.Note = 2, "by division, every row: value and range" })
	}
}

func (l *large) transforms() {
	var names []string
	for _, k := range shaders.NTTs() {
		names = append(names, k.Name)
	}
	many := min(l.log, 16)
	if l.log < 16 {
		many = l.log / 2
	}
	together(shaders.NTTs(), func(k shaders.NTT) {
		if l.late(k.Name) {
			return
		}
		r := shaders.NewRunner(l.dev)
		defer r.Release()
		l.transform(r, k, 1<<many, 1<<(l.log-many))
		one := l.log
		if time.Since(l.rec.start) > 50*time.Second {
			one = min(one, 20) // the note says so
		}
		l.transform(r, k, 1<<one, 1)
	})
	l.complete(names)
}

// transform compares a batch, forward and back, with the oracle's, and a product.
func (l *large) transform(r *shaders.Runner, k shaders.NTT, n, batch int) {
	fail := func(format string, args ...any) {
		l.fail("%s, %d transforms of %d points: %s", k.Name, batch, n, fmt.Sprintf(format, args...))
	}
	c := &k.Claim
	below := c.Moduli.MaxModulus(c.Bits)
	q, ok := oracle.LargestPrime(below, 1<<max(l.log+1, 10))
	tr := modular.Transform{Modulus: q, N: n, Negacyclic: c.Negacyclic}
	root, err := oracle.RootOfUnity(tr.RootOrder(), q)
	if !ok || err != nil {
		fail("there is no prime: %v", err)
		return
	}
	tr.Root = root
	truth, err := oracle.NewTransform(tr)
	if err != nil {
		fail("%v", err)
		return
	}
	p, err := k.Plan(r, model.Launch1D(max((n/2+255)/256, 1), 256), tr)
	if err != nil {
		fail("%v", err)
		return
	}
	src, values, back := make([]uint64, n*batch), make([]uint64, n*batch), make([]uint64, n*batch)
	rng := rand.New(rand.NewPCG(uint64(n), uint64(batch)))
	for i := range src {
		src[i] = rng.Uint64N(q)
	}
	src[0], src[len(src)-1] = q-1, q-1
	if err := p.Forward(values, src); err != nil {
		fail("forward: %v", err)
		return
	}
	if err := p.Inverse(back, values); err != nil {
		fail("inverse: %v", err)
		return
	}
	within := func(v uint64, s modular.Side) bool {
		hi, lo := bits.Mul64(uint64(s.Range), q)
		return s.Range == 0 || hi > 0 || v < lo
	}
	var wait sync.WaitGroup
	part := max(batch/32, 1)
	for at := 0; at < batch; at += part {
		wait.Go(func() {
			l.work(func() {
				want := make([]uint64, n)
				for b := at; b < min(at+part, batch); b++ {
					x, got, again := src[b*n:(b+1)*n], values[b*n:(b+1)*n], back[b*n:(b+1)*n]
					truth.Forward(want, x)
					for i := range n {
						if v := got[c.Forward.Out.Order.Place(i, n)]; v%q != want[i] || !within(v, c.Forward.Out) {
							fail("forward: value %d of transform %d modulo %d is %d, and %d is right", i, b, q, v, want[i])
							return
						}
						// The forward values are right; so the inverse must give back what they are of.
						if v := again[c.Inverse.Out.Order.Place(i, n)]; v%q != x[i] || !within(v, c.Inverse.Out) {
							fail("inverse: coefficient %d of transform %d modulo %d is %d, and %d is right", i, b, q, v, x[i])
							return
						}
					}
				}
			})
		})
	}
	wait.Wait()
	if batch > 1 && p.Product != nil {
		a, b, got, fa, fb := src[:n], src[n:2*n], make([]uint64, n), make([]uint64, n), make([]uint64, n)
		if err := p.Product(got, a, b); err != nil {
			fail("product: %v", err)
			return
		}
		l.work(func() {
			truth.Forward(fa, a)
			truth.Forward(fb, b)
			for i := range fa {
				fa[i] = oracle.MulMod(fa[i], fb[i], q)
			}
			truth.Inverse(fa, fa)
			if !slices.Equal(fa, got) {
				fail("the product modulo %d is wrong", q)
			}
		})
	}
	l.rec.on(k.Name, func(x *row) {
		x.Laws, x.Cases, x.Note = 3, x.Cases+2*n*batch, fmt.Sprintf("every point both ways and a product, to %d points modulo %d", n, q)
	})
}

// TestLargeFinds: what judges large inputs finds faults of each kind.
func TestLargeFinds(t *testing.T) {
	dev := sim.New(sim.Options{NoChecks: true, Workers: 1, Steps: 1 << 22})
	defer dev.Release()
	l := newLarge(t, dev, 10, 9, 10*time.Millisecond)
	var mu sync.Mutex
	found := ""
	l.fail = func(format string, args ...any) {
		mu.Lock()
		found += fmt.Sprintf(format, args...) + "\n"
		mu.Unlock()
	}
	expect := func(name string, run func()) {
		found = ""
		run()
		require.Contains(t, found, name)
	}
	for _, m := range mutants.All() {
		for _, name := range []string{"tail_ignored", "from_right", "half_accumulator"} {
			if strings.Contains(m.Kernel.Name, "/"+name+".metal") {
				expect(m.Kernel.Name, func() {
					l.sum(&inputs{list: map[string]*input{}}, m.Kernel, props.Recipe{Family: "window", N: 1<<l.log + 1, Seed: 1})
				})
			}
		}
	}
	for _, name := range []string{"dd_not_normalised", "complex_conjugate", "fft_scale_reciprocal"} {
		for _, m := range mutants.Operations() {
			if strings.Contains(m.Operation.Name, "/"+name+".metal") {
				expect(m.Operation.Name, func() { l.operation(m.Operation) })
			}
		}
	}
	for _, m := range mutants.Modulars() {
		if !strings.Contains(m.Modular.Name, "no_guard") {
			expect(m.Modular.Name, func() { l.residue(m.Modular) })
		}
	}
	for _, name := range []string{"mod_carry_dropped", "ntt_not_reversed", "ntt_scale_missing"} {
		for _, m := range mutants.NTTs() {
			if strings.Contains(m.NTT.Name, "/"+name+".metal") {
				r := shaders.NewRunner(dev)
				expect(m.NTT.Name, func() { l.transform(r, m.NTT, 64, 4) })
				r.Release()
			}
		}
	}
}
