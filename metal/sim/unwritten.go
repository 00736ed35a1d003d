package sim

import (
	"fmt"
	"slices"

	"gamma/metal/msl/ir"
	"gamma/model"
)

// hostCode stands for the kernel in findings about what the host does.
const hostCode = "host code"

// grain is how a kernel sees a buffer: elements of size bytes, the first at byte offset.
type grain struct{ offset, size, align int }

// maxGrains is how many ways to see a buffer are remembered.
const maxGrains = 16

// bound notes that a kernel may write to the memory from byte offset, as b says.
func (m *memory) bound(b *ir.Buffer, offset int) {
	g := grain{offset % b.Elem, b.Elem, b.Align}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.found != nil && m.Init != nil && !b.ReadOnly && b.Texture.Dimensions == 0 && len(m.grains) < maxGrains && !slices.Contains(m.grains, g) {
		m.grains = append(m.grains, g)
	}
}

// unwritten returns a finding if the host reads bytes from lo to hi and somebody should have written some of them. It names the first run of
// such bytes.
func (m *memory) unwritten(lo, hi int) model.Findings {
	if m.found == nil || m.Init == nil {
		return nil
	}
	missing := func(i int) bool { return m.Init[i] == 0 && !m.padding(i) }
	for lo < hi && !missing(lo) {
		lo++
	}
	if lo == hi {
		return nil
	}
	end := lo + 1
	for end < hi && missing(end) {
		end++
	}
	what, place, them := "buffer", fmt.Sprintf("bytes %d to %d", lo, end-1), "them: they hold"
	if m.texture.Dimensions > 0 {
		what = "texture"
		place, _ = m.texture.Place(int64(lo), m.Bytes)
		them = "it: it holds"
	}
	label := "a " + what + " without a label"
	if m.Name != "" {
		label = fmt.Sprintf("the %s labelled %q", what, m.Name)
	}
	return model.Findings{{
		Kind: model.FindingUninitialised, Kernel: hostCode, Buffer: m.Name, Index: -1,
		Text: fmt.Sprintf("the host reads %s of %s, and neither a kernel nor the host wrote %s anything", place, label, them),
	}}
}

// padding reports whether byte i, which nobody wrote, may belong to no member of the element that it is in. A kernel that writes an element
// leaves such bytes as they are, and host code that copies elements reads them. Where the alignment of an element is its size it is a scalar
// or a vector, and the last quarter of a vector of three is padding; else it is a structure or a matrix, of which each part that is not
// written may be padding if another part is written.
func (m *memory) padding(i int) bool {
	for _, g := range m.grains {
		if i < g.offset {
			continue
		}
		first := i - (i-g.offset)%g.size
		element := m.Init[first:min(first+g.size, len(m.Init))]
		if g.align != g.size {
			if slices.Contains(element, 1) {
				return true
			}
			continue
		}
		vector := element[:min(len(element), g.size/4*3)]
		if i-first >= g.size/4*3 && g.size >= 4 && !slices.Contains(vector, 0) {
			return true
		}
	}
	return false
}
