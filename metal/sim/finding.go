package sim

import (
	"fmt"
	"slices"
	"sync"

	"gamma/metal/sim/engine"
	"gamma/model"
)

// MaxFindings is the number of findings that a Device or a command buffer keeps.
const MaxFindings = 1024

// ledger collects findings.
type ledger struct {
	mu    sync.Mutex
	found []model.Finding
}

func (l *ledger) add(f []model.Finding) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.found = append(l.found, f[:min(len(f), MaxFindings-len(l.found))]...)
}

func (l *ledger) list() []model.Finding {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.found)
}

func (l *ledger) reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.found = nil
}

// addLabels adds to the findings of a dispatch the labels of the buffers that they are about.
func addLabels(found []model.Finding, d *engine.Dispatch) {
	for i := range found {
		f := &found[i]
		for j, b := range d.Kernel.Buffers {
			if m := d.Args[j].Mem; m != nil && m.Name != "" && b.Name == f.Buffer {
				what := "buffer"
				if b.Texture.Dimensions > 0 {
					what = "texture"
				}
				f.Text += fmt.Sprintf(" (%s is the %s labelled %q)", b.Name, what, m.Name)
				break
			}
		}
	}
}
