package check_test

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/internal/msl/check"
	"gamma/metal/internal/msl/lower"
	"gamma/metal/internal/msl/preprocess"
	"gamma/metal/internal/msl/syntax"
	"gamma/metal/internal/reference"
	"gamma/metal/msl/ir"
	"gamma/model"
)

var want = regexp.MustCompile(`out\[(\d+)\] = .*// = (\S+)`)

// TestRun runs the kernels of testdata/run: what they store to out stands in a comment after each store.
func TestRun(t *testing.T) {
	files, err := filepath.Glob("testdata/run/*.metal")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		src, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, part := range strings.Split(string(src), "// ------\n") {
			first, _, _ := strings.Cut(part, "\n")
			t.Run(filepath.Base(name)+first, func(t *testing.T) { runSource(t, name, part) })
		}
	}
}

// runSource runs the kernel k of a source with one thread and compares what it stores.
func runSource(t *testing.T, name, src string) {
	toks, errs := preprocess.Run(src, preprocess.Options{FileName: name})
	require.NoError(t, errs.Err())
	f, errs := syntax.Parse(toks)
	require.NoError(t, errs.Err())
	prog, errs := check.Program(f, check.Options{FP: ir.ContractOn})
	require.NoError(t, errs.Err())
	require.NotEmpty(t, prog.Kernels)
	k, errs := lower.Kernel(prog.Kernels[0], lower.Constants{}, 0)
	require.NoError(t, errs.Err())
	out := make([]byte, 4*256)
	in := make([]byte, 4*64)
	for i := range 64 {
		binary.LittleEndian.PutUint32(in[4*i:], math.Float32bits(float32(i)))
	}
	args := [][]byte{out, in}[:len(k.Buffers)]
	one := model.Size3{X: 1, Y: 1, Z: 1}
	require.NoError(t, reference.Run(k, reference.Launch{Groups: one, Threads: one, Args: args}))
	found := 0
	for i, line := range strings.Split(src, "\n") {
		m := want.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		found++
		at, err := strconv.Atoi(m[1])
		require.NoError(t, err)
		v, err := strconv.ParseFloat(m[2], 32)
		require.NoError(t, err)
		got := math.Float32frombits(binary.LittleEndian.Uint32(out[4*at:]))
		require.Equal(t, math.Float32bits(float32(v)), math.Float32bits(got), "line %d: %s: got %v", i+1, line, got)
	}
	require.NotZero(t, found)
}
