package conv_test

import (
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/conv"
	"gamma/model/fourier"
)

// TestLoad reads profiles by name, by path and by environment variable. The seed's three are as its text has them.
func TestLoad(t *testing.T) {
	require.Equal(t, []string{"double_double", "extended", "mlx_stable", "seed_extended", "torch_like"}, conv.Profiles())
	for _, name := range conv.Profiles() {
		_, err := conv.Load(name)
		require.NoError(t, err)
	}
	t.Setenv(conv.Variable, "")
	p, err := conv.Load("")
	require.NoError(t, err)
	require.Equal(t, conv.Profile{Name: "torch_like", Norm: fourier.NormForward}, p)
	t.Setenv(conv.Variable, "mlx_stable")
	p, err = conv.Load("")
	require.NoError(t, err)
	require.Equal(t, conv.Profile{Name: "mlx_stable", Average: true}, p)
	p, err = conv.Load("double_double")
	require.NoError(t, err)
	require.Equal(t, conv.Profile{Name: "double_double", Norm: fourier.NormForward, Product: true, Taps: true, FFT: true, Double: true}, p)
	p, err = conv.Load("seed_extended")
	require.NoError(t, err)
	require.Equal(t, conv.Profile{Name: "seed_extended", Norm: fourier.NormForward, Product: true, Taps: true, Strict: true}, p)

	file := filepath.Join(t.TempDir(), "mine.json")
	text := `{"bidir_space": "freq", "bidir_combine": "avg", "fft_norm": "ortho", "ep_freqmul": true, "ep_depthwise": false, "ep_fft": true, "strict_kernels": false}`
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	p, err = conv.Load(file)
	require.NoError(t, err)
	require.Equal(t, conv.Profile{Name: "mine", Freq: true, Average: true, Norm: fourier.NormOrtho, Product: true, FFT: true}, p)
}

// TestBadProfiles holds that errors name the key, the file and what is allowed.
func TestBadProfiles(t *testing.T) {
	const good = `{"bidir_space": "time", "bidir_combine": "sum", "fft_norm": "forward", "ep_freqmul": false, "ep_depthwise": false, "strict_kernels": false}`
	_, err := conv.Parse("p.json", []byte(good))
	require.NoError(t, err)
	for _, c := range [][3]string{
		{`"time"`, `"space"`, `profile p.json: bidir_space is "space", and has to be time or freq`},
		{`"sum"`, `"max"`, `bidir_combine is "max", and has to be sum or avg`},
		{`"sum"`, `true`, `bidir_combine is true, and has to be sum or avg`},
		{`"forward"`, `"none"`, `fft_norm is "none", and has to be backward or forward or ortho`},
		{`"ep_freqmul": false`, `"ep_freqmul": "true"`, `ep_freqmul is "true", and has to be false or true`},
		{`"ep_freqmul": false`, `"ep_freqmul": null`, `ep_freqmul is null`},
		{`"ep_freqmul": false`, `"ep_freqmul": false, "ep_fft": true`, `ep_fft is true and ep_freqmul false`},
		{`"ep_freqmul": false`, `"ep_freqmul": true, "ep_fft": "dd"`, `ep_fft is "dd", and has to be false or true or double-double`},
		{`"ep_freqmul": false`, `"ep_freqmul": true, "ep_fft": ["double-double"]`, `ep_fft is ["double-double"], and has to be false or true or double-double`},
		{`"ep_freqmul": false`, `"ep_freqmul": false, "ep_fft": "double-double"`, `ep_fft is true and ep_freqmul false`},
		{`"ep_freqmul": false`, `"ep_freqmull": false`, `the key "ep_freqmull" is unknown; there are bidir_combine, bidir_space, ep_depthwise, ep_fft,`},
		{`"ep_freqmul": false`, `"EP_freqmul": false`, `the key "EP_freqmul" is unknown`},
		{`"ep_freqmul": false, `, ``, `the key "ep_freqmul" is missing`},
		{`"ep_freqmul": false`, `"ep_freqmul": false, "ep_freqmul": true`, `the key "ep_freqmul" is there twice`},
		{`}`, `} {}`, `something follows the object`},
		{`}`, `}}`, `something follows the object`},
		{`}`, `}]`, `something follows the object`},
		{good, `[]`, `it is no JSON object`},
		{good, ``, `profile p.json:1:1: it is no JSON object; write one`},
		{`, "ep_freqmul": false, "ep_depthwise": false, "strict_kernels": false}`, ``, `profile p.json:1:70: the file ends before its object does; complete it`},
		{`"ep_freqmul": false, "ep_depthwise": false, "strict_kernels": false}`, ``, `profile p.json:1:72: the file ends before its object does`},
		{`false, "ep_depthwise": false, "strict_kernels": false}`, "\nfal", `profile p.json:2:4: the file ends before its object does; complete it, up to the } at its end, or copy one that is embedded, in the value of ep_freqmul`},
		{` "ep_freqmul": false`, "\n  ep_freqmul: false", `profile p.json:2:3: invalid character 'e'`},
		{`false}`, `false`, `profile p.json`},
	} {
		_, err := conv.Parse("p.json", []byte(strings.Replace(good, c[0], c[1], 1)))
		require.ErrorContains(t, err, c[2], c[1])
	}
	_, err = conv.Parse("p.json", []byte(strings.NewReplacer(`"ep_freqmul": false`, `"ep_freqmul": true, "ep_fft": "double-double"`, `"strict_kernels": false`, `"strict_kernels": true`).Replace(good)))
	require.ErrorContains(t, err, "ep_fft is double-double and strict_kernels true")
	_, err = conv.New(conv.Profile{Double: true}, 4)
	require.ErrorContains(t, err, "double words are a kind of ep_fft, which is false")
	_, err = conv.Load("torch")
	require.ErrorContains(t, err, `there is no profile "torch"; there are double_double, extended, mlx_stable, seed_extended, torch_like`)
	_, err = conv.Load("missing/torch.json")
	require.ErrorContains(t, err, "missing/torch.json")
}

// TestFlag: a flag chooses before the environment does, and a bad value is refused when flags are parsed.
func TestFlag(t *testing.T) {
	t.Setenv(conv.Variable, "mlx_stable")
	for _, c := range [][3]string{
		{"", "mlx_stable", ""},
		{"-profile=extended", "extended", ""},
		{"-profile=", "mlx_stable", ""},
		{"-profile=none", "", `invalid value "none" for flag -profile: conv: there is no profile "none"; there are`},
	} {
		set := flag.NewFlagSet("mine", flag.ContinueOnError)
		set.SetOutput(io.Discard)
		profile := conv.Flag(set, "profile")
		err := set.Parse(strings.Fields(c[0]))
		if c[2] != "" {
			require.ErrorContains(t, err, c[2])
			continue
		}
		require.NoError(t, err)
		p, err := profile()
		require.NoError(t, err)
		require.Equal(t, c[1], p.Name)
	}
}

// TestRoundings counts: four in the plain pipeline, one in the extended one; the seed's extended profile leaves all four.
func TestRoundings(t *testing.T) {
	for name, want := range map[string][2]int{"torch_like": {4, 6}, "mlx_stable": {4, 6}, "seed_extended": {4, 6}, "extended": {1, 1}, "double_double": {1, 1}} {
		p, err := conv.Load(name)
		require.NoError(t, err)
		require.Len(t, p.Roundings(false, false), want[0], name)
		require.Len(t, p.Roundings(true, true), want[1], name)
		require.Equal(t, want[1], p.Kernel().Claim.Roundings(), name)
	}
}

// TestBadOperands holds that a call that cannot be is an error that names the array, and leaves dst as it is.
func TestBadOperands(t *testing.T) {
	good := func() conv.Operands {
		return conv.Operands{
			Batch: 2, Width: 3, N: 4, X: make([]float32, 24), Filter: make([]float32, 12), Reverse: make([]float32, 12),
			Taps: make([]float32, 9), Bias: make([]float32, 3), Gate: make([]float32, 24),
		}
	}
	p, err := conv.Load("extended")
	require.NoError(t, err)
	require.NoError(t, p.Run(make([]float32, 24), good()))
	for want, change := range map[string]func(o *conv.Operands){
		"a batch of 0 rows": func(o *conv.Operands) { o.Batch = 0 },
		"-1 channels":       func(o *conv.Operands) { o.Width = -1 },
		"of 0 numbers":      func(o *conv.Operands) { o.N = 0 },
		"are too many":      func(o *conv.Operands) { o.N = math.MaxInt },
		"X has 23 numbers, and 2 times 3 rows of 4 need 24": func(o *conv.Operands) { o.X = o.X[1:] },
		"Filter has 0 numbers":                              func(o *conv.Operands) { o.Filter = nil },
		"Reverse has 11 numbers":                            func(o *conv.Operands) { o.Reverse = o.Reverse[1:] },
		"Taps has 0 numbers":                                func(o *conv.Operands) { o.Taps = []float32{} },
		"Bias has 1 numbers":                                func(o *conv.Operands) { o.Bias = o.Bias[:1] },
		"Gate has 12 numbers":                               func(o *conv.Operands) { o.Gate = o.Gate[:12] },
	} {
		o := good()
		change(&o)
		dst := make([]float32, 24)
		for i := range dst {
			dst[i] = 7
		}
		require.ErrorContains(t, p.Run(dst, o), want)
		require.Equal(t, slices.Repeat([]float32{7}, 24), dst)
	}
	require.ErrorContains(t, p.Run(make([]float32, 23), good()), "dst has 23 numbers")
	l, err := conv.New(p, 5)
	require.NoError(t, err)
	require.ErrorContains(t, l.Run(make([]float32, 24), good()), "rows of 4 numbers, and the pipeline is for rows of 5")
	_, err = conv.New(p, 0)
	require.ErrorContains(t, err, "rows of 0 numbers")
	p.Product = false
	require.ErrorContains(t, p.Run(make([]float32, 24), good()), "ep_freqmul")
}

// TestSpecialStaysInItsRow holds that a NaN or an infinity in one row leaves the bits of others.
func TestSpecialStaysInItsRow(t *testing.T) {
	for _, name := range conv.Profiles() {
		p, err := conv.Load(name)
		require.NoError(t, err)
		o := layer(2, 2, 40, 4)
		want, got := make([]float32, len(o.X)), make([]float32, len(o.X))
		require.NoError(t, p.Run(want, o))
		o.X[3], o.X[5*16] = float32(math.NaN()), float32(math.Inf(1)) // rows 0 and 2
		require.NoError(t, p.Run(got, o))
		require.True(t, got[0] != got[0])
		require.Equal(t, want[40:80], got[40:80], name)
		require.Equal(t, want[120:], got[120:], name)
	}
}
