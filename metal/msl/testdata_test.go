package msl_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/internal/reference"
	"gamma/metal/msl"
	"gamma/metal/msl/ir"
	"gamma/model"
)

// A shader of testdata says in comments what its kernels give:
//
//	// run NAME groups=X,Y,Z threads=X,Y,Z width=W #constant=type:value,… INDEX=type[values]… tINDEX=bytes -> INDEX=type[values]…
//
// type*n is n zeros; width is that of a simdgroup. xINDEX=W,H,D,L:C:F:type[values] is a texture of that size, depth and layers, whose format has C channels and
// holds what ir.TexelFormat F does, with four values a texel; as a result it is xINDEX=type[values]. sINDEX=word is a sampler.
// rINDEX=type[values] is a buffer with an address, which is written in others as type addr: addr[INDEX] or, of byte 8, addr[INDEX+8].
type runLine struct {
	file, name      string
	line            int
	groups, threads model.Size3
	width           int
	constants       metal.FunctionConstants
	in, want        map[int][]byte
	group           map[int]int
}

func (r *runLine) String() string { return fmt.Sprintf("%s:%d: %s", r.file, r.line, r.name) }

var runPattern = regexp.MustCompile(`^\s*// run (.*)$`)

func runLines(t *testing.T, file string, text string) []*runLine {
	t.Helper()
	var rs []*runLine
	for i, s := range strings.Split(text, "\n") {
		m := runPattern.FindStringSubmatch(s)
		if m == nil {
			continue
		}
		r, err := parseRun(m[1])
		require.NoError(t, err, "%s:%d", file, i+1)
		r.file, r.line = file, i+1
		rs = append(rs, r)
	}
	return rs
}

// words splits at blanks outside brackets.
func words(s string) []string {
	var out []string
	depth, from := 0, 0
	for i, c := range s + " " {
		switch {
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == ' ' && depth == 0:
			if i > from {
				out = append(out, s[from:i])
			}
			from = i + 1
		}
	}
	return out
}

func parseRun(s string) (*runLine, error) {
	r := &runLine{
		groups: model.Size3{X: 1, Y: 1, Z: 1}, threads: model.Size3{X: 1, Y: 1, Z: 1},
		constants: metal.FunctionConstants{}, in: map[int][]byte{}, want: map[int][]byte{}, group: map[int]int{},
	}
	results := false
	for i, w := range words(s) {
		key, val, _ := strings.Cut(w, "=")
		var err error
		switch {
		case i == 0:
			r.name = w
		case w == "->":
			results = true
		case key == "groups":
			r.groups, err = size3(val)
		case key == "threads":
			r.threads, err = size3(val)
		case key == "width":
			r.width, err = strconv.Atoi(val)
		case key[0] == '#':
			err = r.constant(key[1:], val)
		case key[0] == 'r':
			var index int
			var b []byte
			if index, err = strconv.Atoi(key[1:]); err == nil {
				b, err = data(val)
			}
			if results {
				r.want[resourceSlots+index] = b
			} else {
				r.in[resourceSlots+index] = b
			}
		case key[0] == 'x' || key[0] == 's':
			err = r.resource(key, val, results)
		case key[0] == 't':
			var n, index int
			if index, err = strconv.Atoi(key[1:]); err == nil {
				n, err = strconv.Atoi(val)
			}
			r.group[index] = n
		default:
			var index int
			var b []byte
			if index, err = strconv.Atoi(key); err == nil {
				b, err = data(val)
			}
			if results {
				r.want[index] = b
			} else {
				r.in[index] = b
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%q: %w", w, err)
		}
	}
	if len(r.want) == 0 {
		return nil, fmt.Errorf("no results")
	}
	return r, nil
}

// What is bound at indices of textures and of samplers is noted from these indices on.
const (
	textureSlots = 1000
	samplerSlots = 2000
	// and of resources
	resourceSlots = 3000
)

// slot is where runLine notes what is bound for a buffer.
func slot(b ir.Buffer) int {
	switch {
	case b.Texture.Dimensions > 0:
		return textureSlots + b.Index
	case b.Sampler:
		return samplerSlots + b.Index
	case b.Resource:
		return resourceSlots + b.Index
	}
	return b.Index
}

// resource reads a texture or a sampler.
func (r *runLine) resource(key, val string, result bool) error {
	index, err := strconv.Atoi(key[1:])
	if err != nil {
		return err
	}
	if key[0] == 's' {
		word, err := strconv.ParseUint(val, 0, 32)
		r.in[samplerSlots+index] = binary.LittleEndian.AppendUint32(nil, uint32(word))
		return err
	}
	if result {
		r.want[textureSlots+index], err = data(val)
		return err
	}
	parts := strings.SplitN(val, ":", 4)
	if len(parts) != 4 {
		return fmt.Errorf("no texture")
	}
	header := []byte{}
	for _, s := range append(strings.Split(parts[0], ","), parts[1], parts[2]) {
		n, err := strconv.ParseUint(s, 10, 32)
		if err != nil {
			return err
		}
		header = binary.LittleEndian.AppendUint32(header, uint32(n))
	}
	texels, err := data(parts[3])
	r.in[textureSlots+index] = append(append(header, make([]byte, ir.TextureHeader-len(header))...), texels...)
	return err
}

func size3(s string) (model.Size3, error) {
	v := [3]int{1, 1, 1}
	for i, f := range strings.Split(s, ",") {
		n, err := strconv.Atoi(f)
		if err != nil {
			return model.Size3{}, err
		}
		v[i] = n
	}
	return model.Size3{X: v[0], Y: v[1], Z: v[2]}, nil
}

var kinds = map[string]ir.Type{
	"bool": ir.Bool, "char": ir.I8, "uchar": ir.U8, "short": ir.I16, "ushort": ir.U16, "int": ir.I32, "uint": ir.U32,
	"long": ir.I64, "ulong": ir.U64, "half": ir.F16, "bfloat": ir.BF16, "float": ir.F32,
}

var segment = regexp.MustCompile(`^([a-z]+)(?:\*(\d+)|\[([^\]]*)\])`)

// data reads type[values] and type*n, one after the other.
func data(s string) ([]byte, error) {
	b := []byte{}
	for s != "" {
		m := segment.FindStringSubmatch(s)
		k, ok := kinds[first(m)]
		if first(m) == "addr" && m[2] == "" {
			s = s[len(m[0]):]
			for _, f := range strings.Fields(m[3]) {
				index, off, _ := strings.Cut(f+"+0", "+")
				i, err := strconv.Atoi(index)
				n, err2 := strconv.Atoi(strings.TrimSuffix(off, "+0"))
				if err = errors.Join(err, err2); err != nil {
					return nil, err
				}
				b = binary.LittleEndian.AppendUint64(b, ir.ResourceAddress(i, int64(n)))
			}
			continue
		}
		if m == nil || !ok {
			return nil, fmt.Errorf("no type[values] or type*n at %q", s)
		}
		s = s[len(m[0]):]
		if m[2] != "" {
			n, err := strconv.Atoi(m[2])
			if err != nil {
				return nil, err
			}
			b = append(b, make([]byte, n*k.Size())...)
			continue
		}
		for _, f := range strings.Fields(m[3]) {
			bits, err := number(k, f)
			if err != nil {
				return nil, err
			}
			b = append(b, binary.LittleEndian.AppendUint64(nil, bits)[:k.Size()]...)
		}
	}
	return b, nil
}

func first(m []string) string {
	if m == nil {
		return ""
	}
	return m[1]
}

func number(k ir.Type, s string) (uint64, error) {
	if k.IsFloat() {
		if strings.HasPrefix(strings.TrimPrefix(s, "-"), "0x") && !strings.Contains(s, "p") {
			return strconv.ParseUint(s, 0, 64)
		}
		x, err := strconv.ParseFloat(s, 64)
		bits := ir.ArithOf(model.Behaviour{}).Narrow(k, x)
		if err == nil && math.Float64bits(ir.Widen(k, bits)) != math.Float64bits(x) {
			return 0, fmt.Errorf("%s is no %s", s, k)
		}
		return bits, err
	}
	if n, err := strconv.ParseInt(s, 0, 64); err == nil {
		return uint64(n) & k.Mask(), nil
	}
	return strconv.ParseUint(s, 0, 64)
}

func (r *runLine) constant(key, val string) error {
	name, text, _ := strings.Cut(val, ":")
	var elems []any
	for f := range strings.SplitSeq(text, ",") {
		x, err := constantOf(name, f)
		if err != nil {
			return err
		}
		elems = append(elems, x)
	}
	v := elems[0]
	if n := len(elems); n > 1 {
		array := reflect.New(reflect.ArrayOf(n, reflect.TypeOf(v))).Elem()
		for i, x := range elems {
			array.Index(i).Set(reflect.ValueOf(x))
		}
		v = array.Interface()
	}
	if n, err := strconv.Atoi(key); err == nil {
		r.constants[n] = v
	} else {
		r.constants[key] = v
	}
	return nil
}

// constantOf returns a scalar for the host to set.
func constantOf(name, text string) (any, error) {
	bits, err := number(kinds[name], text)
	switch name {
	case "bool":
		return bits != 0, err
	case "int":
		return int32(bits), err
	case "uint":
		return uint32(bits), err
	case "ushort":
		return uint16(bits), err
	case "float":
		return math.Float32frombits(uint32(bits)), err
	case "half":
		return metal.Half(bits), err
	}
	return nil, fmt.Errorf("no constants of type %q here", name)
}

// args binds copies of the buffers to k's.
func (r *runLine) args(k *ir.Kernel) [][]byte {
	bufs := map[int][]byte{}
	for i, b := range r.in {
		bufs[i] = append([]byte{}, b...)
	}
	args := make([][]byte, len(k.Buffers))
	for i, b := range k.Buffers {
		if b.Space == ir.Threadgroup {
			args[i] = make([]byte, r.group[b.Index])
		} else {
			args[i] = bufs[slot(b)]
		}
	}
	return args
}

func (r *runLine) check(t *testing.T, k *ir.Kernel, args [][]byte) {
	t.Helper()
	seen := 0
	for i, b := range k.Buffers {
		want, ok := r.want[slot(b)]
		if !ok || b.Space == ir.Threadgroup {
			continue
		}
		seen++
		got := args[i]
		if b.Texture.Dimensions > 0 {
			got = got[ir.TextureHeader:]
		}
		require.Equal(t, show(want), show(got), "buffer %d of %s\n%s", b.Index, r, k)
	}
	require.GreaterOrEqual(t, seen, len(r.want), "%s: results that no buffer has", r)
}

// show prints bytes so that words of 2, 4 and 8 bytes are easy to find.
func show(b []byte) string {
	var s strings.Builder
	for i, x := range b {
		if i%4 == 0 && i > 0 {
			s.WriteByte(' ')
		}
		fmt.Fprintf(&s, "%02x", x)
	}
	return s.String()
}

func shaders(t testing.TB) map[string]string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.metal")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	m := map[string]string{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		m[f] = string(text)
	}
	return m
}

func TestShadersGiveWhatTheirCommentsSay(t *testing.T) {
	for file, text := range shaders(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".metal"), func(t *testing.T) {
			lib, err := msl.Compile(text, msl.Options{FileName: file})
			require.NoError(t, err)
			ran := map[string]bool{}
			for _, r := range runLines(t, file, text) {
				ran[r.name] = true
				t.Run(r.name, func(t *testing.T) {
					k, err := lib.Kernel(r.name, r.constants)
					require.NoError(t, err)
					args := r.args(k)
					require.NoError(t, reference.Run(k, reference.Launch{Groups: r.groups, Threads: r.threads, Args: args, Width: r.width}), "%s", k)
					r.check(t, k, args)
				})
			}
			for _, f := range lib.Functions() {
				require.True(t, ran[f.Name], "%s: kernel %s is never run", f.Pos, f.Name)
			}
		})
	}
}
