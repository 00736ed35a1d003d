package token

import (
	"fmt"
	"strings"
)

// Error is one diagnostic of the front end.
type Error struct {
	Pos Pos
	Msg string // what is wrong, and what would fix it
	// Feature names a part of the language that is not supported; "" if the source is wrong.
	Feature string
	Warning bool
}

// Error returns "file:line:column: error: …".
func (e *Error) Error() string {
	kind := "error"
	if e.Warning {
		kind = "warning"
	}
	if e.Feature != "" {
		return fmt.Sprintf("%s: %s: not supported: %s", e.Pos, kind, e.Msg)
	}
	return fmt.Sprintf("%s: %s: %s", e.Pos, kind, e.Msg)
}

// MaxErrors is the number of errors after which the front end gives up.
const MaxErrors = 20

// List is the diagnostics of one compilation, in the order in which they were found.
type List []*Error

// Add appends an error and reports whether more are welcome.
func (l *List) Add(pos Pos, format string, args ...any) bool {
	*l = append(*l, &Error{Pos: pos, Msg: fmt.Sprintf(format, args...)})
	return l.Errors() < MaxErrors
}

// Unsupported appends the refusal of a feature, named by words such as "virtual functions".
func (l *List) Unsupported(pos Pos, feature, format string, args ...any) bool {
	*l = append(*l, &Error{Pos: pos, Feature: feature, Msg: fmt.Sprintf(format, args...)})
	return l.Errors() < MaxErrors
}

// Warn appends a warning.
func (l *List) Warn(pos Pos, format string, args ...any) {
	*l = append(*l, &Error{Pos: pos, Warning: true, Msg: fmt.Sprintf(format, args...)})
}

// Errors counts the diagnostics that are no warnings.
func (l List) Errors() int {
	n := 0
	for _, e := range l {
		if !e.Warning {
			n++
		}
	}
	return n
}

// Error returns the diagnostics, one a line.
func (l List) Error() string {
	var s strings.Builder
	for i, e := range l {
		if i > 0 {
			s.WriteByte('\n')
		}
		s.WriteString(e.Error())
	}
	return s.String()
}

// Err returns l if it holds an error, and nil otherwise.
func (l List) Err() error {
	if l.Errors() == 0 {
		return nil
	}
	return l
}
