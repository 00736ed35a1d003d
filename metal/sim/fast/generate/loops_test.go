// Package generate writes loops_gen.go of package fast. It imports nothing of it, so that it can run while that does not compile.
package generate

import (
	"bytes"
	_ "embed"
	"flag"
	"fmt"
	"go/format"
	"os"
	"regexp"
	"strings"
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
	Words   bool // there is a loop over words in memory
}

// Sum is the result of float operands, which rounds once and is not a canonical NaN yet.
func (c computed) Sum() string {
	if !strings.HasPrefix(c.Result, "bits32(float32(") {
		return ""
	}
	return float.ReplaceAllString(strings.TrimSuffix(strings.TrimPrefix(c.Result, "bits32("), ")"), "$1[i]")
}

// SumAt is Sum of element i.
func (c computed) SumAt(i int) string {
	return strings.ReplaceAll(c.Sum(), "[i]", fmt.Sprintf("[%d]", i))
}

var float = regexp.MustCompile(`f32\(([ab])\)`)

var table = []computed{
	{"Add", `(a + b) & m`, false, true},
	{"Add64", `a + b`, false, false},
	{"Sub", `(a - b) & m`, true, true},
	{"Sub64", `a - b`, true, false},
	{"Mul", `(a * b) & m`, false, true},
	{"Mul64", `a * b`, false, false},
	{"And", `a & b`, false, true},
	{"Or", `a | b`, false, true},
	{"Xor", `a ^ b`, false, true},
	{"Shl", `a << (b & n & 63) & m`, true, false},
	{"ShrU", `a >> (b & n & 63)`, true, false},
	{"ShrS", `uint64(int64(a<<(s&63))>>(s&63)>>(b&n&63)) & m`, true, false},
	{"MulHi32", `a * b >> 32`, false, false},
	{"MulHi64", `high(a, b)`, false, false},
	{"Eq", `truth(a == b)`, false, false},
	{"Ne", `truth(a != b)`, false, false},
	{"LtU", `truth(a < b)`, true, false},
	{"LeU", `truth(a <= b)`, true, false},
	{"LtS", `truth(int64(a<<(s&63)) < int64(b<<(s&63)))`, true, false},
	{"LeS", `truth(int64(a<<(s&63)) <= int64(b<<(s&63)))`, true, false},
	{"MinU", `min(a, b)`, false, false},
	{"MaxU", `max(a, b)`, false, false},
	{"MinS", `uint64(min(int64(a<<(s&63)), int64(b<<(s&63)))) >> (s & 63)`, false, false},
	{"MaxS", `uint64(max(int64(a<<(s&63)), int64(b<<(s&63)))) >> (s & 63)`, false, false},
	{"AddF", `bits32(float32(f32(a) + f32(b)))`, true, true},
	{"SubF", `bits32(float32(f32(a) - f32(b)))`, true, true},
	{"MulF", `bits32(float32(f32(a) * f32(b)))`, true, true},
	{"DivF", `bits32(float32(f32(a) / f32(b)))`, true, true},
	{"EqF", `truth(f32(a) == f32(b))`, false, false},
	{"NeF", `truth(f32(a) != f32(b))`, false, false},
	{"LtF", `truth(f32(a) < f32(b))`, true, false},
	{"LeF", `truth(f32(a) <= f32(b))`, true, false},
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

// OfWords is the expression over words.
func (c computed) OfWords() string {
	return operand.ReplaceAllString(c.Result, "uint64($0[i])")
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
