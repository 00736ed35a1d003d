package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// clientEnv is the variable that makes this test binary a client of the process protocol, which serves a serial sum, or one without the first number.
const clientEnv = "GAMMA_TEST_CLIENT"

func init() {
	if _, ok := os.LookupEnv(clientEnv); ok {
		client()
		os.Exit(0)
	}
}

func client() {
	send := func(kind uint16, id uint32, body []byte) {
		b := binary.LittleEndian.AppendUint16([]byte("GMMA\x01\x00"), kind)
		b = binary.LittleEndian.AppendUint32(b, id)
		_, _ = os.Stdout.Write(append(binary.LittleEndian.AppendUint32(b, uint32(len(body))), body...))
	}
	send(0, 0, nil)
	for head := make([]byte, 16); ; {
		if _, err := io.ReadFull(os.Stdin, head); err != nil {
			return
		}
		body := make([]byte, binary.LittleEndian.Uint32(head[12:]))
		if _, err := io.ReadFull(os.Stdin, body); err != nil {
			return
		}
		length := int(binary.LittleEndian.Uint16(body))
		at := 8 + (length+7)&^7
		s, name := float32(0), string(body[8:8+length])
		for i := range int(binary.LittleEndian.Uint64(body[at+8:])) {
			if i > 0 || name != "rest" {
				s += math.Float32frombits(binary.LittleEndian.Uint32(body[at+24+4*i:]))
			}
		}
		result := binary.LittleEndian.AppendUint32([]byte("\x00\x00\x01\x00\x00\x00\x00\x00f4\x00\x00\x00\x00\x00\x00"), math.Float32bits(s))
		send(2, binary.LittleEndian.Uint32(head[8:]), append(result, 0, 0, 0, 0))
	}
}

// compiled returns a folder with testdata/mine.c as libmine.so. It skips where there is no C compiler.
func compiled(t *testing.T) string {
	t.Helper()
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skipf("no gcc here to compile testdata/mine.c: %v", err)
	}
	dir := t.TempDir()
	out, err := exec.Command(gcc, "-O2", "-ffp-contract=off", "-shared", "-fPIC", "-o", filepath.Join(dir, "libmine.so"), "testdata/mine.c", "-lm").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return dir
}

const softmaxText = "x binary32[n]; e = exp(sub(x, max(x, n))); result div(e, sum(e, n))"

// TestClaims judges functions of a library and of another process, and a shader, by claims in a file: right ones hold, wrong ones are found, and what cannot be
// judged is refused by name; nothing of this stops the rest.
func TestClaims(t *testing.T) {
	dir := compiled(t)
	self, err := os.Executable()
	require.NoError(t, err)
	t.Setenv(clientEnv, "1") // inherited by the processes, and not by this one, which has begun
	const of = "(const float *x, size_t n)"
	list := []map[string]string{
		{"file": "libmine.so", "kernel": "float sum" + of, "claim": "sum tree=left repeats"},
		{"file": "libmine.so", "kernel": "float sum_drops" + of, "claim": "sum"},
		{"file": "libmine.so", "kernel": "double dot64(int n, const double *x, int incx, const double *y, int incy)", "claim": "dot tree=left"},
		{"file": "libmine.so", "kernel": "void softmax(const float *x, float *dst, int n)", "formula": softmaxText},
		{"file": "libmine.so", "kernel": "void softmax_naive(const float *x, float *dst, int n)", "formula": softmaxText},
		{"file": "libmine.so", "kernel": "void crash(const float *x, float *dst, int n)", "formula": "x binary32[n]; result exp(x)"},
		{"process": self, "kernel": "total", "claim": "sum", "name": "other#total"},
		{"process": self, "kernel": "rest", "claim": "sum height=n/1", "name": "other#rest"},
		{"file": "sum.metal", "kernel": "sum", "claim": "sum", "threads": "32"},
		{"file": "sum.metal", "kernel": "twice", "formula": "x binary32[n]; result add(x, x)", "claim": "exactly"},
		{"file": "libmine.so", "kernel": "float nosuch" + of, "claim": "sum"},
		{"file": "libnone.so", "kernel": "float sum" + of, "claim": "sum"},
		{"file": "libmine.so", "kernel": "float sum(struct s *x)", "claim": "sum", "name": "struct"},
		{"file": "libmine.so", "kernel": "float sum" + of, "claim": "product"},
		{"file": "libmine.so", "kernel": "float sum" + of, "claim": "sum tre=left"},
		{"file": "libmine.so", "kernel": "float sum" + of, "claim": "sum tree=lefty", "name": "lefty"},
		{"file": "libmine.so", "kernel": "float sum" + of, "claim": "sum height=log3"},
		{"file": "libmine.so", "kernel": "void softmax(const float *x, float *dst, int n)", "formula": "x binary32[n]; result foo(x)"},
		{"file": "libmine.so", "kernel": "float sum" + of, "claim": "sum", "grid": "1", "name": "grid"},
		{"process": "nosuchprogram -x", "kernel": "total", "claim": "sum"},
		{"file": "none.metal", "kernel": "sum", "claim": "sum"},
		{"file": "mine.txt", "kernel": "sum", "claim": "sum"},
		{"kernel": "sum", "claim": "sum"},
		{"file": "libmine.so", "claim": "sum"},
		{"file": "libmine.so", "kernel": "float sum" + of},
	}
	text, err := json.Marshal(map[string]any{"subjects": list})
	require.NoError(t, err)
	name := filepath.Join(dir, "gamma.json")
	require.NoError(t, os.WriteFile(name, text, 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "mine.txt"), nil, 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "sum.metal"), []byte(`kernel void sum(device const float* x, device float* out, constant uint& n, uint i [[thread_position_in_grid]])
{ if (i == 0) { float s = 0; for (uint k = 0; k <= n; k++) { s += x[k]; } out[0] = s; } }
kernel void twice(device const float* x, device float* out, constant uint& n, uint i [[thread_position_in_grid]]) { if (i < n) { out[i] = 2 * x[i]; } }
`), 0o644))
	sarif := filepath.Join(dir, "found.sarif")
	code, out, errs := gamma(name, "-cases", "60", "-sarif", sarif)
	require.Empty(t, errs)
	require.Equal(t, 1, code, out)
	for _, want := range []string{
		`libmine.so: float sum\(.*; claim: sum tree=left repeats\n  law +verdict +cases +largest error/bound\n  sum.enclosure +ok +60 +\S+, of order-free .*\n(.*\n)*?  sum.tree +ok +60 +\n`,
		`libmine.so: float sum_drops\(.*\n.*\n  sum.enclosure +FOUND`, `libmine.so: double dot64\(.*\n.*\n  dot.enclosure +ok`, `claim: x binary32\[n\]; e = .*\n.*\n  formula.enclosure +ok`,
		`softmax_naive\(.*\n.*\n  formula.enclosure +FOUND`, `crash\(.*\n.*\n  formula.enclosure +FOUND`, `: total; claim: sum\n.*\n  sum.enclosure +ok`,
		`: rest; claim: sum height=n/1\n.*\n  sum.enclosure +FOUND`, `sum.metal: sum; claim: sum\n.*\n(.*\n)*?  kernel.bounds +FOUND`, `sum.metal: twice; .*\n.*\n(.*\n)*?  formula.enclosure +ok`,
		`\nlibmine.so#sum_drops violates sum.enclosure: .*\n(.*\n)*reproduce   gamma check \S*gamma.json -only libmine.so#sum_drops -cases 60 -time 10m0s\nnot saved   this command keeps no cases`,
		`also        libmine.so#sum_drops violates sum.integers`, `libmine.so#crash breaks under formula.enclosure: the process ended in a call of void\ncrash.*SIGSEGV`,
		`sum.metal#sum violates kernel.bounds`, `has no function nosuch; it has crash, dot, dot64, `, `libnone.so: cannot open`, `"struct" is no type`, `the claim "product" begins with none of dot, fft, modular, ntt, operation, sum`,
		`"tre=left" in the claim: there are acc, block, `, `shape "lefty": no such family`, `"log3" is no height`, `there is no operation foo`, `bind, grid, threads and math are of .metal and .cu alone`,
		`exec: "nosuchprogram": executable file not found`, `none.metal: no such file`, `mine.txt is no shared library`, `a subject has a file, a process or a piece`, `it has no kernel`, `it has no claim`,
		`kernels checked: 10, with findings: 5; sources or kernels refused: 15`,
	} {
		require.Regexp(t, want, out)
	}
	log, err := os.ReadFile(sarif)
	require.NoError(t, err)
	checkSARIF(t, log)
	require.Contains(t, string(log), `"uri": "file://`+filepath.ToSlash(dir)+`/sum.metal"`)
	require.Regexp(t, `"startLine": 2,\s+"startColumn": \d+`, string(log))
	require.Regexp(t, `"id": "sum.enclosure",\s+"shortDescription": {\s+"text": ".computed - Σx_i. `, string(log))

	// One of them alone, by the command that its report names, in JSON.
	code, out, errs = gamma(name, "-only", "libmine.so#sum_drops", "-cases", "60", "-json")
	require.Empty(t, errs)
	require.Equal(t, 1, code)
	var r record
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	require.Equal(t, law{Law: "sum.enclosure", Verdict: "FOUND", Cases: r.Laws[0].Cases}, r.Laws[0])
	require.Contains(t, r.Report, "look at how the rest of n/4 is added")
	code, _, errs = gamma(name, "-only", "libmine.so#nosuch_name")
	require.Equal(t, 2, code)
	require.Contains(t, errs, `there is no subject "libmine.so#nosuch_name"`)
}

const ofTransform = "(uint64_t q, uint64_t root, uint64_t *dst, const uint64_t *src, size_t n, int direction)"

// TestClaimFlags: one kernel is judged by flags, and exit codes are those of the report.
func TestClaimFlags(t *testing.T) {
	lib := filepath.Join(compiled(t), "libmine.so")
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{0, "sum.enclosure  ok", []string{lib, "-kernel", "float sum(const float *x, size_t n)", "-claim", "sum"}},
		{1, "FOUND", []string{lib, "-kernel", "float sum(const float *x, size_t n)", "-kernel", "float sum_drops(const float *x, size_t n)", "-claim", "sum"}},
		{1, "sum.tree", []string{lib, "-kernel", "float sum(const float *x, size_t n)", "-claim", "sum tree=pairwise"}},
		{0, "formula.enclosure  ok", []string{lib, "-kernel", "void softmax(const float *x, float *dst, int n)", "-formula", softmaxText, "-claim", "functions=GNU-libm"}},
		{2, "it has no claim", []string{lib, "-kernel", "float sum(const float *x, size_t n)"}},
		{2, "none.py: no such file", []string{"none.py", "-kernel", "softmax", "-formula", softmaxText}},
		{0, "word.program      ok", []string{lib, "-kernel", "void two_sum(float *dst, const float *src, size_t rows)", "-claim", "operation 2Sum exact"}},
		{1, "FOUND", []string{lib, "-kernel", "void fast_two_sum64(double *dst, const double *src, size_t rows)", "-claim", "operation 2Sum"}},
		{0, "mont.value        ok", []string{lib, "-kernel", "int mul_mod(uint32_t q, uint32_t *dst, const uint32_t *src, size_t rows)", "-claim", "modular product bits=32"}},
		{1, "FOUND", []string{lib, "-kernel", "int mul_mod_wraps(uint64_t q, uint64_t *dst, const uint64_t *src, size_t rows)", "-claim", "modular product"}},
		{0, "ntt.", []string{lib, "-kernel", "int ntt" + ofTransform, "-claim", "ntt prime max=16 greatest-modulus=0x7fffffff"}},
		{1, "FOUND", []string{lib, "-kernel", "int ntt_unscaled" + ofTransform, "-claim", "ntt prime max=16 greatest-modulus=0x7fffffff"}},
		{0, "ntt.", []string{lib, "-kernel", "int ntt_unscaled" + ofTransform, "-claim", "ntt prime max=16 greatest-modulus=0x7fffffff unscaled"}},
		{1, "FOUND", []string{lib, "-kernel", "int ntt" + ofTransform, "-claim", "ntt prime max=16 greatest-modulus=0x7fffffff forward=natural>bit-reversed inverse=none"}},
		{2, "after operation comes the algorithm", []string{lib, "-kernel", "void two_sum(float *dst, const float *src, size_t rows)", "-claim", "operation 3Sum"}},
		{2, "after modular comes the function", []string{lib, "-kernel", "int mul_mod(uint32_t q, uint32_t *dst, const uint32_t *src, size_t rows)", "-claim", "modular"}},
		{2, `"in=1" in the claim: "1" has the ranges of 1 words, and the function has 2`, []string{lib, "-kernel", "int mul_mod(uint32_t q, uint32_t *dst, const uint32_t *src, size_t rows)", "-claim", "modular product in=1"}},
		{2, "natural>bit-reversed", []string{lib, "-kernel", "int ntt" + ofTransform, "-claim", "ntt forward=reversed"}},
		{2, "-n, -scalar: that is said", []string{lib, "-kernel", "float sum(const float *x, size_t n)", "-claim", "sum", "-n", "64", "-scalar", "a=1"}},
		{2, "needs an NVIDIA GPU", []string{"../../metal/cuda/testdata/user.cu", "-kernel", "sum", "-claim", "sum"}},
	} {
		code, out, errs := gamma(append(c.args, "-cases", "40")...)
		if c.code == 2 && strings.Contains(c.want, "GPU") && code == 0 {
			continue // there is one
		}
		require.Equal(t, c.code, code, "%v: %s%s", c.args, out, errs)
		require.Contains(t, out+errs, c.want)
	}
	for want, text := range map[string]string{
		"two subjects are called a.so#f": `{"subjects": [{"file": "a.so", "kernel": "float f(int n)", "claim": "sum"}, {"file": "a.so", "kernel": "double f(int n)", "claim": "sum"}]}`,
		`unknown field "subject"`:        `{"subject": []}`, "has no subjects": `{}`, "unexpected EOF": `{"subjects": [`, `unknown field "kern"`: `{"subjects": [{"kern": "x"}]}`,
	} {
		name := filepath.Join(t.TempDir(), "a.json")
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
		code, _, errs := gamma(name)
		require.Equal(t, 2, code)
		require.Contains(t, errs, want)
	}
}

// TestPieces: a piece for MLX is judged by a formula: a right one holds, whose grid is no multiple of a threadgroup, and one that leaves the last element out is found.
func TestPieces(t *testing.T) {
	dir := t.TempDir()
	write := func(name, condition string) string {
		text := `{"name": "scaled", "source": "uint i = thread_position_in_grid.x; ` + condition + ` { out[i] = a * x[i]; count[i] = 1; }", "input_names": ["x", "a"], "inputs": {"x": "float32:1000", "a": "float32"},
"output_names": ["dst", "count"], "outputs": {"dst": "float32:1000", "count": "float32:1000"}, "grid": [1000, 1, 1], "threadgroup": [256, 1, 1]}`
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(text, "out[i]", "dst[i]")), 0o644))
		return file
	}
	const formula = "x binary32[n]; a binary32; result mul(x, a)"
	code, out, errs := gamma("-mlx", write("right.json", ""), "-formula", formula, "-claim", "exactly", "-cases", "40")
	require.Equal(t, 0, code, "%s%s", out, errs)
	require.Regexp(t, `formula.enclosure +ok +20`, out)
	wrong := write("wrong.json", "if (i < 999)")
	code, out, errs = gamma("-mlx", wrong, "-formula", formula, "-cases", "40")
	require.Equal(t, 1, code, "%s%s", out, errs)
	require.Contains(t, out, "reproduce   gamma check -mlx "+wrong)
	list := filepath.Join(dir, "list.json")
	require.NoError(t, os.WriteFile(list, []byte(`{"subjects": [{"mlx": "right.json", "formula": "`+formula+`"}, {"mlx": "right.json", "formula": "y binary32[n]; result y", "name": "y"},
{"mlx": "right.json", "kernel": "f", "formula": "x binary32[n]; result x", "name": "kernel"}]}`), 0o644))
	code, out, errs = gamma(list, "-cases", "40")
	require.Equal(t, 2, code, "%s%s", out, errs)
	require.Contains(t, out, "the formula has no input x, which")
	require.Contains(t, out, "and says kernel, arrays, grid and threads itself")
	require.Contains(t, out, "kernels checked: 1, with findings: 0; sources or kernels refused: 2")
}

// TestSARIF: what is found in shaders has its file and region, and what is refused is a notification.
func TestSARIF(t *testing.T) {
	code, out, errs := gamma("testdata/refused.metal", "testdata/faults.metal", "-n", "256", "-sarif", "-")
	require.Equal(t, 1, code)
	require.Empty(t, errs)
	checkSARIF(t, []byte(out))
	for _, want := range []string{`"uri": "testdata/faults.metal"\s+},\s+"region": {\s+"startLine": \d+,`, `"relatedLocations"`, `"executionSuccessful": false`, `"uri": "testdata/refused.metal"`, `"ruleId": "race"`} {
		require.Regexp(t, want, out)
	}
	_, out, _ = gamma("testdata/right.metal", "-kernel", "gather", "-sarif", "-")
	checkSARIF(t, []byte(out))
	require.Contains(t, out, `"results": []`)
}

// sarifObjects are the objects of SARIF 2.1.0 that are written here, each with the properties that the schema has for it: those with ! are required, and after a
// colon stands what a property is. Source: OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0, section 3.
var sarifObjects = map[string]string{
	"log":          "$schema:uri version!:2.1.0 runs!:run* inlineExternalProperties properties",
	"run":          "tool!:tool invocations:invocation* results:result* artifacts columnKind language properties",
	"tool":         "driver!:driver extensions properties",
	"driver":       "name!:string rules:rule* version:string informationUri:uri fullName:string properties",
	"rule":         "id!:string name:string shortDescription:message fullDescription:message helpUri:uri properties",
	"invocation":   "executionSuccessful!:bool toolExecutionNotifications:notification* exitCode commandLine properties",
	"notification": "message!:message level:level locations:location* descriptor properties",
	"result":       "message!:message ruleId:string ruleIndex:index level:level kind locations:location* relatedLocations:location* partialFingerprints properties",
	"message":      "text!:string markdown id arguments properties",
	"location":     "physicalLocation:physical logicalLocations:logical* message id properties",
	"physical":     "artifactLocation!:artifact region:region contextRegion properties",
	"artifact":     "uri!:uri uriBaseId index properties",
	"region":       "startLine!:positive startColumn:positive endLine endColumn snippet properties",
	"logical":      "name:string kind:string fullyQualifiedName index properties",
}

// checkSARIF holds a log to the structure of the schema, and its rules to its results.
func checkSARIF(t *testing.T, text []byte) {
	t.Helper()
	var log any
	require.NoError(t, json.Unmarshal(text, &log))
	for _, problem := range sarifProblems("log", log, "") {
		t.Error(problem)
	}
	var l sarifLog
	require.NoError(t, json.Unmarshal(text, &l))
	for _, r := range l.Runs[0].Results {
		require.Equal(t, r.RuleID, l.Runs[0].Tool.Driver.Rules[r.RuleIndex].ID)
	}
}

// sarifProblems says what is wrong with a value that is to be one of a kind.
func sarifProblems(kind string, v any, at string) (list []string) {
	wrong := func(format string, args ...any) { list = append(list, at+": "+fmt.Sprintf(format, args...)) }
	if of, many := strings.CutSuffix(kind, "*"); many {
		all, ok := v.([]any)
		if !ok {
			wrong("no list")
		}
		for i, one := range all {
			list = append(list, sarifProblems(of, one, fmt.Sprintf("%s[%d]", at, i))...)
		}
		return list
	}
	text, isText := v.(string)
	n, isNumber := v.(float64)
	switch kind {
	case "":
	case "string":
		if !isText || text == "" {
			wrong("no text")
		}
	case "uri":
		if !isText || strings.ContainsAny(text, " \\<>\"{}|^`") {
			wrong("no URI: %v", v)
		}
	case "2.1.0":
		if text != kind {
			wrong("not %s", kind)
		}
	case "level":
		if !slices.Contains([]string{"none", "note", "warning", "error"}, text) {
			wrong("no level: %v", v)
		}
	case "bool":
		if _, ok := v.(bool); !ok {
			wrong("neither true nor false")
		}
	case "positive", "index":
		if least := map[string]float64{"positive": 1, "index": -1}[kind]; !isNumber || n < least || n != math.Floor(n) {
			wrong("no number of at least %g: %v", least, v)
		}
	default:
		m, ok := v.(map[string]any)
		if !ok {
			wrong("no object")
		}
		known := map[string]string{}
		for _, word := range strings.Fields(sarifObjects[kind]) {
			name, of, _ := strings.Cut(word, ":")
			name, required := strings.CutSuffix(name, "!")
			if known[name] = of; required && m[name] == nil {
				wrong("it has no %s", name)
			}
		}
		for name, value := range m {
			if of, ok := known[name]; ok {
				list = append(list, sarifProblems(of, value, at+"/"+name)...)
			} else {
				wrong("there is no %s in a %s", name, kind)
			}
		}
	}
	return list
}

// TestSARIFProblems: the check of the structure finds what is wrong.
func TestSARIFProblems(t *testing.T) {
	for want, text := range map[string]string{
		"/version: not 2.1.0":                           `{"version": "2.0.0", "runs": []}`,
		": it has no runs":                              `{"version": "2.1.0"}`,
		"/runs[0]: it has no tool":                      `{"version": "2.1.0", "runs": [{}]}`,
		"/runs[0]/results[0]: there is no rule":         `{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x"}}, "results": [{"message": {"text": "x"}, "rule": 1}]}]}`,
		"/runs[0]/results[0]/level: no level: bad":      `{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x"}}, "results": [{"message": {"text": "x"}, "level": "bad"}]}]}`,
		"/region/startLine: no number of at least 1: 0": `{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x"}}, "results": [{"message": {"text": "x"}, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "a"}, "region": {"startLine": 0}}}]}]}]}`,
	} {
		var v any
		require.NoError(t, json.Unmarshal([]byte(text), &v))
		require.Contains(t, strings.Join(sarifProblems("log", v, ""), "\n"), want)
	}
}

// TestClaimHangs: a function that does not return is ended and named, by the process that it is in.
func TestClaimHangs(t *testing.T) {
	t.Setenv("GAMMA_TIMEOUT", "1s")
	code, out, errs := gamma(filepath.Join(compiled(t), "libmine.so"), "-kernel", "float hang(const float *x, size_t n)", "-claim", "sum")
	require.Empty(t, errs)
	require.Equal(t, 1, code, out)
	require.Regexp(t, `libmine.so#hang breaks under sum.enclosure: the kernel did not return within`, out)
	require.NotContains(t, out, "sum.member", "the other laws have nothing to say then")
}

// cudaText is the guide's kernel in CUDA C++, with one that is wrong and one without a claim.
const cudaText = `
extern "C" __global__ void softmax(const float *x, float *dst, int n)
{
    extern __shared__ float part[]; // one number for each thread, unless Bind says otherwise
    const float *row = x + (size_t)blockIdx.x * n;
    float most = -INFINITY, s = 0;
    for (int i = 0; i < n; i++) most = fmaxf(most, row[i]);
    for (int i = threadIdx.x; i < n; i += blockDim.x) s += expf(row[i] - most);
    part[threadIdx.x] = s;
    __syncthreads();
    s = 0;
    for (int i = 0; i < blockDim.x; i++) s += part[i];
    for (int i = threadIdx.x; i < n; i += blockDim.x) dst[(size_t)blockIdx.x * n + i] = expf(row[i] - most) / s;
}

extern "C" __global__ void sum(const float *x, float *out, int n)
{
    float s = 0;
    for (int i = 1; i < n; i++) s += x[i];
    if (threadIdx.x == 0) *out = s;
}

extern "C" __global__ void half_written(const float *x, float *dst, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (2 * i < n) dst[i] = x[i];
}
`

// TestClaimCUDA judges a .cu file by the command, on a machine with a GPU.
func TestClaimCUDA(t *testing.T) {
	file := filepath.Join(t.TempDir(), "my.cu")
	require.NoError(t, os.WriteFile(file, []byte(cudaText), 0o644))
	code, out, errs := gamma(file, "-kernel", "softmax", "-formula", strings.ReplaceAll(softmaxText, "[n]", "[rows, n]"), "-cases", "60")
	require.Empty(t, errs)
	if code == 2 && strings.Contains(out, "needs an NVIDIA GPU") {
		t.Skip(strings.TrimSpace(out))
	}
	require.Zero(t, code, out)
	require.Regexp(t, `formula.enclosure +ok +[1-9]`, out)
	t.Log(out)
	code, out, _ = gamma(file, "-kernel", "sum", "-claim", "sum", "-cases", "60", "-json")
	require.Equal(t, 1, code, out)
	require.Contains(t, out, "my.cu#sum violates sum.enclosure")
	require.Contains(t, out, `my.cu:16:1"`, "the finding is where the kernel is defined")
	code, out, _ = gamma(file, "-kernel", "half_written", "-cases", "60")
	require.Equal(t, 1, code, out)
	t.Log(out)
	code, out, _ = gamma(file, "-kernel", "nosuch", "-claim", "sum")
	require.Equal(t, 2, code, out)
	require.Contains(t, out, "nosuch")
}
