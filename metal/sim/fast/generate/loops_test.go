// Package generate writes loops_gen.go of package fast. It imports nothing of it, so that it can run while that does not compile.
package generate

import (
	"bytes"
	_ "embed"
	"flag"
	"go/format"
	"os"
	"regexp"
	"testing"
	"text/template"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write ../loops_gen.go anew")

//go:embed loops.tmpl
var loopsText string

// computed is a row of the table of operations of two operands.
type computed struct {
	Name string
	// Result is the expression of a result from the operands a and b. m is the mask of the type, s 64 less its bits, and n one less than them.
	Result  string
	Ordered bool // there is a loop with one first operand: the two may not be exchanged
}

var table = []computed{
	{"Add", `(a + b) & m`, false},
	{"Add64", `a + b`, false},
	{"Sub", `(a - b) & m`, true},
	{"Sub64", `a - b`, true},
	{"Mul", `(a * b) & m`, false},
	{"Mul64", `a * b`, false},
	{"And", `a & b`, false},
	{"Or", `a | b`, false},
	{"Xor", `a ^ b`, false},
	{"Shl", `a << (b & n & 63) & m`, true},
	{"ShrU", `a >> (b & n & 63)`, true},
	{"ShrS", `uint64(int64(a<<(s&63))>>(s&63)>>(b&n&63)) & m`, true},
	{"MulHi32", `a * b >> 32`, false},
	{"MulHi64", `high(a, b)`, false},
	{"Eq", `truth(a == b)`, false},
	{"Ne", `truth(a != b)`, false},
	{"LtU", `truth(a < b)`, true},
	{"LeU", `truth(a <= b)`, true},
	{"LtS", `truth(int64(a<<(s&63)) < int64(b<<(s&63)))`, true},
	{"LeS", `truth(int64(a<<(s&63)) <= int64(b<<(s&63)))`, true},
	{"MinU", `min(a, b)`, false},
	{"MaxU", `max(a, b)`, false},
	{"MinS", `uint64(min(int64(a<<(s&63)), int64(b<<(s&63)))) >> (s & 63)`, false},
	{"MaxS", `uint64(max(int64(a<<(s&63)), int64(b<<(s&63)))) >> (s & 63)`, false},
	{"AddF", `bits32(float32(f32(a) + f32(b)))`, true},
	{"SubF", `bits32(float32(f32(a) - f32(b)))`, true},
	{"MulF", `bits32(float32(f32(a) * f32(b)))`, true},
	{"DivF", `bits32(float32(f32(a) / f32(b)))`, true},
	{"EqF", `truth(f32(a) == f32(b))`, false},
	{"NeF", `truth(f32(a) != f32(b))`, false},
	{"LtF", `truth(f32(a) < f32(b))`, true},
	{"LeF", `truth(f32(a) <= f32(b))`, true},
}

// form is one loop of an operation: which operands there is one of for all lanes.
type form struct {
	computed
	Suffix     string
	OneA, OneB bool
}

// The template asks these.

func (c computed) Forms() []form {
	list := []form{{computed: c}, {computed: c, Suffix: "S", OneB: true}}
	if c.Ordered {
		list = append(list, form{computed: c, Suffix: "R", OneA: true})
	}
	return list
}

func (c computed) Uses(name string) bool {
	return regexp.MustCompile(`\b` + name + `\b`).MatchString(c.Result)
}

func (f form) Expression() string {
	return operand.ReplaceAllStringFunc(f.Result, func(name string) string {
		if name == "a" && f.OneA || name == "b" && f.OneB {
			return name + "0"
		}
		return name + "[i]"
	})
}

var operand = regexp.MustCompile(`\b[ab]\b`)

// TestLoops holds loops_gen.go to the table: with -update it writes it.
func TestLoops(t *testing.T) {
	const file = "../loops_gen.go"
	var b bytes.Buffer
	require.NoError(t, template.Must(template.New("loops").Parse(loopsText)).Execute(&b, table))
	want, err := format.Source(b.Bytes())
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile(file, want, 0o666))
	}
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "run go test ./metal/sim/fast/generate -update")
}
