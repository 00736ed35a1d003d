package syntax

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/internal/msl/preprocess"
	"gamma/metal/internal/msl/token"
)

// parse runs the preprocessor and the parser.
func parse(t testing.TB, name, src string) (*File, token.List) {
	tokens, errs := preprocess.Run(src, preprocess.Options{FileName: name})
	require.NoError(t, errs.Err())
	return Parse(tokens)
}

// parseClean requires no errors.
func parseClean(t testing.TB, src string) *File {
	t.Helper()
	f, errs := parse(t, "x.metal", src)
	require.NoError(t, errs.Err())
	return f
}

// dump writes a tree as one s-expression, without places and empty fields.
func dump(x any) string {
	var s strings.Builder
	dumpTo(&s, reflect.ValueOf(x))
	return s.String()
}

func dumpTo(s *strings.Builder, v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			s.WriteString("nil")
			return
		}
		if n, ok := v.Interface().(*Name); ok {
			dumpName(s, n)
			return
		}
		dumpTo(s, v.Elem())
	case reflect.Slice:
		s.WriteByte('[')
		for i := range v.Len() {
			if i > 0 {
				s.WriteByte(' ')
			}
			dumpTo(s, v.Index(i))
		}
		s.WriteByte(']')
	case reflect.Struct:
		switch x := v.Interface().(type) {
		case TemplateArg:
			if x.Type != nil {
				dumpTo(s, reflect.ValueOf(x.Type))
			} else {
				dumpTo(s, reflect.ValueOf(x.X))
			}
			if x.Pack {
				s.WriteString("...")
			}
			return
		case Ident:
			dumpName(s, x.Name)
			return
		case Literal:
			s.WriteString(x.Text)
			return
		case NameType:
			if x.Name != nil && !x.Typename && x.Quals == (Quals{}) {
				s.WriteByte('\'')
				dumpName(s, x.Name)
				return
			}
		}
		s.WriteString("(" + v.Type().Name())
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			f := v.Field(i)
			if f.IsZero() || f.Kind() == reflect.Slice && f.Len() == 0 || f.Type() == reflect.TypeFor[Pos]() {
				continue
			}
			s.WriteString(" " + name + "=")
			dumpTo(s, f)
		}
		s.WriteByte(')')
	default:
		fmt.Fprintf(s, "%v", v.Interface())
	}
}

func dumpName(s *strings.Builder, n *Name) {
	if n.Global {
		s.WriteString("::")
	}
	for i, p := range n.Parts {
		if i > 0 {
			s.WriteString("::")
		}
		if p.Template {
			s.WriteString("template ")
		}
		s.WriteString(p.Ident)
		if p.HasArgs {
			s.WriteByte('<')
			for j, a := range p.Args {
				if j > 0 {
					s.WriteByte(',')
				}
				dumpTo(s, reflect.ValueOf(a))
			}
			s.WriteByte('>')
		}
	}
}

var expected = regexp.MustCompile(`// ### (.*)$`)

// TestFiles parses testdata/*.metal. Each comment // ### regexp names an error of its line, and no
// other line has one.
func TestFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/*.metal")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			src, err := os.ReadFile(name)
			require.NoError(t, err)
			want := map[int]*regexp.Regexp{}
			for i, line := range strings.Split(string(src), "\n") {
				if m := expected.FindStringSubmatch(line); m != nil {
					want[i+1] = regexp.MustCompile(m[1])
				}
			}
			_, errs := parse(t, filepath.Base(name), string(src))
			for _, e := range errs {
				if re := want[e.Pos.Line]; re == nil {
					t.Errorf("unexpected: %v", e)
				} else if !re.MatchString(e.Error()) {
					t.Errorf("line %d: want %q, got: %v", e.Pos.Line, re, e)
				}
			}
			for _, e := range errs {
				delete(want, e.Pos.Line)
			}
			for line, re := range want {
				t.Errorf("line %d: no error like %q", line, re)
			}
		})
	}
}
