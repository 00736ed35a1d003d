package spectra

import (
	"fmt"
	"slices"

	"gamma/corpus"
	"gamma/model"
	"gamma/model/formula"
	"gamma/model/fourier"
	"gamma/props/internal/engine"
	"gamma/props/internal/verdict"
)

// FFT has the fields of judge.FFT, which says what they mean.
type FFT struct {
	Name  string
	Claim fourier.Claim

	Run       func(dst, src []complex64)
	Run64     func(dst, src []complex128)
	RunSplit  func(dstRe, dstIm, srcRe, srcIm []float32)
	RunReal   func(dst []complex64, src []float32)
	RunReal64 func(dst []complex128, src []float64)
	Plan      func(t fourier.Transform) (func(dst, src []complex64) error, error)
	Plan64    func(t fourier.Transform) (func(dst, src []complex128) error, error)
	Call      func(c *Call) error
	CallOn    func(at verdict.Setting, c *Call) error
	Device    engine.DeviceClaim

	Twiddles func(n int) []complex128
	Laws     []Law
}

// Judged checks the fields and names the one that is wrong.
func (f FFT) Judged(s engine.Settings) (engine.Judged, error) {
	set, err := engine.Chosen(f, "an FFT", "mykernel.FFT", "Run, Plan, Call, or for a device CallOn",
		"Run", "Run64", "RunSplit", "RunReal", "RunReal64", "Plan", "Plan64", "Call", "CallOn")
	if err != nil {
		return nil, err
	}
	d, err := f.Device.For("CallOn", set, "Claim.Flush says what a device may flush", "a transform")
	if err == nil {
		err = f.Claim.Check()
		if err != nil {
			err = fmt.Errorf(": %w", err)
		}
	}
	if err == nil {
		err = f.adopt(set)
	}
	if err == nil {
		err = engine.CheckOwn(f.Laws, laws, "fft.mine", familyByName)
	}
	if err != nil {
		return nil, fmt.Errorf("props: FFT %s%w", f.Name, err)
	}
	r := &run{f: f, claim: f.Claim.WithDefaults()}
	r.Lawful = engine.Lawful[*Trial, fourier.Claim]{BuiltIn: laws, Own: f.Laws, Says: func(l *Law) string {
		if l.ID == model.FFTTwiddle && f.Twiddles == nil {
			return "the subject shows no table: Twiddles is not set"
		}
		if l.ID == model.FFTRefuses && f.Plan == nil && f.Plan64 == nil && f.Call == nil {
			return fmt.Sprintf("the subject sets %s, which returns no error or runs on a device", set)
		}
		return l.AboutClaim(d, &r.claim)
	}}
	r.Session = engine.NewSession(s.For(f), f.Name, d, "discrete Fourier transform", "case", "a discrete Fourier transform")
	r.work = r.here()
	return engine.New(r), nil
}

// adopt sets what a function of the field called set says about the claim, and refuses what it contradicts.
func (f *FFT) adopt(set string) error {
	c := &f.Claim
	format := model.Binary32
	switch set {
	case "Run64", "RunReal64", "Plan64":
		format = model.Binary64
	case "Call", "CallOn":
		return nil
	}
	for _, n := range []*fourier.Number{&c.In, &c.Out} {
		if !n.IsZero() && (n.Format != format || n.Double()) {
			return fmt.Errorf(": it sets %s, of numbers of %s, and its claim has others; set Call", set, format)
		}
		*n = fourier.Number{Format: format}
	}
	real, split := set == "RunReal" || set == "RunReal64", set == "RunSplit"
	switch {
	case c.Batched || c.InPlace && set != "Plan" && set != "Plan64" && set != "Run" && set != "Run64":
		return fmt.Errorf(": it sets %s, and claims Batched or InPlace, which it cannot be; set Call", set)
	case c.Real != real && c.Real, c.Layout != fourier.Interleaved && !(split && c.Layout == fourier.Split):
		return fmt.Errorf(": it sets %s, and claims Real or a Layout, which it cannot have; set Call", set)
	}
	c.Real = real
	if split {
		c.Layout = fourier.Split
	}
	if set != "Plan" && set != "Plan64" {
		c.OneWay = true
		if real && c.Sign != fourier.Forward {
			return fmt.Errorf(": it sets %s, which is a forward transform, and claims another sign; leave Claim.Sign, or set Call", set)
		}
	}
	return c.Check()
}

// run is the kind of discrete Fourier transforms.
type run struct {
	engine.Bodies[*Trial, fourier.Claim, corpus.Arrays, *corpus.Arrays]
	f     FFT
	claim fourier.Claim
	work  work
}

func (r *run) Trial() engine.Trial[*Trial, fourier.Claim, *corpus.Arrays] { return &Trial{run: r} }

// Axes of an input.
const (
	axisRow = "row"
	axisN   = "n"
)

// sizesOf returns how many rows of how many points an input has.
func sizesOf(c *corpus.Arrays) (rows, n int) {
	rows, _ = c.Size(axisRow)
	n, _ = c.Size(axisN)
	return rows, n
}

func (r *run) Setting(c *corpus.Arrays) (at verdict.Setting, n int) {
	_, n = sizesOf(c)
	return r.At(c), n
}

// names returns the names of the arrays of an input: parts, and of double words their second words.
func (r *run) names() []string {
	if r.claim.In.Double() {
		return []string{"re", "im", "relo", "imlo"}
	}
	return []string{"re", "im"}
}

// blank returns an input of zeros.
func (r *run) blank(rows, n int) *corpus.Arrays {
	c := &corpus.Arrays{Axes: []corpus.Axis{{Name: axisRow, Size: rows}, {Name: axisN, Size: n}}}
	for _, name := range r.names() {
		c.Inputs = append(c.Inputs, corpus.Array{Name: name, Type: formula.Float(r.claim.In.Format), Axes: []string{axisRow, axisN}, Bits: make([]uint64, rows*n)})
	}
	return c
}

func (r *run) Accepts(l *Law, c *corpus.Arrays) error {
	rows, n := sizesOf(c)
	most := mostPoints
	if l != nil && related(l) {
		most = mostRelated
	}
	switch {
	case !r.takes(c):
		return fmt.Errorf("props: the arrays are not the inputs of %s, which are %v over axes row and n, of %s", r.Name, r.names(), r.claim.In.Format)
	case !r.claim.Has(n) || n > most:
		return fmt.Errorf("props: %s claims lengths that are %s, from %d to %d, where 0 is any, and not %d", r.Name, r.claim.Lengths, r.claim.MinN, r.claim.MaxN, n)
	case rows < 1 || rows > 1 && !r.claim.Batched:
		return fmt.Errorf("props: %s claims calls of one row, or of several if its claim says Batched, and not of %d", r.Name, rows)
	}
	for i := range c.Inputs {
		if len(c.Inputs[i].Bits) != rows*n {
			return fmt.Errorf("props: input %s for %s has %d elements, and its axes %d", c.Inputs[i].Name, r.Name, len(c.Inputs[i].Bits), rows*n)
		}
	}
	at, n := r.Setting(c)
	return r.Device.Runs("an input of "+r.Name, n, at)
}

// takes reports whether arrays are those that the transform takes.
func (r *run) takes(c *corpus.Arrays) bool {
	return slices.EqualFunc(c.Inputs, r.names(), func(a corpus.Array, name string) bool {
		return a.Name == name && a.Type == formula.Float(r.claim.In.Format) && slices.Equal(a.Axes, []string{axisRow, axisN})
	})
}

func (r *run) Owns(f *engine.CaseFile) bool {
	return r.Bodies.Owns(f) && r.takes(f.Body.(*corpus.Arrays))
}

// Record writes the seed, the sizes and the elements of an input.
func (r *run) Record(b []byte, c *corpus.Arrays) []byte {
	rows, n := sizesOf(c)
	if 8*rows*n*len(c.Inputs) > engine.RecordSize/2 {
		return nil
	}
	b = engine.AppendWords(b, c.Seed, uint64(rows), uint64(n))
	for i := range c.Inputs {
		b = engine.AppendWords(b, c.Inputs[i].Bits...)
	}
	return b
}

func (r *run) Recorded(text []byte) (*corpus.Arrays, error) {
	w, err := engine.CutWords(text, 3)
	if err != nil || w[1] > mostPoints || w[2] > mostPoints || len(w)-3 != int(w[1]*w[2])*len(r.names()) {
		return nil, engine.ErrCutOff
	}
	c := r.blank(int(w[1]), int(w[2]))
	c.Seed = w[0]
	for i, rest := range slices.Collect(slices.Chunk(w[3:], max(1, int(w[1]*w[2])))) {
		c.Inputs[i].Bits = rest
	}
	return c, nil
}
