package corpus

import (
	"bytes"
	"errors"
	"strings"
)

// MaxBefore is how many calls a file lists at most before its own.
const MaxBefore = 64

// beforeKey begins each line of a call that comes before: what follows is a line of a case file.
const beforeKey = "before"

// inner is the text of a case file inside of another, and where its lines stand there.
type inner struct {
	text bytes.Buffer
	at   []place
}

// before reads a line of a call that comes before.
func (p *parser) before(line string, at place) error {
	if strings.HasPrefix(line, "gamma ") {
		if len(p.calls) == MaxBefore {
			return p.fail(at, "there are more than %d calls before the file's own", MaxBefore)
		}
		p.calls = append(p.calls, &inner{})
	}
	if len(p.calls) == 0 {
		return p.fail(at, "%s begins with the first line of a case file, such as %q", beforeKey, kinds[0].header+version)
	}
	c := p.calls[len(p.calls)-1]
	c.text.WriteString(line + "\n")
	c.at = append(c.at, at)
	return nil
}

// readBefore reads the calls that come before.
func (p *parser) readBefore() error {
	for _, c := range p.calls {
		b, err := parse(c.text.Bytes(), kinds, p.o)
		if err == nil {
			err = checkBefore(b, &p.h)
		}
		if e := (*Error)(nil); errors.As(err, &e) {
			at := c.at[min(e.Pos.Line, len(c.at))-1]
			return p.fail(place{at.line, at.col + e.Pos.Column - 1}, "%s: %w", beforeKey, e.Err)
		} else if err != nil {
			return p.fail(c.at[0], "%s: %w", beforeKey, err)
		}
		p.h.Before = append(p.h.Before, b)
	}
	return nil
}

// checkBefore says why a call cannot come before that of a file with the header h.
func checkBefore(b Body, h *Header) error {
	switch own := b.Head(); {
	case own.Kernel != h.Kernel:
		return errors.New("the call is of " + quote(own.Kernel) + ", and the file of " + quote(h.Kernel) + "; all are of one kernel")
	case len(own.Before) > 0:
		return errors.New("a call that comes before lists none itself; list all of them in the file")
	}
	return nil
}

// writeBefore writes the calls that come before: all of each, or what counts in the file's name.
func writeBefore(out *bytes.Buffer, h *Header, all bool) error {
	if len(h.Before) > MaxBefore {
		return errors.New("it lists too many calls before its own")
	}
	for _, b := range h.Before {
		if err := checkBefore(b, h); err != nil {
			return err
		}
		var text bytes.Buffer
		if all {
			whole, err := Format(b, Options{})
			if err != nil {
				return err
			}
			text.Write(whole)
		} else {
			own, e := b.Head(), b.codec(Options{})
			text.WriteString(e.kind().header + version + "\n")
			if err := writeKeys(&text, e, &own, false, true); err != nil {
				return err
			}
		}
		for line := range strings.SplitSeq(strings.TrimSuffix(text.String(), "\n"), "\n") {
			out.WriteString(beforeKey + " " + line + "\n")
		}
	}
	return nil
}
