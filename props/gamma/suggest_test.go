package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSuggest: of kernels whose order, accumulator or compensation is known that is what is suggested, and not more.
func TestSuggest(t *testing.T) {
	lib := filepath.Join(compiled(t), "libmine.so")
	suggested := func(args ...string) record {
		var out, errs strings.Builder
		code := run(append([]string{"suggest", lib, "-json", "-time", "10m", "-cases", "300"}, args...), &out, &errs)
		require.Empty(t, errs.String())
		var r record
		require.NoError(t, json.Unmarshal([]byte(out.String()), &r), out.String())
		require.Equal(t, r.Report != "", code == 1)
		return r
	}
	for kernel, want := range map[string]string{
		"float sum(const float *x, size_t n)":                 "sum tree=left repeats",
		"double sum64(const double *x, size_t n)":             "sum tree=left repeats",
		"float sum_double(const float *x, size_t n)":          "sum acc=binary64 tree=left repeats overflow-safe",
		"float sum_halves(const float *x, size_t n)":          "sum tree=pairwise repeats signed-zero",
		"float sum_kahan(const float *x, size_t n)":           "sum compensation=kahan finite repeats",
		"float dot(const float *x, const float *y, size_t n)": "dot tree=left repeats",
	} {
		r := suggested("-kernel", kernel)
		require.Equal(t, want, r.Claim, "%v", r)
		require.NotEmpty(t, r.Laws)
		require.NotEmpty(t, r.Against)
	}
	r := suggested("-kernel", "float sum_double(const float *x, size_t n)")
	require.Contains(t, r.Suggested, `props.Reduction{Name: "libmine.so#sum_double", RunErr: k.Sum("float sum_double(const float *x, size_t n)"), Claim: model.Claim{Acc: model.Binary64, Tree: "left", Repeats: true, OverflowSafe: true}}.Check(t)`)
	r = suggested("-kernel", "float sum_drops(const float *x, size_t n)")
	require.Equal(t, "sum", r.Claim)
	require.Empty(t, r.Suggested)
	require.Contains(t, r.Report, "violates sum.enclosure")
	r = suggested("-kernel", "void softmax(const float *x, float *dst, int n)", "-formula", softmaxText)
	require.Regexp(t, `^ulps=[0-9.]+ repeats x binary32`, r.Claim)
	require.Contains(t, r.Suggested, "Claim: formula.Claim{Functions: formula.Accuracy{Name: ")
	r = suggested("-kernel", "float nosuch(const float *x, size_t n)")
	require.Contains(t, r.Refused, "has no function nosuch")
}
