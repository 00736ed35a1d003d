package process_test

import (
	"os"
	"os/exec"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/formula"
	"gamma/model/fourier"
	"gamma/model/word"
	"gamma/props"
	"gamma/props/judge"
	"gamma/props/process"
)

// numpy is a Python that has NumPy, or why there is none.
var numpy = sync.OnceValues(func() (python, why string) {
	for _, python := range []string{os.Getenv("GAMMA_PYTHON"), "python3", "/usr/bin/python3"} {
		if python == "" {
			continue
		}
		out, err := exec.Command(python, "-c", "import numpy").CombinedOutput()
		if err == nil {
			return python, ""
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		why = python + ": " + err.Error() + ": " + lines[len(lines)-1]
	}
	return "", why
})

// python returns the kernels of testdata/kernels.py. It skips where NumPy is absent.
func python(tb testing.TB) *process.Process {
	tb.Helper()
	path, why := numpy()
	if path == "" {
		tb.Skipf("no Python with NumPy here; apt-get install python3-numpy, or set GAMMA_PYTHON to one (%s)", why)
	}
	tb.Setenv("GAMMA_PYTHON", path)
	return process.Python(tb, "testdata/kernels.py")
}

// matrix is an array of rows and columns.
func matrix() *formula.Expr { return formula.Matrix("x", "rows", "cols") }

// TestPropPython judges kernels in Python of each kind that there is an adapter for.
func TestPropPython(t *testing.T) {
	p := python(t)
	t.Setenv("GAMMA_CHECKS", "100")
	t.Setenv("GAMMA_BUDGET", "300ms")
	t.Run("sum", props.Reduction{Name: "kernels.total", RunErr: p.Sum("total")}.Check)
	t.Run("sum64", props.Reduction{Name: "kernels.total64", Run64Err: p.Sum64("total"), Claim: model.Claim{In: model.Binary64}}.Check)
	t.Run("strided", props.Reduction{Name: "kernels.total_strided", RunStridedErr: p.SumStrided("total_strided")}.Check)
	t.Run("chatty", props.Reduction{Name: "kernels.chatty", RunErr: p.Sum("chatty")}.Check)
	t.Run("dot", props.Dot{Name: "kernels.dot", RunErr: p.Dot("dot")}.Check)
	t.Run("softmax", props.Kernel{Name: "kernels.softmax", Formula: formula.Softmax(matrix()), Call: p.Kernel("softmax"), Min: map[string]int{"cols": 1}}.Check)
	t.Run("fft", props.FFT{Name: "kernels.fft", Plan64: p.FFT64("fft"), Claim: fourier.Claim{In: fourier.Number{Format: model.Binary64}, MaxN: 1024}}.Check)
	t.Run("two_sum", props.Operation{Name: "kernels.two_sum", RunErr: p.Operation("two_sum", 2, 2), Claim: word.Claim{Op: word.TwoSum}}.Check)
}

// TestPythonFaults: wrong kernels in Python are found, and the report says what is wrong.
func TestPythonFaults(t *testing.T) {
	t.Setenv("GAMMA_TIMEOUT", "4s")
	p := python(t)
	for function, want := range map[string]string{
		"crashing": "the process ended in a call of crashing: signal: aborted",
		"slow":     "did not return within",
		"raising":  "the kernel returned an error: IndexError: index",
		"writing":  "the kernel returned an error: ValueError: assignment destination is read-only",
		"wide":     "wide returned elements of type f8, and not f4",
		"many":     "many returned",
		"absent":   "no @gamma.kernel is called absent; there are: total, total_without_last",
	} {
		t.Run(function, func(t *testing.T) {
			require.Contains(t, why(t, judge.Reduction{Name: "kernels." + function, RunErr: p.Sum(function)}), want)
		})
	}
	last := judge.Reduction{Name: "kernels.total_without_last", RunErr: p.Sum("total_without_last")}
	require.Contains(t, found(t, judge.Laws(), model.SumEnclosure, last), "The result is what the sum without x[0] gives")
	require.Empty(t, why(t, judge.Reduction{Name: "kernels.total", RunErr: p.Sum("total")}), "the file goes on with a right kernel")
	naive := judge.Kernel{Name: "kernels.softmax", Formula: formula.Softmax(matrix()), Call: p.Kernel("softmax_of_no_maximum"), Min: map[string]int{"cols": 1}}
	require.Contains(t, found(t, judge.FormulaLaws(), model.FormulaEnclosure, naive), "is NaN")
}

// TestPythonTypes: an array of each type goes to Python and comes back.
func TestPythonTypes(t *testing.T) {
	p := python(t)
	in := []process.Array{
		process.Vector("", []float32{1, -2}), process.Vector("", []float64{3}), process.Vector("", []complex64{4 + 5i}), process.Vector("", []complex128{6 - 7i}),
		process.Vector("", []bool{true, false, true}), process.Vector("", []int8{-8}), process.Vector("", []int16{-9}), process.Vector("", []int32{-10}),
		process.Vector("", []int64{-11}), process.Vector("", []uint8{12}), process.Vector("", []uint16{13}), process.Vector("", []uint32{14}),
		process.Vector("", []uint64{1<<64 - 15}), process.Vector("", []float32{}), process.Number("", int16(16)),
		{Name: "matrix", Dims: []int{2, 3}, Data: []float64{1, 2, 3, 4, 5, 6}},
		{Dims: []int{2, 0}, Data: []float64{}},
	}
	var out []process.Array
	for _, a := range in {
		zeros := reflect.MakeSlice(reflect.TypeOf(a.Data), reflect.ValueOf(a.Data).Len(), reflect.ValueOf(a.Data).Len())
		out = append(out, process.Array{Dims: a.Dims, Data: zeros.Interface()})
	}
	require.NoError(t, p.Call("echo", in, out...))
	for i := range in {
		require.Equal(t, in[i].Data, out[i].Data)
	}
}
