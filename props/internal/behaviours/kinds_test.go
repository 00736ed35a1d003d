package behaviours_test

import (
	"strings"
	"testing"
	"time"
)

// TestKinds holds every kind of subject to the same behaviours: flags, faults, cases on file, reports, fuzz targets, devices.
//
// It knows the judge from outside alone: literals as users write them, and processes of this test binary, which a variable tells
// what to run. So it lies in a package of its own, where no test has to be compiled with it and nothing but public names can be used.
func TestKinds(t *testing.T) {
	p := &processes{root: t.TempDir(), once: map[spec]func() *outcome{}}
	t.Cleanup(func() {
		t.Logf("%d processes, %.1f s of CPU, %d cells differ", p.count.Load(), time.Duration(p.cpu.Load()).Seconds(), len(known))
	})
	for i := range kinds { // they wait, most of the time
		go p.run(t, hangSpec(&kinds[i]))
		go (&cell{t: t, p: p, k: &kinds[i]}).run(hangs, hangArgs)
	}
	seen := map[string]bool{}
	for _, b := range behaviours() {
		t.Run(b.name, func(t *testing.T) {
			for i := range kinds {
				k := &kinds[i]
				t.Run(k.name, func(t *testing.T) {
					key := b.name + "/" + k.name
					reason, differs := known[key]
					seen[key] = true
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
				})
			}
		})
	}
	for key := range known {
		if !seen[key] {
			t.Errorf("%q is in the list of what differs, and is no cell", key)
		}
	}
}
