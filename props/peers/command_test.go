package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/formula"
)

// fewCases are flags for a run that is over soon.
var fewCases = []string{"-checks", "60", "-time", "500ms"}

// commanded runs the command on a table, and returns its exit code and what it printed.
func commanded(t *testing.T, libs []library, args ...string) (int, string) {
	t.Helper()
	for _, name := range []string{"GAMMA_CHECKS", "GAMMA_SEED", "GAMMA_SAVE", "GAMMA_SWEEP", "GAMMA_BUDGET", "GAMMA_MAXN", "GAMMA_PYTHON", "LD_LIBRARY_PATH"} {
		t.Setenv(name, os.Getenv(name)) // the command sets them
	}
	t.Setenv("GAMMA_DIR", t.TempDir())
	var out bytes.Buffer
	code := run(append(append([]string{}, fewCases...), args...), libs, &out, &out)
	return code, out.String()
}

// planted returns the folder of a table whose shim has the functions of a text in C.
func planted(t *testing.T, text string) (source string) {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skipf("no gcc here to compile a shim: %v", err)
	}
	source = t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(source, "shims"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(source, "shims", "planted.c"), []byte(text), 0o600))
	return source
}

// plantedText has a right sum, one that leaves out the last element, one that crashes, and a right exponential that errs once in 64 arguments.
const plantedText = `#include <math.h>
float right(const float *x, int n) { float s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }
float wrong(const float *x, int n) { float s = 0; for (int i = 0; i + 1 < n; i++) s += x[i]; return s; }
float crash(const float *x, int n) { volatile float *p = 0; return n > 0 ? *p : 0; }
void v_exp(const float *x, float *dst, int n) { for (int i = 0; i < n; i++) { union { float f; unsigned u; } v = {x[i]}; dst[i] = expf(x[i]) * (v.u % 64 == 7 ? 1.000001f : 1); } }
`

// plantedLibrary is the table of plantedText.
func plantedLibrary() library {
	sums := func(name, function string, most int) claim {
		return claim{Name: name, Kernel: "float " + function + "(const float *x, int n)", Make: sum(model.Claim{MaxN: most}), Says: "a sum in any order", From: anyOrder}
	}
	l := library{Name: "planted", Package: "nothing", Shim: "planted.c", Link: []string{"-lm"}, Claims: []claim{
		sums("right", "right", 0), sums("wrong", "wrong", 0), sums("crash", "crash", 2), sums("missing", "no_such_function", 0),
		elementary(function{"exp", formula.Exp, formula.OpExp, formula.Promise{Ulps: 1}}, model.Binary32, anyOrder),
	}}
	return l
}

// TestPlanted: a wrong library is found, the page says so with its smallest input, and what crashes or is missing is named while the rest goes on.
func TestPlanted(t *testing.T) {
	source, page := planted(t, plantedText), filepath.Join(t.TempDir(), "PAGE.md")
	code, out := commanded(t, []library{plantedLibrary()}, "-source", source, "-page", page)
	require.Equal(t, 1, code, out)
	for name, want := range map[string]string{"right": holds, "wrong": violated, "crash": violated, "missing": unsaid, "exp": violated} {
		require.Regexp(t, `(?m)^planted +`+name+` +`+want, out)
	}
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	said := strings.Join(strings.Fields(string(text)), " ")
	for _, want := range []string{
		"### planted wrong Claimed: a sum in any order.", "Nobody has checked this by hand yet", "the sum without x[0] gives", "### planted exp", "SIGSEGV",
		"planted missing: foreign: the library", "has no function no_such_function", "| planted | | 5 | 1 | 3 | 1 |",
	} {
		require.Contains(t, said, want)
	}
}

// TestPageStays: a run that lacks a library, or judges a part, leaves the page as it is; one that is whole replaces it.
func TestPageStays(t *testing.T) {
	source, page := planted(t, plantedText), filepath.Join(t.TempDir(), "PAGE.md")
	require.NoError(t, os.WriteFile(page, []byte("kept"), 0o600))
	kept := func(want string, libs []library, args ...string) {
		t.Helper()
		_, out := commanded(t, libs, append(args, "-source", source, "-page", page)...)
		require.Contains(t, out, want)
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		require.Equal(t, "kept", string(text))
	}
	good := plantedLibrary()
	good.Claims = good.Claims[:1]
	lost := good
	lost.Name, lost.Shim, lost.File, lost.Package = "lost", "", "libno-such-library.so.1", "libno-such-library-dev"
	kept("lost is absent: apt-get install libno-such-library-dev", []library{good, lost})
	kept("stays as it is", []library{good, plantedLibrary()}, "-only", "planted right")
	kept("is no flag", []library{good}, "planted")
	unlinked := good
	unlinked.Name, unlinked.Link = "unlinked", []string{"-lno-such-library"}
	kept("unlinked is absent", []library{good, unlinked})
	code, out := commanded(t, []library{good}, "-source", source, "-page", page)
	require.Zero(t, code, out)
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Contains(t, string(text), "| right | a sum in any order | holds |")
}

// TestShimDoesNotCompile: a shim that does not compile though its library is there is a fault by name, and no library that is absent; one whose header is absent is that. The rest goes on,
// also where an earlier run has judged the claim.
func TestShimDoesNotCompile(t *testing.T) {
	good := plantedLibrary()
	good.Claims = good.Claims[:1]
	bad := good
	bad.Name, bad.Shim, bad.Package = "bad", "bad.c", "libbad-dev"
	for name, c := range map[string]struct {
		text, want string
		code       int
	}{
		"syntax":      {"#include <math.h>\nfloat right(const float *x, int n) { return }\n", "bad cannot be judged: shims/bad.c does not compile: ", 1},
		"a directive": {"#include <math.h>\n#if 1\n", "bad cannot be judged: shims/bad.c does not compile: ", 1},
		"a symbol":    {"#include <math.h>\nfloat gone(void);\n__attribute__((visibility(\"hidden\"))) extern int lost;\nint right(void) { return lost; }\n", "bad cannot be judged: shims/bad.c does not compile: ", 1},
		"no header":   {"#include <no/such/header.h>\nfloat right(const float *x, int n) { return 0; }\n", "bad is absent: apt-get install libbad-dev: ", 0},
		"no file":     {"", "bad cannot be judged: shims/bad.c does not compile: ", 1},
	} {
		t.Run(name, func(t *testing.T) {
			source, dir := planted(t, plantedText), t.TempDir()
			if c.text != "" {
				require.NoError(t, os.WriteFile(filepath.Join(source, "shims", "bad.c"), []byte(c.text), 0o600))
			}
			code, out := commanded(t, []library{bad, good}, "-source", source, "-shims", dir)
			require.Equal(t, c.code, code, out)
			require.FileExists(t, filepath.Join(dir, "planted.so"))
			require.NoFileExists(t, filepath.Join(dir, "bad.so"))
			require.Equal(t, 1, strings.Count(out, "\n"), "one line says why: %s", out)
			if c.code == 0 {
				require.Regexp(t, `^without shims/bad.c: .*no/such/header.h: No such file or directory: apt-get install libbad-dev\n$`, out)
			} else {
				require.Regexp(t, `^without bad: shims/bad.c does not compile: .+; its library is installed, and the shim is wrong\n$`, out)
			}
			page, earlier := filepath.Join(dir, "PAGE.md"), filepath.Join(dir, "run.jsonl")
			require.NoError(t, os.WriteFile(page, []byte("kept"), 0o600))
			require.NoError(t, writeLines(earlier, []record{{Schema: schema, Library: "bad", Claim: "right", Verdict: holds, Cases: 7}}))
			for _, more := range [][]string{nil, {"-from", earlier}} {
				code, out := commanded(t, []library{bad, good}, append(more, "-source", source, "-page", page)...)
				require.Contains(t, out, c.want)
				require.Regexp(t, `planted +right +holds`, out)
				require.Equal(t, c.code, code, out)
				text, err := os.ReadFile(page)
				require.NoError(t, err)
				if c.code == 1 || more == nil {
					require.Contains(t, out, "stays as it is, since not all has been judged: bad (1 claims; ")
					require.Equal(t, "kept", string(text))
				}
			}
		})
	}
}

// TestNoCompiler: a shim for which no compiler is here says which to install.
func TestNoCompiler(t *testing.T) {
	source := planted(t, plantedText)
	t.Setenv("PATH", t.TempDir())
	code, out := commanded(t, []library{plantedLibrary()}, "-source", source, "-shims", t.TempDir())
	require.Zero(t, code)
	require.Equal(t, "without shims/planted.c: no gcc here to compile shims/planted.c (apt-get install gcc): apt-get install nothing\n", out)
}

// TestKnown: what was found by hand is on the page, also where a run did not meet it.
func TestKnown(t *testing.T) {
	source, page := planted(t, plantedText), filepath.Join(t.TempDir(), "PAGE.md")
	good := plantedLibrary()
	good.Claims = good.Claims[:1]
	good.Claims[0].Found = "It was seen by hand."
	code, out := commanded(t, []library{good}, "-source", source, "-page", page)
	require.Zero(t, code, out)
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Contains(t, string(text), "It was seen by hand.\n\nThe runs that this page is made of did not meet it.")
}

// TestRuns: lines of several runs make one page.
func TestRuns(t *testing.T) {
	source, dir := planted(t, plantedText), t.TempDir()
	good := plantedLibrary()
	good.Claims = good.Claims[:1]
	first, second := filepath.Join(dir, "1.jsonl"), filepath.Join(dir, "2.jsonl")
	_, out := commanded(t, []library{good}, "-source", source, "-page", "", "-json", first)
	require.Contains(t, out, "1 libraries, 1 claims")
	_, out = commanded(t, []library{good}, "-source", source, "-page", "", "-json", second, "-seed", "7", "-from", first)
	require.Contains(t, out, "seed 7")
	a, err := readLines(first)
	require.NoError(t, err)
	b, err := readLines(second)
	require.NoError(t, err)
	p := &page{libraries: []library{good}, records: append(a, b...)}
	p.merge()
	cases, _ := p.judged()
	require.Equal(t, a[0].Cases+b[0].Cases, cases)
	require.Contains(t, p.text(), "seeds fixed, 7")
	code, out := commanded(t, []library{good}, "-source", source, "-json", filepath.Join(dir, "absent", "x"), "-page", "")
	require.Equal(t, 2, code, out)
}

// TestBadLines: lines that no run has written are named with what to do, nothing is judged, and the page and the file of -json stay as they were.
func TestBadLines(t *testing.T) {
	dir := t.TempDir()
	bad, page, kept := filepath.Join(dir, "bad.jsonl"), filepath.Join(dir, "PAGE.md"), filepath.Join(dir, "kept.jsonl")
	good := plantedLibrary()
	good.Claims = good.Claims[:1]
	const line = `{"Schema":1,"Library":"planted","Claim":"right","Verdict":"holds","Cases":7,"Results":7,"Vacuous":0}`
	with := func(more string) string { return strings.TrimSuffix(line, "}") + "," + more + "}\n" }
	for text, want := range map[string]string{
		"{\"Schema\":2}\n":                                            "bad.jsonl:1: the line is of version 2, and this program reads version 1; run what wrote it again",
		"{\"Schema\":1,\n":                                            "bad.jsonl:1: the line is torn",
		line + "\n" + line[:40]:                                       "bad.jsonl:2: the line is torn",
		"{\"Schem\":1}\n":                                             "unknown field",
		line + line + "\n":                                            "bad.jsonl:1: invalid character '{' after top-level value",
		line + "\n\n" + line + "\n":                                   "bad.jsonl:3: it is the same as line 1, whose cases would count twice; take it out",
		with(`"Cases":9`):                                             `bad.jsonl:1: it has two values of "Cases"`,
		with(`"Ratio":NaN`):                                           "bad.jsonl:1: invalid character 'N' looking for beginning of value",
		with(`"Ratio":1e999`):                                         "Ratio is a JSON number 1e999",
		with(`"Ratio":-1`):                                            "has an error/bound of -1",
		with(`"Seconds":1e300`):                                       "no run takes 1e+300 seconds",
		with(`"Failed":"x"`):                                          "Failed is a JSON string, and has to be a list",
		with(`"Failed":[{"Law":"l"}]`):                                `the verdict is "holds", with 7 cases and 1 laws that fail`,
		strings.Replace(line, "7", "1e308", 1):                        "Cases is a JSON number 1e308, and has to be a whole number",
		strings.Replace(line, "7", "-7", 1):                           "no run has -7 cases",
		strings.Replace(line, "7", "9000000000000000000", 1):          "no run has 9000000000000000000 cases",
		strings.Replace(line, "holds", "perhaps", 1):                  `the verdict is "perhaps", and not one of absent`,
		strings.Replace(line, "right", "none\\u001b[31m", 1):          "bad.jsonl has a record of planted none\ufffd[31m, which is no claim of this program's; go run . -list",
		strings.Replace(line, "right", strings.Repeat("a", 1<<20), 1): "aaaa …, which is no claim of this program's",
		"[1]\n":                   "and not with a brace",
		"\x7fELF\x00\xff\n":       "it is not text in UTF-8",
		"":                        "bad.jsonl has no line; give -from files that -json wrote",
		strings.Repeat("x\n", 50): "… 30 lines more",
	} {
		require.NoError(t, os.WriteFile(bad, []byte(text), 0o600))
		require.NoError(t, os.WriteFile(page, []byte("kept"), 0o600))
		require.NoError(t, os.WriteFile(kept, []byte("kept"), 0o600))
		code, out := commanded(t, []library{good}, "-source", dir, "-page", page, "-json", kept, "-from", bad)
		require.Equal(t, 2, code, "%.200q: %s", text, out)
		require.Contains(t, out, want, "%.200q", text)
		require.NotContains(t, out, "\x1b")
		require.Less(t, len(out), 4000, "%.200q", text)
		for _, file := range []string{page, kept} {
			b, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, "kept", string(b))
		}
	}
	code, out := commanded(t, []library{good}, "-source", dir, "-page", page, "-from", dir)
	require.Equal(t, 2, code)
	require.Contains(t, out, "is a directory; give -from files that -json wrote")
	code, out = commanded(t, []library{good}, "-source", dir, "-page", page, "-from", filepath.Join(dir, "absent"))
	require.Equal(t, 2, code)
	require.Contains(t, out, "absent: no such file or directory; give -from files that -json wrote")
	for _, flag := range []string{"-json", "-page"} {
		code, out = commanded(t, []library{good}, "-source", dir, "-page", "", "-from", kept, flag, kept)
		require.Equal(t, 2, code)
		require.Contains(t, out, "kept.jsonl: it is read, and is not written over")
	}
	code, out = commanded(t, []library{good}, "-source", dir, "-page", "", "-json", kept)
	require.NotZero(t, code)
	require.Contains(t, out, "kept.jsonl stays as it is, since nothing was judged")
	b, err := os.ReadFile(kept)
	require.NoError(t, err)
	require.Equal(t, "kept", string(b))
}

// TestHostileTexts: what a line says is text on the page and on a terminal, and nothing else.
func TestHostileTexts(t *testing.T) {
	const evil = "```\n</code><script>alert(1)</script>|<img src=x onerror=alert(2)>\x1b[31m\n# heading\n```"
	dir := t.TempDir()
	from, page := filepath.Join(dir, "evil.jsonl"), filepath.Join(dir, "PAGE.md")
	l := plantedLibrary()
	l.Claims = l.Claims[:2]
	r := record{Schema: schema, Library: "planted", Claim: "right", Verdict: violated, Why: evil, Version: evil, Cases: 7, Machines: []string{evil}, Seeds: []string{evil}, Ratio: 0.5, Bound: evil, Failed: []failure{{evil, evil}, {evil + "2", evil}}}
	silent := record{Schema: schema, Library: "planted", Claim: "wrong", Verdict: unsaid, Why: evil}
	require.NoError(t, writeLines(from, []record{r, silent}))
	code, out := commanded(t, []library{l}, "-only", "^$", "-from", from, "-page", page)
	require.Equal(t, 1, code, out)
	require.NotContains(t, out, "\x1b")
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	before, fenced, _ := strings.Cut(string(text), "\n````\n")
	block, after, ended := strings.Cut(fenced, "\n````\n")
	require.True(t, ended, "%s", text)
	require.Contains(t, block, "<script>", "a block shows what it is given")
	for _, part := range []string{before, after} {
		require.NotRegexp(t, `<script|<img|<code|\x1b|(?m)^# heading`, part)
		for line := range strings.Lines(part) {
			if strings.HasPrefix(line, "| planted |") || strings.HasPrefix(line, "| right |") {
				require.Equal(t, map[bool]int{true: 9, false: 7}[strings.HasPrefix(line, "| planted")], strings.Count(strings.ReplaceAll(line, "\\|", ""), "|"), line)
			}
		}
	}
}

// TestFullDisk: where the page or the lines cannot be written, that is said, and what was there is as it was.
func TestFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skipf("no /dev/full here: %v", err)
	}
	source, full := planted(t, plantedText), filepath.Join(t.TempDir(), "full") // under another name, so that a fault replaces the link alone
	require.NoError(t, os.Symlink("/dev/full", full))
	good := plantedLibrary()
	good.Claims = good.Claims[:1]
	for _, args := range [][]string{{"-page", full}, {"-page", "", "-json", full}} {
		code, out := commanded(t, []library{good}, append(args, "-source", source)...)
		require.Equal(t, 2, code, out)
		require.Contains(t, out, "write /dev/full: no space left on device")
	}
}

// TestPythonWithoutNumPy: it is named, and the rest goes on.
func TestPythonWithoutNumPy(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skipf("no sh here: %v", err)
	}
	source := planted(t, plantedText)
	python := filepath.Join(t.TempDir(), "python")
	require.NoError(t, os.WriteFile(python, []byte("#!/bin/sh\necho \"ModuleNotFoundError: No module named 'numpy'\" >&2\nexit 1\n"), 0o700))
	t.Setenv("GAMMA_PYTHON", python)
	n, good := numpy(), plantedLibrary()
	good.Claims = good.Claims[:1]
	code, out := commanded(t, []library{n, good}, "-source", source, "-page", "")
	require.Zero(t, code, out)
	require.Contains(t, out, "NumPy is absent: apt-get install python3-numpy")
	require.Contains(t, out, "No module named 'numpy'")
	require.Regexp(t, `planted +right +holds`, out)
}

// TestFaultsOnFile: what is violated is so on the page, also where a case on file beside the tests of this module says that it is known.
func TestFaultsOnFile(t *testing.T) {
	require.DirExists(t, "testdata/gamma/sum.special")
	code, out := commanded(t, modules(), "-checks", "2000", "-time", "5s", "-page", "", "-only", `SumCompensated|Langb|lattigo.ring.NTT`)
	require.Zero(t, code, out)
	for _, want := range []string{`gonum.floats.SumCompensated +violated .* sum.special`, `gonum.lapack64.Langb +violated .* sum.special`, `lattigo.ring.NTT\(any\) +violated .* ntt.roundtrip`, `lattigo.ring.NTTLazy\(2q\) +violated .* ntt.range`, `lattigo.ring.NTT +holds`, `lattigo.ring.NTTLazy +holds`} {
		require.Regexp(t, want, out)
	}
}

// TestTable: every claim has a name of its own and says where it comes from, and there are as many as the page promises.
func TestTable(t *testing.T) {
	names, libs, claims := map[string]bool{}, map[string]bool{}, 0
	for _, l := range libraries() {
		libs[l.Name] = true
		for _, c := range l.Claims {
			claims++
			name := l.title() + " " + c.Name
			require.False(t, names[name], "%s is there twice", name)
			names[name] = true
			for _, text := range []string{c.Says, c.From.Text, c.From.Where} {
				require.NotEmpty(t, text, name)
			}
			require.NotNil(t, c.Make, name)
		}
	}
	require.GreaterOrEqual(t, len(libs), 14)
	require.GreaterOrEqual(t, claims, 120)
}

// TestGlibc judges two functions of the C library that is here.
func TestGlibc(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skipf("no gcc here to compile shims/glibc.c: %v", err)
	}
	code, out := commanded(t, []library{glibc()}, "-page", "", "-only", "glibc (expf|log2f)$")
	require.Zero(t, code, out)
	require.Regexp(t, `glibc +expf +holds`, out)
	require.Regexp(t, `glibc +log2f +holds`, out)
}

// TestKeptPage: PEERS.md is what the lines in runs.jsonl come to, every claim has been judged or says why not, and each that is violated was checked by hand.
func TestKeptPage(t *testing.T) {
	p := &page{libraries: libraries()}
	require.NoError(t, p.add("runs.jsonl"))
	p.merge()
	require.Empty(t, p.missing())
	for _, r := range p.unexplained() {
		t.Errorf("%s %s is violated, and nobody has said why", r.Library, r.Claim)
	}
	text, err := os.ReadFile("PEERS.md")
	require.NoError(t, err)
	require.Equal(t, p.text(), string(text), "go run . -only '^$' -from runs.jsonl makes it")
}
