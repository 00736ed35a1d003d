package engine

import (
	"fmt"
	"reflect"
)

// Subject is a kernel with its claim, of any kind: a Reduction, a Dot, an Operation, a Modular, an NTT.
type Subject interface {
	Judged(set Settings) (Judged, error)
}

// Chosen returns the name of the one function that a subject sets: those that it can set are fields of it. It is an error if the subject has no
// Name, of which example is one, or sets none or several; kind names the subject with its article, and choices the functions.
func Chosen(subject any, kind, example, choices string, fields ...string) (set string, err error) {
	v := reflect.ValueOf(subject)
	name, noun := v.FieldByName("Name").String(), v.Type().Name()
	if name == "" {
		return "", fmt.Errorf("props: %s has no Name; give it one such as %q, reports and case files need it", kind, example)
	}
	for _, f := range fields {
		switch {
		case v.FieldByName(f).IsNil():
		case set != "":
			return "", fmt.Errorf("props: %s %s sets both %s and %s; set exactly one", noun, name, set, f)
		default:
			set = f
		}
	}
	if set == "" {
		return "", fmt.Errorf("props: %s %s sets no Run function; set %s", noun, name, choices)
	}
	return set, nil
}
