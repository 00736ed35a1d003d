package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"gamma/metal"
	"gamma/metal/msl"
	"gamma/metal/sim"
	"gamma/model"
	"gamma/model/formula"
	"gamma/props"
	"gamma/props/device"
	"gamma/props/internal/devices"
	"gamma/props/judge"
)

// steps bounds a kernel that does not end.
const steps = 1 << 26

// checks are the columns of the table: a law, and of what it finds what counts.
var checks = []struct {
	name   string
	law    model.LawID
	counts func(f model.Finding, kernel string) bool
}{
	{"race", model.KernelRace, nil},
	{"bounds", model.KernelBounds, nil},
	{"init", model.KernelInit, func(f model.Finding, kernel string) bool { return f.Kernel == kernel }},
	{"unwritten", model.KernelInit, func(f model.Finding, kernel string) bool { return f.Kernel != kernel }}, // host code reads it
	{"barrier", model.KernelBarrier, nil},
	{"integers", model.KernelIntegers, nil},
	{"asserts", model.KernelAssert, nil},
	{"order", model.KernelSchedule, nil},
	{"repeat", "formula.pure", nil},
}

// kernel is one kernel that is checked.
type kernel struct {
	*options
	file, text, name string
	fields           map[string][]msl.Field
	dev              *sim.Device
	library          metal.Library
	compiled         *msl.Library
	source           metal.CompileOptions
	piece            *piece

	params  []param
	n       int
	threads model.Size3
	grid    []devices.Extent // nil: n threads, along each axis of the plane
	plane   int              // axes along which threads ask for their position in the grid, 1 if nothing is to be assumed of more
	sizes   []int            // that are tried of n
	fixed   metal.FunctionConstants
	assumed []string // function constants that nobody gave
	flat    bool     // the grid is not to be one of more dimensions than one
	one     string   // the number that is 1 instead of n
	apart   bool     // elements of arrays of integers differ
	notes   []string // what was found with the first guesses, where others are taken
	shared  bool     // it has threadgroup memory
	largest int      // threads that a threadgroup may have
	outside bool     // the last run had an access outside of what is no parameter
	unsafe  bool     // or a race, a barrier that not all reach, or a read of threadgroup memory before it was written
	inside  bool     // and one of these was about threadgroup memory, or barriers

	subject  props.Kernel
	found    model.Findings // of the runs since it was cleared
	broke    error          // the last run that failed for another reason
	steps    int64          // of the last run
	wrote    int            // elements of results that the last run changed
	deadline time.Time
	settled  time.Time            // when sizes have to be found
	results  map[[2]uint64]uint64 // hashes of what runs gave, by input and parameter
	differ   []string             // results of which two runs on one input gave others
}

// errTime is the result of runs after the deadline.
var errTime = errors.New("the time is up")

// check checks the kernel. One that cannot be had, or be bound as it is asked for, is refused.
func (k *kernel) check() *record {
	r := &record{File: k.file, Kernel: k.name, Checks: map[string]string{}, Why: map[string]string{}, Sizes: map[string]string{}}
	r.Again = fmt.Sprintf("gamma check %s -kernel %s%s", quoted(k.file), k.name, k.again)
	if k.piece != nil {
		r.Again = "gamma check -mlx " + quoted(k.file) + k.again
	}
	k.fix()
	if err := k.open(); err != nil {
		r.Refused = firstLine(err)
		return r
	}
	end := time.Now().Add(k.limit)
	k.settled = time.Now().Add(k.limit / 2)
	if err := k.settle(); err != nil {
		r.Refused = "its sizes, or a launch with which nothing is wrong, were not found in the time that -time gives: say them by -buffer, -scalar and -threads, or say a smaller -n"
		return r
	}
	for i, c := range checks {
		k.deadline = time.Now().Add(time.Until(end) / time.Duration(len(checks)-i))
		if k.judge(r, c.name, c.law, c.counts); len(r.Findings) > 0 && k.flat {
			break // such a guess is of use only if nothing is found
		}
	}
	k.describe(r)
	return r
}

// open makes the subject, and says how the kernel is launched.
func (k *kernel) open() error {
	f, err := k.library.NewFunction(k.name, k.fixed)
	if err != nil {
		return err
	}
	pipeline, err := k.dev.NewComputePipelineState(f)
	if err != nil {
		return err
	}
	if k.params, err = k.parameters(f.Arguments()); err != nil {
		return err
	}
	k.shared = k.shared || pipeline.StaticThreadgroupMemoryLength() > 0
	k.largest = pipeline.MaxTotalThreadsPerThreadgroup()
	for _, word := range strings.Fields(k.options.grid) {
		e, err := devices.ReadExtent(word, k.names())
		if err != nil {
			return fmt.Errorf("-grid: %w", err)
		}
		k.grid = append(k.grid, e)
	}
	k.sizes = tried
	if n := k.axes["n"]; n > 0 {
		k.sizes = []int{n}
	}
	k.n, k.plane = k.sizes[0], 1
	if k.threads = k.launch; k.threads == (model.Size3{}) {
		k.threads = model.Size3{X: min(64, k.n, k.largest), Y: 1, Z: 1}
		if k.shared {
			k.threads.X = min(256, k.largest)
		}
		for _, p := range k.params {
			switch {
			case p.Texture == metal.Texture2D && k.largest >= 256:
				k.threads = model.Size3{X: 16, Y: 16, Z: 1}
			case p.Texture >= metal.Texture2DArray && p.Texture <= metal.Texture3D && k.largest >= 256:
				k.threads = model.Size3{X: 8, Y: 8, Z: 4}
			}
		}
	}
	k.spread()
	if n := k.threads.X * k.threads.Y * k.threads.Z; n > k.largest {
		return fmt.Errorf("-threads asks for %d threads in a threadgroup, and the kernel takes %d", n, k.largest)
	}
	if !slices.ContainsFunc(k.params, param.result) {
		return errors.New("it writes no array")
	}
	p, err := device.Props(device.Kernel{
		Name: k.file + "#" + k.name, Source: k.text, Function: k.name, Constants: k.fixed, Options: k.source, Device: k.dev, Library: k.library,
		Widths: []int{32}, MaxN: 1 << 16, Threads: []model.Size3{k.threads}, Host: k.host,
		Inputs: []*formula.Expr{formula.Input("draw", formula.Uint(32), "n")},
		Bytes: func(func(string) int) (n int) {
			for i := range k.params {
				if k.params[i].result() {
					n += 8 // its hash
				}
			}
			return n
		},
	})
	if err != nil {
		return err
	}
	call := p.CallOn
	p.CallOn = func(at props.Setting, c *props.KernelCall) error {
		if time.Now().After(k.deadline) {
			k.broke = errTime
			return errTime
		}
		before := k.dev.Steps()
		err := call(at, c)
		k.steps = k.dev.Steps() - before
		var found model.Findings
		if errors.As(err, &found) {
			k.found = append(k.found, found...)
		} else if err != nil {
			k.broke = err
		}
		return err
	}
	k.subject = p
	return nil
}

// size returns the size of an axis.
func (k *kernel) size(axis string) int {
	if axis == "n" {
		return k.n
	}
	return k.axes[axis]
}

// group returns the threads of a threadgroup.
func (k *kernel) group() int { return k.threads.X * k.threads.Y * k.threads.Z }

// search looks for what violates a law, in so many runs.
func (k *kernel) search(l judge.KernelLaw, runs int) (judged int, v judge.Verdict, err error) {
	k.found, k.broke, k.differ, k.results = nil, nil, nil, map[[2]uint64]uint64{}
	k.subject.Fixed = map[string]int{"n": k.n}
	_, judged, v, err = judge.Search(l, k.subject, runs)
	return judged, v, err
}

// judge judges the kernel by a law.
func (k *kernel) judge(r *record, name string, id model.LawID, counts func(model.Finding, string) bool) {
	l, err := judge.LawByID(judge.FormulaLaws(), id)
	if all := l.Found; counts != nil {
		l.Found = func(found []model.Finding) judge.Verdict {
			return all(slices.DeleteFunc(slices.Clone(found), func(f model.Finding) bool { return f.Kind != model.FindingSteps && !counts(f, k.name) }))
		}
	}
	none := func(why string) { r.Checks[name], r.Why[name] = "-", why }
	if name == "unwritten" && !slices.ContainsFunc(k.params, func(p param) bool { return p.result() && p.size != nil && !p.filled }) {
		if none("nobody said how large a result is: say it by -buffer"); !slices.ContainsFunc(k.params, func(p param) bool { return p.result() && p.array() }) {
			none("its results are textures, whose size is a guess")
		}
		return
	}
	var judged int
	var v judge.Verdict
	if err == nil {
		judged, v, err = k.search(l, k.cases)
	}
	switch {
	case errors.Is(k.broke, errTime):
		none(fmt.Sprintf("the time was up after %d of %d runs, which found nothing: see -time", judged, k.cases))
	case err != nil:
		none(err.Error())
	case v.Outcome == judge.Violated:
		r.Checks[name] = "FOUND"
		if v.Witness == nil || len(v.Witness.Findings) == 0 {
			text := map[model.LawID]string{model.KernelSchedule: "another order of threads", "formula.pure": "another call"}[id]
			r.add(finding{Check: name, Text: fmt.Sprintf("%s: %s gives other bits for the same input", strings.Join(k.differ, ", "), text)})
			return
		}
		for _, f := range v.Witness.Findings {
			r.add(finding{Check: name, At: f.Pos.String(), Other: other(f), Text: f.Text})
		}
	case v.Outcome == judge.Holds:
		r.Checks[name] = "ok"
	default:
		none(v.Reason)
	}
}

// other returns the place of the other access of a race.
func other(f model.Finding) string {
	if f.Other == f.Pos {
		return ""
	}
	return f.Other.String()
}

// host binds, dispatches and reads.
func (k *kernel) host(r *device.Run, c *props.KernelCall) error {
	var args []any
	seed := fnv.New64a()
	_ = binary.Write(seed, binary.LittleEndian, c.Array("draw"))
	buffers, before := make([]metal.Buffer, len(k.params)), make([][]byte, len(k.params))
	textures := make([]metal.Texture, len(k.params))
	var groups, others []any
	for i := range slices.Backward(k.params) { // what pointers lead to comes after the parameters
		p := &k.params[i]
		h := fnv.New64a()
		h.Write([]byte(p.Name))
		if p.Sampler {
			others = append(others, device.SamplerAt{Index: p.Index})
			continue
		}
		n := k.count(p) * k.copied(i)
		data := make([]byte, max(n*max(p.ElementSize, 1), 1))
		if p.Threadgroup {
			for len(groups) <= p.Index {
				groups = append(groups, device.Threadgroup(16))
			}
			groups[p.Index] = device.Threadgroup(len(data))
			continue
		}
		k.fill(p, data, rand.New(rand.NewPCG(seed.Sum64(), h.Sum64())))
		if err := k.point(r, p, data, buffers); err != nil {
			return err
		}
		if p.texture() {
			var err error
			if textures[i], err = r.Texture(p.Name, k.described(p), data); err != nil {
				return err
			}
			others = append(others, device.TextureAt{Index: p.Index, Texture: textures[i]})
			continue
		}
		for len(args) <= p.Index {
			args = append(args, nil)
		}
		if !p.array() && len(data) <= metal.MaxSetBytes {
			args[p.Index] = data
			continue
		}
		var err error
		if p.result() && !p.filled {
			buffers[i], err = r.Empty(p.Name, len(data))
		} else {
			buffers[i], err = r.Buffer(p.Name, data)
			before[i] = data
		}
		if err != nil {
			return err
		}
		if !p.reached {
			args[p.Index] = buffers[i]
		}
	}
	if err := k.dispatch(r, slices.Concat(args, groups, others)); err != nil {
		return err
	}
	to, at := c.Uint8("dst"), 0
	k.wrote = 0
	for i := range k.params {
		if p := &k.params[i]; p.result() {
			data := make([]byte, k.count(p)*p.copies*p.ElementSize)
			read := func() error { return r.Read(buffers[i], data) }
			if p.texture() {
				read = func() error { return r.ReadTexture(textures[i], data) }
			}
			if err := read(); err != nil {
				return err
			}
			for e := 0; before[i] != nil && e < len(data); e += p.ElementSize {
				if !bytes.Equal(before[i][e:e+p.ElementSize], data[e:e+p.ElementSize]) {
					p.changed = true
					k.wrote++
				}
			}
			h := fnv.New64a()
			h.Write(data)
			binary.LittleEndian.PutUint64(to[8*at:], h.Sum64())
			key := [2]uint64{seed.Sum64(), uint64(i)}
			if old, ok := k.results[key]; ok && old != h.Sum64() && !slices.Contains(k.differ, p.Name) {
				k.differ = append(k.differ, p.Name)
			}
			k.results[key] = h.Sum64()
			at++
		}
	}
	return nil
}

// copied returns how many copies there are of what parameter i is: one, but of what is written by pointers in an array of structures one for each of these, so
// that threads with a structure each do not write to the same.
func (k *kernel) copied(i int) int {
	p := &k.params[i]
	if p.copies = 1; p.reached && !p.ReadOnly {
		for j := range k.params {
			if slices.ContainsFunc(k.params[j].pointees, func(to pointee) bool { return to.param == i }) {
				p.copies = k.count(&k.params[j])
			}
		}
	}
	return p.copies
}

// dispatch launches the grid.
func (k *kernel) dispatch(r *device.Run, args []any) error {
	if k.piece != nil && k.piece.Grid != nil {
		return r.DispatchThreads(k.name, k.piece.size(k.piece.Grid), k.threads, args...)
	}
	return r.Dispatch(k.name, k.geometry(), args...)
}

// threadsOfGrid returns the threads of the grid.
func (k *kernel) threadsOfGrid() model.Size3 {
	if k.piece != nil && k.piece.Grid != nil {
		return k.piece.size(k.piece.Grid)
	}
	l := k.geometry()
	return model.Size3{X: l.Groups.X * l.Threads.X, Y: l.Groups.Y * l.Threads.Y, Z: l.Groups.Z * l.Threads.Z}
}

// geometry is the launch in threadgroups.
func (k *kernel) geometry() model.Launch {
	l := model.Launch{Groups: model.Size3{X: (k.n + k.threads.X - 1) / k.threads.X, Y: 1, Z: 1}, Threads: k.threads}
	if k.shared {
		l.Groups.X = 1
	}
	if k.plane > 1 {
		rows := min(k.n, max(16, mostThreads/k.n))
		l.Groups.Y = (rows + k.threads.Y - 1) / k.threads.Y
	}
	if k.plane > 2 {
		l.Groups.Z = (min(k.n, 8) + k.threads.Z - 1) / k.threads.Z
	}
	for i, e := range k.grid {
		*[...]*int{&l.Groups.X, &l.Groups.Y, &l.Groups.Z}[min(i, 2)] = e.Of(k.size, k.group())
	}
	return l
}
