package formula

import (
	"fmt"
	"io"
	"strings"
)

// WriteText draws e in about maxLines lines at most: each operation above its operands, with its type and axes; one whose operands are
// names and constants as a call on one line. What the text of e (Print) names is drawn where it is first met, and called by its name
// elsewhere. Operations that do not fit are counted.
func (e *Expr) WriteText(w io.Writer, maxLines int) error {
	if err := e.Err(); err != nil {
		_, err = fmt.Fprintln(w, err)
		return err
	}
	d := &drawing{writer: newWriter(e), room: maxLines, drawn: map[*Expr]bool{}}
	d.node(e, "", "")
	if d.left > 0 {
		fmt.Fprintf(&d.b, "… %s\n", counted(d.left, "more operand"))
	}
	_, err := io.WriteString(w, d.b.String())
	return err
}

// drawing is a tree as it grows.
type drawing struct {
	*writer
	b     strings.Builder
	room  int // lines
	left  int // operands for which there was no room
	drawn map[*Expr]bool
}

// atom reports whether e takes no lines of its own below it.
func (d *drawing) atom(e *Expr) bool { return len(e.node.Args) == 0 || d.drawn[e] }

// node draws e after a prefix and a branch.
func (d *drawing) node(e *Expr, prefix, branch string) {
	if d.room < 1 {
		d.left++
		return
	}
	d.room--
	d.b.WriteString(prefix + branch)
	if d.atom(e) {
		d.term(&d.b, e)
		d.b.WriteByte('\n')
		return
	}
	if name, ok := d.names[e]; ok {
		d.drawn[e] = true
		d.b.WriteString(name + " = ")
	}
	row := true
	for _, a := range e.node.Args {
		row = row && d.atom(a)
	}
	if row {
		d.call(&d.b, e)
		d.b.WriteString(": " + shape(e) + "\n")
		return
	}
	label := append([]string{e.node.Op.String()}, strings.Join(words(e.node), ", "))
	if o := options(e.node); len(o) > 0 {
		label[1] += "; " + strings.Join(o, " ")
	}
	d.b.WriteString(strings.TrimSpace(strings.Join(label, " ")) + ": " + shape(e) + "\n")
	switch branch {
	case "├─ ":
		prefix += "│  "
	case "└─ ":
		prefix += "   "
	}
	for i, a := range e.node.Args {
		if i < len(e.node.Args)-1 {
			d.node(a, prefix, "├─ ")
		} else {
			d.node(a, prefix, "└─ ")
		}
	}
}
