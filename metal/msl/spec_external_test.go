package msl_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl"
	"gamma/metal/sim/fast"
	"gamma/model"
)

// specLeast is the share of the programs meant to be accepted that have to be, in percent.
const specLeast = 98

// specBehaviours are what the adversarial engine does to each program beside the plain run. A result that the specification fixes is the same under all.
var specBehaviours = []string{
	"rne ftz=off contract=fast order=accesses seed=3 ulp poison",
	"zero ftz=on contract=on order=reverse seed=4 ulp poison",
}

var (
	refusedPattern = regexp.MustCompile(`(?m)^// refused: (.+)$`)
	limitPattern   = regexp.MustCompile(`(?m)^// limit: (.+)$`)
)

// TestSpec runs the programs of testdata/spec, one for each feature of the language's specification, chapters 2 to 6. A program says in "run" lines what its
// kernels give, which every engine has to compute under every behaviour; or in a "refused" line the words that name what is not supported. A "limit" line
// has the words of what a check reports of a right program, for what it does not model: such a program counts as not accepted.
func TestSpec(t *testing.T) {
	files, err := filepath.Glob("testdata/spec/*.metal")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 200)
	accepted, meant := 0, 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		name := strings.TrimSuffix(filepath.Base(file), ".metal")
		if m := refusedPattern.FindStringSubmatch(string(text)); m != nil {
			t.Run(name, func(t *testing.T) { specRefused(t, file, string(text), m[1]) })
			continue
		}
		meant++
		if m := limitPattern.FindStringSubmatch(string(text)); m != nil {
			t.Run(name, func(t *testing.T) { specLimit(t, file, string(text), m[1]) })
			continue
		}
		if t.Run(name, func(t *testing.T) { specAccepted(t, file, string(text)) }) {
			accepted++
		}
	}
	t.Logf("%d programs: %d of %d accepted and right on every engine (%.1f %%), %d refused by name",
		len(files), accepted, meant, 100*float64(accepted)/float64(meant), len(files)-meant)
	require.GreaterOrEqual(t, 100*accepted, specLeast*meant)
}

// specRefused requires that the program, or each kernel of it, is refused in the words that name the feature.
func specRefused(t *testing.T, file, text, words string) {
	require.Empty(t, runLines(t, file, text), "a program that is refused has no results")
	lib, err := msl.Compile(text, msl.Options{FileName: "source.metal"}) // the file's own name has the feature's words
	if err != nil {
		require.Contains(t, err.Error(), words)
		return
	}
	for _, f := range lib.Functions() {
		_, err := lib.Kernel(f.Name, nil)
		require.ErrorContains(t, err, words, "kernel %s", f.Name)
	}
}

// specLimit requires that a check reports what it is known to report, and that the results are right.
func specLimit(t *testing.T, file, text, words string) {
	lib, err := msl.Compile(text, msl.Options{FileName: file})
	require.NoError(t, err)
	for _, r := range runLines(t, file, text) {
		k, err := lib.Kernel(r.name, r.constants)
		require.NoError(t, err)
		f, err := fast.Compile(k)
		require.NoError(t, err)
		found := r.dispatch(t, "fast", f, k, model.Behaviour{SIMDWidth: r.width})
		require.NotEmpty(t, found)
		require.Contains(t, found.Error(), words)
	}
}

func specAccepted(t *testing.T, file, text string) {
	lib, err := msl.Compile(text, msl.Options{FileName: file})
	require.NoError(t, err)
	rs := runLines(t, file, text)
	require.NotEmpty(t, rs, "no results")
	ran := map[string]bool{}
	for _, r := range rs {
		ran[r.name] = true
		r.everywhere(t, lib, specBehaviours...)
	}
	for _, f := range lib.Functions() {
		require.True(t, ran[f.Name], "%s: kernel %s is never run", f.Pos, f.Name)
	}
}
