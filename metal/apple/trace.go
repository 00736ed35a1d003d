package apple

import (
	"fmt"
	"io"
	"strings"
)

// tracer writes each message down before it is sent, so that a crash can be laid to one.
type tracer struct {
	native
	w     io.Writer
	names map[selector]string
}

func newTracer(n native, w io.Writer) *tracer {
	return &tracer{native: n, w: w, names: map[selector]string{}}
}

func (t *tracer) register(name string) selector {
	s := t.native.register(name)
	t.names[s] = name
	return s
}

func (t *tracer) send(m call) result {
	var b strings.Builder
	fmt.Fprintf(&b, "send %#x %s %s", uintptr(m.to), t.names[m.sel], m.sig)
	for i := range m.args {
		switch a := &m.args[i]; a.kind {
		case cSEL:
			b.WriteString(" " + t.names[selector(a.word)])
		case cSize:
			fmt.Fprintf(&b, " {%d %d %d}", a.size.Width, a.size.Height, a.size.Depth)
		case cString, cBytes, cError:
			b.WriteString(" " + a.kind.String())
		default:
			fmt.Fprintf(&b, " %#x", a.word)
		}
	}
	b.WriteByte('\n')
	_, _ = io.WriteString(t.w, b.String())
	return t.native.send(m)
}
