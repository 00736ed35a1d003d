package conv

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gamma/model/fourier"
)

// Profile says how a pipeline computes. Its fields are the keys of a profile's file.
type Profile struct {
	Name string // of its file, without the ending

	Freq    bool // bidir_space: the spectra of both filters are added, and not the filters
	Average bool // bidir_combine: half of the sum
	Norm    fourier.Norm
	Product bool // ep_freqmul: the product of spectra is computed in binary64
	Taps    bool // ep_depthwise: the stream of 3 taps is computed in binary64
	FFT     bool // ep_fft: transforms and all after them are computed in binary64, and nothing is rounded before the result; needs Product
	Double  bool // ep_fft is "double-double": in double words of binary64 instead, and the stream too if Taps; needs FFT, and excludes Strict
	Strict  bool // strict_kernels: transforms of at most StrictN points go by definition, in the order of the indices, with Kahan's sums in binary64
}

// StrictN is the greatest number of points that strict_kernels transforms by definition: the seed's strict transform is for small cases.
const StrictN = 512

// Variable is the environment variable that names the profile where no flag does; see Flag.
const Variable = "GAMMA_CONV_PROFILE"

//go:embed profiles/*.json
var files embed.FS

// Profiles returns the names of the embedded profiles.
func Profiles() []string {
	list, err := files.ReadDir("profiles")
	if err != nil {
		panic(err) // it is embedded
	}
	names := make([]string, len(list))
	for i, f := range list {
		names[i] = strings.TrimSuffix(f.Name(), ".json")
	}
	return names
}

// Load returns the embedded profile called name, or the one in the file at that path if name has a slash, a backslash or the ending .json. An empty
// name stands for what the environment variable Variable says, and for torch_like if it is not set.
//
// Errors: no such profile or file; an unknown, missing or repeated key, or a value that it cannot have, by name.
func Load(name string) (Profile, error) {
	if name == "" {
		name = os.Getenv(Variable)
	}
	if name == "" {
		name = "torch_like"
	}
	if strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".json") {
		text, err := os.ReadFile(name)
		if err != nil {
			return Profile{}, fmt.Errorf("conv: profile: %w", err)
		}
		return Parse(name, text)
	}
	text, err := files.ReadFile("profiles/" + name + ".json")
	if err != nil {
		return Profile{}, fmt.Errorf("conv: there is no profile %q; there are %s, or give the path of a file", name, strings.Join(Profiles(), ", "))
	}
	return Parse(name+".json", text)
}

// Flag defines a flag of that name in a set, flag.CommandLine for instance, whose value chooses a profile as the argument of Load does. It returns a function that
// gives the profile once the set is parsed: the flag's, or without one that of Load(""), by the environment variable.
//
// Errors: those of Load; of the flag's value when the set is parsed.
func Flag(set *flag.FlagSet, name string) func() (Profile, error) {
	var chosen *Profile
	set.Func(name, "the `profile` of convolutions: "+strings.Join(Profiles(), ", ")+", or the path of a file; without it "+Variable+" says which", func(text string) error {
		p, err := Load(text)
		chosen = &p
		return err
	})
	return func() (Profile, error) {
		if chosen != nil {
			return *chosen, nil
		}
		return Load("")
	}
}

// keys sets the field of each key, whose value is one of two or three, in order.
var keys = map[string]struct {
	values   []any
	set      func(p *Profile, i int)
	optional bool
}{
	"bidir_space":    {[]any{"time", "freq"}, func(p *Profile, i int) { p.Freq = i == 1 }, false},
	"bidir_combine":  {[]any{"sum", "avg"}, func(p *Profile, i int) { p.Average = i == 1 }, false},
	"fft_norm":       {[]any{"backward", "forward", "ortho"}, func(p *Profile, i int) { p.Norm = fourier.Norm(i) }, false},
	"ep_freqmul":     {[]any{false, true}, func(p *Profile, i int) { p.Product = i == 1 }, false},
	"ep_depthwise":   {[]any{false, true}, func(p *Profile, i int) { p.Taps = i == 1 }, false},
	"ep_fft":         {[]any{false, true, "double-double"}, func(p *Profile, i int) { p.FFT, p.Double = i > 0, i == 2 }, true},
	"strict_kernels": {[]any{false, true}, func(p *Profile, i int) { p.Strict = i == 1 }, false},
}

// Parse reads the text of a profile; file is its name in errors.
func Parse(file string, text []byte) (Profile, error) {
	p := Profile{Name: strings.TrimSuffix(filepath.Base(file), ".json")}
	fail := func(format string, args ...any) (Profile, error) {
		return Profile{}, fmt.Errorf("conv: profile %s: %s", file, fmt.Sprintf(format, args...))
	}
	values, err := object(text)
	if err != nil {
		return Profile{}, fmt.Errorf("conv: profile %s:%w", file, err)
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		k, ok := keys[key]
		if !ok {
			return fail("the key %q is unknown; there are %s", key, strings.Join(slices.Sorted(maps.Keys(keys)), ", "))
		}
		i := slices.Index(k.values, values[key])
		if i < 0 {
			return fail("%s is %v, and has to be %s", key, quoted(values[key]), alternatives(k.values))
		}
		k.set(&p, i)
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if _, ok := values[key]; !ok && !keys[key].optional {
			return fail("the key %q is missing", key)
		}
	}
	if err := p.check(); err != nil {
		return fail("%v", err)
	}
	return p, nil
}

// check returns what is wrong with a profile beyond single keys.
func (p Profile) check() error {
	if p.FFT && !p.Product {
		return fmt.Errorf("ep_fft is true and ep_freqmul false: spectra that are held in binary64 need a product in binary64")
	}
	if p.Double && !p.FFT {
		return fmt.Errorf("double words are a kind of ep_fft, which is false")
	}
	if p.Double && p.Strict {
		return fmt.Errorf("ep_fft is double-double and strict_kernels true: transforms by definition are computed in binary64")
	}
	if p.Norm > fourier.NormOrtho {
		return fmt.Errorf("fft_norm is %v: a round trip has to have one factor of 1/N", p.Norm)
	}
	return nil
}

// alternatives lists values.
func alternatives(values []any) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = fmt.Sprint(v)
	}
	return strings.Join(texts, " or ")
}

// quoted writes a value as JSON has it.
func quoted(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // it came from JSON
	}
	return string(text)
}

// object reads a JSON object, each key once: package json would take the last of two. Errors say where, as line:column.
func object(text []byte) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	at := func(offset int64) string {
		before := string(text[:min(max(offset, 0), int64(len(text)))])
		line := strings.Count(before, "\n")
		return fmt.Sprintf("%d:%d", line+1, len(before)-strings.LastIndex(before, "\n"))
	}
	broken := func(err error) error {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return fmt.Errorf("%s: the file ends before its object does; complete it, up to the } at its end, or copy one that is embedded", at(int64(len(text))))
		}
		return fmt.Errorf("%s: %w", at(d.InputOffset()), err)
	}
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, fmt.Errorf("1:1: it is no JSON object; write one, {…}, or copy one that is embedded")
	}
	values := map[string]any{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, broken(err)
		}
		key, ok := t.(string)
		if !ok {
			return nil, fmt.Errorf("%s: %v is no key", at(d.InputOffset()), t)
		}
		if _, again := values[key]; again {
			return nil, fmt.Errorf("%s: the key %q is there twice; leave one out", at(d.InputOffset()), key)
		}
		var v any
		if err := d.Decode(&v); err != nil {
			return nil, fmt.Errorf("%w, in the value of %s", broken(err), key)
		}
		values[key] = v
	}
	if _, err := d.Token(); err != nil {
		return nil, broken(err)
	}
	if _, err := d.Token(); err != io.EOF { // More says nothing of a bracket that closes
		return nil, fmt.Errorf("%s: something follows the object; leave it out", at(d.InputOffset()))
	}
	return values, nil
}

// Roundings returns the steps of the pipeline whose result is rounded to binary32, in order; the last is that of the results. The pipeline has
// taps, and a gate, or has not.
func (p Profile) Roundings(taps, gate bool) []string {
	var list []string
	if !p.FFT {
		if taps {
			list = append(list, "taps")
		}
		list = append(list, "rfft", "product", "irfft")
		if gate {
			list = append(list, "bias")
		}
	} else if taps && !p.Taps {
		list = append(list, "taps")
	}
	if gate {
		return append(list, "gate")
	}
	return append(list, "bias")
}
