package cuda_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
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
	"gamma/props"
	"gamma/props/builtin"
	"gamma/props/judge"
	"gamma/shaders/mutants"
)

var updateMatrix = flag.Bool("update-matrix", false, "rewrite testdata/kill-matrix-gpu.txt from the records in testdata/results")

// faulty is a mutant of any kind, as the GPU judges it.
type faulty struct {
	name     string
	kills    []model.LawID // as on the simulator
	shows    model.Behaviour
	transfor bool // it is a transform, whose sizes are drawn in a way of its own
	// judge lets every law of values look at it: for each that applies, how it came out.
	judge func(dev metal.Device, must, other int) map[model.LawID]string
}

// every returns every mutant.
func every() (list []faulty) {
	// mark says in a word how a law came out.
	mark := func(found bool, report string) string {
		switch {
		case !found:
			return "passes"
		case strings.Contains(report, "cuda: "): // of the driver, with its code; else the host code or the judge found it
			return "faults"
		}
		return "kills"
	}
	count := func(kills []model.LawID, id model.LawID, must, other int) int {
		if slices.Contains(kills, id) {
			return must
		}
		return other
	}
	for _, m := range mutants.All() {
		list = append(list, faulty{m.Kernel.Name, m.Kills, m.Shows.Behaviour, false, func(dev metal.Device, must, other int) map[model.LawID]string {
			marks := map[model.LawID]string{}
			for _, l := range judge.Laws() {
				if ofValues(l.ID) {
					c, judged, v, err := judge.Search(l, builtin.Shader(m.Kernel, dev), count(m.Kills, l.ID, must, other))
					if err != nil {
						marks[l.ID] = err.Error()
					} else if judged > 0 {
						marks[l.ID] = mark(c != nil, v.Reason)
					}
				}
			}
			return marks
		}})
	}
	for _, m := range mutants.Operations() {
		list = append(list, faulty{m.Operation.Name, m.Kills, m.Behaviour, false, func(dev metal.Device, must, other int) map[model.LawID]string {
			marks := map[model.LawID]string{}
			for _, l := range judge.WordLaws() {
				if ofValues(l.ID) {
					f, judged, err := judge.Find(l, builtin.Shader(m.Operation, dev).(props.Operation), 30*count(m.Kills, l.ID, must, other))
					found(marks, l.ID, f != nil, judged, err, func() string { return mark(true, f.Text()) })
				}
			}
			return marks
		}})
	}
	for _, m := range mutants.Modulars() {
		list = append(list, faulty{m.Modular.Name, m.Kills, model.Behaviour{}, false, func(dev metal.Device, must, other int) map[model.LawID]string {
			marks := map[model.LawID]string{}
			for _, l := range judge.ModularLaws() {
				if ofValues(l.ID) {
					f, judged, err := judge.Find(l, builtin.Shader(m.Modular, dev).(props.Modular), 30*count(m.Kills, l.ID, must, other))
					found(marks, l.ID, f != nil, judged, err, func() string { return mark(true, f.Text()) })
				}
			}
			return marks
		}})
	}
	for _, m := range mutants.NTTs() {
		list = append(list, faulty{m.NTT.Name, m.Kills, model.Behaviour{}, true, func(dev metal.Device, must, other int) map[model.LawID]string {
			marks := map[model.LawID]string{}
			n := builtin.Shader(m.NTT, dev).(props.NTT)
			n.Device.MaxN = max(16, 2*m.MinN)
			for _, l := range judge.NTTLaws() {
				if ofValues(l.ID) {
					// Nothing is reduced: a kernel that faults costs a child each time.
					_, judged, v, err := judge.Search(l, n, count(m.Kills, l.ID, must, other))
					fails := v.Outcome == props.Violated || v.Outcome == props.Broken
					found(marks, l.ID, fails, judged, err, func() string { return mark(true, v.Reason) })
				}
			}
			return marks
		}})
	}
	return list
}

// ofValues reports whether a law judges results, and needs neither checkers nor another device.
func ofValues(id model.LawID) bool {
	return id == model.DeviceRepeat || !strings.HasPrefix(string(id), "kernel.") && !strings.HasPrefix(string(id), "device.")
}

// found notes how a law that looks for rows came out.
func found(marks map[model.LawID]string, id model.LawID, hit bool, judged int, err error, mark func() string) {
	switch {
	case err != nil && strings.Contains(err.Error(), "says nothing about"):
	case err != nil:
		marks[id] = err.Error()
	case hit:
		marks[id] = mark()
	case judged > 0:
		marks[id] = "passes"
	}
}

// short is a mutant's name without its folder.
func (m *faulty) short() string {
	name, function, _ := strings.Cut(strings.TrimPrefix(m.name, "shaders/mutants/"), ".metal#")
	if m.transfor {
		return name + "#" + function
	}
	return name
}

// certain reports whether a GPU must show the fault to each of its laws: it lies in the values alone, and comes of no order, width or hardware.
func (m *faulty) certain() bool {
	return m.shows.Order == "" && m.shows.SIMDWidth == 0 && !slices.ContainsFunc(m.kills, func(id model.LawID) bool { return !ofValues(id) })
}

// why says why a mutant may survive on a GPU.
func (m *faulty) why() string {
	has := func(id model.LawID) bool { return slices.Contains(m.kills, id) }
	switch {
	case has(model.KernelRace):
		return "a race, which did not come out in the values that the laws saw; the simulator sees the accesses"
	case has(model.KernelBounds):
		return "what lies beyond the end is memory of the same process, and harmless here; the simulator sees the address"
	case has(model.KernelBarrier):
		return "not every thread reaches the barrier, and this GPU goes on all the same; the simulator sees who waits"
	case has(model.KernelInit):
		return "memory that nobody wrote held nothing that harms; the simulator knows that nobody did"
	case has(model.KernelIntegers):
		return "the GPU gives what Metal leaves undefined a harmless value; the simulator knows that it is undefined"
	case has(model.KernelAssert):
		return "what a kernel asserts is not looked at on a GPU, and the result does not depend on it; the simulator looks"
	case m.shows.SIMDWidth != 0:
		return fmt.Sprintf("the fault shows where a simdgroup has %d threads, and a warp has 32", m.shows.SIMDWidth)
	case has(model.KernelSchedule):
		return "the law of orders needs a device that can be told an order; TestCUDARepeat shows the results that it gives"
	case m.shows.Order != "":
		return "the claim is one order, and the GPU happens to add in that order"
	}
	return ""
}

// behaviour is what a GPU can be told of a behaviour.
func behaviour(b model.Behaviour) model.Behaviour {
	return model.Behaviour{Contract: b.Contract, Rewrites: b.Rewrites, Flush: b.Flush}
}

// judgeMutants lets every law of values look at every mutant, on devices that open gives, and records the marks.
func judgeMutants(t *testing.T, rec *record, workers, must, other int, open func(model.Behaviour) (metal.Device, error)) {
	all := every()
	next := make(chan *faulty)
	var wait sync.WaitGroup
	for range workers {
		wait.Go(func() {
			devices := map[model.Behaviour]metal.Device{}
			defer func() {
				for _, d := range devices {
					d.Release()
				}
			}()
			for m := range next {
				b := behaviour(m.shows)
				dev := devices[b]
				if dev == nil {
					var err error
					if dev, err = open(b); err != nil {
						t.Errorf("%s: %v", m.name, err)
						continue
					}
					devices[b] = dev
				}
				start := time.Now()
				marks := m.judge(dev, must, other)
				killed := 0
				for id, mark := range marks {
					if mark != "passes" && mark != "kills" && mark != "faults" {
						t.Errorf("%s, %s: %s", m.name, id, mark)
					}
					if mark != "passes" {
						killed++
					} else if m.certain() && slices.Contains(m.kills, id) {
						t.Errorf("%s passes %s, which must kill it", m.name, id)
					}
				}
				if killed == 0 && m.why() == "" {
					t.Errorf("%s: no law kills it, and nothing says why", m.name)
				}
				took := time.Since(start)
				rec.on(m.short(), func(x *row) {
					x.Laws = len(marks)
					for id, mark := range marks {
						if slices.Contains(m.kills, id) {
							mark = strings.ToUpper(mark)
						}
						x.cell(string(id), mark)
					}
					if killed == 0 {
						x.Note = m.why()
					}
					if took > 5*time.Second {
						t.Logf("%s took %s", m.name, took.Round(time.Second))
					}
				})
			}
		})
	}
	for i := range all {
		next <- &all[i]
	}
	close(next)
	wait.Wait()
	killed := 0
	for _, x := range rec.Rows {
		if x.Note == "" {
			killed++
		}
	}
	rec.note(t, fmt.Sprintf("%d mutants, of which laws of values kill %d; laws of findings are the simulator's", len(rec.Rows), killed))
}

// TestCUDAMutants lets every law of values look at every mutant, on the GPU. All run in children, since some never end and some write where they
// may not. The marks go to the record; kill-matrix-gpu.txt is made of it.
func TestCUDAMutants(t *testing.T) {
	first := open(t, cuda.Options{})
	rec := newRecord(t, first)
	first.Release()
	must, other := 200, 10
	if thorough() {
		must, other = 400, 30
	}
	judgeMutants(t, rec, 4, must, other, func(b model.Behaviour) (metal.Device, error) {
		return cuda.Open(cuda.Options{Behaviour: b, Isolate: true, Timeout: 2 * time.Second})
	})
	t.Logf("\n%s", matrix(rec))
}

// TestMutantsSimulated runs what TestCUDAMutants runs, on the simulator with its orders and checks off, where laws must find the faults that are
// certain.
func TestMutantsSimulated(t *testing.T) {
	if !thorough() {
		t.Skip("it takes a minute: GAMMA_LEVEL=thorough runs it")
	}
	dev := sim.New(sim.Options{NoChecks: true, Workers: 1, Steps: 1 << 20})
	defer dev.Release()
	rec := newRecord(t, dev)
	judgeMutants(t, rec, 2, 600, 2, func(b model.Behaviour) (metal.Device, error) {
		return plainDevice{sim.New(sim.Options{NoChecks: true, Workers: 1, Steps: 1 << 20, Behaviour: b})}, nil
	})
	t.Logf("\n%s", matrix(rec))
}

// plainDevice hides that a device is the simulator.
type plainDevice struct{ metal.Device }

// matrix is a record of mutants as a table: a line a mutant, and the laws that look at it.
func matrix(r *record) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s; %s; %s\n", r.Card, r.Driver, r.Date)
	b.WriteString("# kills: the law finds the fault; faults: the kernel ran into an error; in capitals: of laws that find it on the simulator by construction\n")
	for _, x := range r.Rows {
		fmt.Fprintf(&b, "%-28s", x.Shader)
		var laws []string
		for id := range x.Cells {
			laws = append(laws, id)
		}
		slices.Sort(laws)
		for _, id := range laws {
			fmt.Fprintf(&b, " %s:%s", x.Cells[id], id)
		}
		if x.Note != "" {
			fmt.Fprintf(&b, "\n    survives: %s", x.Note)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestMatrixFile holds kill-matrix-gpu.txt to the records that are kept.
func TestMatrixFile(t *testing.T) {
	files, err := filepath.Glob("testdata/results/*/gpu-TestCUDAMutants.json")
	require.NoError(t, err)
	var b strings.Builder
	for _, f := range files {
		r, err := readRecord(f)
		require.NoError(t, err)
		b.WriteString(matrix(r))
		require.False(t, r.Failed, f)
		known := map[string]bool{}
		for _, m := range every() {
			known[m.short()] = true
		}
		for _, x := range r.Rows {
			require.True(t, known[x.Shader], "%s is no mutant any more: run TestCUDAMutants again", x.Shader)
			delete(known, x.Shader)
		}
		if len(known) > 0 {
			t.Logf("%s: not run there: %v", f, known)
		}
	}
	const file = "testdata/kill-matrix-gpu.txt"
	if *updateMatrix {
		require.NoError(t, corpus.WriteFile(file, []byte(b.String())))
		return
	}
	want, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) && len(files) == 0 {
		t.Skip("no record of a GPU is kept yet")
	}
	require.NoError(t, err, "run with -update-matrix to write it")
	require.Equal(t, string(want), b.String(), "the records have changed; look at them, then run with -update-matrix")
}

// readRecord reads a record that is kept.
func readRecord(file string) (*record, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	r := &record{}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(r); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return r, nil
}
