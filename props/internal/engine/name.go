package engine

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync"

	"gamma/corpus"
	"gamma/model"
)

// For returns the settings for a subject, which is a literal such as a Reduction.
func (s Settings) For(literal any) Settings {
	s.literal = literal
	return s
}

// Named makes a subject ready, and refuses one whose name, or the ID of one of whose laws, cannot stand in a case file: its cases could
// neither be saved nor replayed.
func Named(set Settings, make Opener) (Judged, error) {
	j, err := make(set)
	if err != nil {
		return nil, err
	}
	name := j.Base().Name
	for i, law := range append([]model.LawID{model.SumEnclosure}, j.IDs()...) {
		c := corpus.Case{X: corpus.Float32s(nil)}
		c.Law, c.Kernel = law, "k"
		if i == 0 { // the name, with the ID of a law that can
			c.Kernel = name
		}
		if i > 0 {
			if _, known := written.Load(law); known {
				continue
			}
		}
		if _, err := corpus.Format(&c, corpus.Options{}); err == nil {
			written.Store(law, true)
		} else {
			_, why, _ := strings.Cut(err.Error(), "cannot be written: ")
			return nil, fmt.Errorf("props: no case of %q could be saved or replayed: %s; give it another, such as %q", name, why, [...]string{"mykernel.Sum", "sum.mine"}[min(i, 1)])
		}
	}
	return j, nil
}

// written holds the IDs of laws that can stand in a case file: each is tried once, not once for each subject.
var written sync.Map

// named holds the subjects of this process's tests, by name and device.
var named struct {
	sync.Mutex
	of map[[3]string]namesake
}

type namesake struct{ identity, test string }

// Unique says that another test of this process judges another subject of the same name on the same device, in the same format: reports, files and summaries
// would not tell one from the other. Nil: none does, or it is the same subject.
func (s *Session) Unique(test string) error {
	if s.Set.literal == nil || s.Set.Again != "" {
		return nil
	}
	key, own := [3]string{s.Name, s.Device.where(), s.Format}, namesake{identityOf(s.Set.literal), test}
	named.Lock()
	defer named.Unlock()
	if named.of == nil {
		named.of = map[[3]string]namesake{}
	}
	other, taken := named.of[key]
	if !taken {
		named.of[key] = own
	} else if other.identity != own.identity {
		return fmt.Errorf("props: %s and %s judge two subjects, which are both called %q: cases on file and summaries would not tell one from the other. "+
			"Give one of them another Name", other.test, test, s.Name)
	}
	return nil
}

// identityOf tells the literals of subjects apart, by where their functions are written and by what they claim. Closures of one function
// literal, and claims of one kernel on several devices, are taken for the same.
func identityOf(literal any) string {
	var b strings.Builder
	v := reflect.ValueOf(literal)
	b.WriteString(v.Type().String())
	onDevice := false
	for i := range v.NumField() {
		onDevice = onDevice || v.Field(i).Type() == reflect.TypeFor[DeviceClaim]() && !v.Field(i).IsZero()
	}
	for i := range v.NumField() {
		if f := v.Field(i); !onDevice || f.Kind() == reflect.Func {
			b.WriteByte(' ')
			identify(&b, f, 0)
		}
	}
	return b.String()
}

func identify(b *strings.Builder, v reflect.Value, depth int) {
	const deep, most = 8, 64
	switch v.Kind() {
	case reflect.Func:
		if f := runtime.FuncForPC(v.Pointer()); f != nil { // a literal that is inlined has code in several places
			file, line := f.FileLine(f.Entry())
			if strings.HasPrefix(file, "<") { // a method's value
				file = f.Name()
			}
			fmt.Fprintf(b, "%s:%d", file, line)
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() && depth < deep {
			identify(b, v.Elem(), depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			b.WriteByte(',')
			if depth < deep {
				identify(b, v.Field(i), depth+1)
			}
		}
	case reflect.Slice, reflect.Array:
		fmt.Fprintf(b, "[%d]", v.Len())
		for i := range min(v.Len(), most) {
			b.WriteByte(',')
			identify(b, v.Index(i), depth+1)
		}
	case reflect.Map, reflect.Chan, reflect.UnsafePointer:
	default:
		fmt.Fprint(b, v)
	}
}
