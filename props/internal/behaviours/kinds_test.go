package behaviours_test

import (
	"flag"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestKinds holds every kind of subject to the same behaviours: flags, faults, cases on file, reports, fuzz targets, devices.
//
// It knows the judge from outside alone: literals as users write them, and processes of this test binary, which a variable tells
// what to run. So it lies in a package of its own, where no test has to be compiled with it and nothing but public names can be used.
func TestKinds(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no shell here, and reports print commands for one: ", err)
	}
	p := &processes{root: t.TempDir(), once: map[spec]func() *outcome{}}
	t.Cleanup(func() {
		t.Logf("%d processes, %.1f s of CPU, %d cells differ", p.count.Load(), time.Duration(p.cpu.Load()).Seconds(), len(known))
	})
	rows := behaviours()
	cells := map[string]bool{}
	for _, b := range rows {
		for _, k := range kinds {
			cells[b.name+"/"+k.name] = true
		}
	}
	for key := range known {
		if !cells[key] {
			t.Errorf("%q is in the list of what differs, and is no cell", key)
		}
	}
	if f := flag.Lookup("test.run"); !strings.Contains(f.Value.String(), "/") { // of all rows: start first what waits most of its time
		for i := range kinds {
			go p.run(t, hangSpec(&kinds[i]))
			go (&cell{t: t, p: p, k: &kinds[i]}).run(hangs, hangArgs)
		}
	}
	for _, b := range rows {
		t.Run(b.name, func(t *testing.T) {
			for i := range kinds {
				k := &kinds[i]
				t.Run(k.name, func(t *testing.T) { p.cell(t, k, &b) })
			}
		})
	}
}

// cell holds one kind to one behaviour, or to differing from it as the list says.
func (p *processes) cell(t *testing.T, k *kind, b *behaviour) {
	key := b.name + "/" + k.name
	reason, differs := known[key]
	if why, ok := b.without[k.name]; ok {
		if differs {
			t.Errorf("%s is in the list of what differs, and does not apply: %s", key, why)
		}
		t.Skip(why)
	}
	t.Parallel()
	c := &cell{t: t, p: p, k: k}
	b.check(c)
	text := strings.Join(c.bad, "\n")
	switch {
	case differs && text == "":
		t.Errorf("it comes out right: remove %q from the list of what differs", key)
	case differs:
		t.Logf("it differs, as is known (%s):\n%s", reason, text)
	case text != "":
		t.Error(text)
	}
}
