package check

import (
	"fmt"

	"gamma/metal/internal/msl/token"
)

// The checker leaves a declaration or statement that is wrong by a panic with a stop, which attempt or guard
// takes up; no other panic is meant.

// panicPrelude is a mistake in the library's own text.
const panicPrelude = "check: the library's classes do not parse: %v"

// stop carries a diagnostic to the attempt around.
type stop struct {
	err *token.Error
	// hard: no other candidate can fix it, so attempts for overloads let it pass.
	hard bool
}

// enough ends the whole check.
type enough struct{}

func (c *checker) fail(pos Pos, format string, args ...any) {
	panic(stop{err: &token.Error{Pos: pos, Msg: fmt.Sprintf(format, args...)}})
}

// failHard is fail for bounds of the checker and the like.
func (c *checker) failHard(pos Pos, format string, args ...any) {
	panic(stop{err: &token.Error{Pos: pos, Msg: fmt.Sprintf(format, args...)}, hard: true})
}

// refuse leaves with a feature that is not supported.
func (c *checker) refuse(pos Pos, feature, fix string) {
	msg := feature
	if fix != "" {
		msg += "; " + fix
	}
	panic(stop{err: &token.Error{Pos: pos, Feature: feature, Msg: msg}, hard: true})
}

// again leaves with an error that was caught before.
func again(err *token.Error) { panic(stop{err: err, hard: true}) }

// attempt runs f and returns the error that it stopped with. Hard stops pass.
func (c *checker) attempt(f func()) (err *token.Error) {
	old := c.state
	defer func() {
		if r := recover(); r != nil {
			s, ok := r.(stop)
			if !ok || s.hard {
				panic(r)
			}
			c.state = old
			err = s.err
		}
	}()
	f()
	return nil
}

// guard runs f and reports the error that it stopped with.
func (c *checker) guard(f func()) (ok bool) {
	old := c.state
	defer func() {
		if r := recover(); r != nil {
			s, is := r.(stop)
			if !is {
				panic(r)
			}
			c.state = old
			c.report(s.err)
		}
	}()
	f()
	return true
}
