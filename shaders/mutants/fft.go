package mutants

import (
	"strings"

	"gamma/model"
	"gamma/shaders"
)

// FFT is a kernel of Fourier transforms with one fault: the twin's source with one piece of text changed.
type FFT struct {
	FFT   shaders.FFT
	Twin  string // the name of the sound kernel in package shaders
	Fault string // what is wrong
	// Kills and Survives are as in Mutant.
	Kills, Survives []model.LawID
}

// FFTs returns every mutant of a kernel of Fourier transforms.
func FFTs() []FFT {
	const (
		file                        = "shaders/fft.metal#"
		stages, tiled, ortho, plain = file + "stages", file + "tiled", file + "stages_ortho", file + "tiled_unscaled"
		double                      = file + "stages_double"
		factor                      = "w[k * (n / 2 >> ctz(span))]);"
	)
	safe, value := kernelLaws(), laws{model.FFTError}
	// Without a barrier a thread reads what others may not have written yet.
	race := kernelLaws(model.KernelRace, model.KernelInit)
	return []FFT{
		fftOf("fft_wrong_sign", stages, "Products are those with the conjugate factor.",
			"v.x * w.x - v.y * w.y, v.x * w.y + v.y * w.x", "v.x * w.x + v.y * w.y, v.y * w.x - v.x * w.y", value, safe),
		fftOf("fft_factor_swapped", tiled, "The imaginary part of a product has the wrong sign in one term.",
			"v.x * w.y + v.y * w.x", "v.x * w.y - v.y * w.x", value, safe),
		fftOf("fft_factor_short", plain, "Factors are cut off 2^-22 below the point.",
			"float2 v = *b;", "float2 v = *b;\n    w = trunc(w * 0x1p22f) * 0x1p-22f;", laws{model.FFTTypical}, append(kernelLaws(), model.FFTError, model.FFTEntry, model.FFTExact, model.FFTRoundtrip)),
		fftOf("fft_double_low", double, "The low word of a product's real part is lost.",
			"float2 re = dw_plus_dw(dw_times_dw2(v.xy, w.xy), -dw_times_dw2(v.zw, w.zw));",
			"float2 re = float2(dw_plus_dw(dw_times_dw2(v.xy, w.xy), -dw_times_dw2(v.zw, w.zw)).x, 0);", value, safe),
		fftOf("fft_stage_missing", stages, "The stage of span 2 does nothing.",
			"if (id.x < n / 2) {", "if (id.x < n / 2 && span != 2) {", laws{model.FFTError, model.FFTEntry, model.FFTExact}, safe),
		fftOf("fft_not_reversed", stages, "Numbers stay in natural order.", "reversed(id.x, n)]", "id.x]", laws{model.FFTError, model.FFTEntry}, safe),
		fftOf("fft_scale_missing", stages, "The factor 1/N is left out.", "reversed(id.x, n)] * scale", "reversed(id.x, n)]", laws{model.FFTError, model.FFTRoundtrip}, safe),
		fftOf("fft_scale_twice", ortho, "The factor 1/√N is there twice.", "reversed(id.x, n)] * scale", "reversed(id.x, n)] * scale * scale", laws{model.FFTError, model.FFTRoundtrip}, safe),
		fftOf("fft_past_end", stages, "One number too many is brought into place, if there is a thread for it.", "if (id.x < n) {", "if (id.x <= n) {", laws{model.KernelBounds}, laws{model.KernelBarrier}),
		fftOf("fft_row_first", stages, "Butterflies of all rows are done in the first.", "x + (id.y * n + 2 * id.x - k)", "x + (2 * id.x - k)", laws{model.KernelRace}, kernelLaws(model.KernelRace)),
		fftOf("fft_tile_no_barrier", tiled, "No barrier is before a stage.",
			"        threadgroup_barrier(mem_flags::mem_threadgroup);\n        for (uint b", "        for (uint b", laws{model.KernelRace}, race),
		fftOf("fft_tile_last_barrier", tiled, "No barrier is after the last stage.",
			"    threadgroup_barrier(mem_flags::mem_threadgroup);\n    for (uint i", "    for (uint i", laws{model.KernelRace}, race),
		fftOf("fft_tile_factors", tiled, "Factors of a tile are those of a transform of its length.",
			"threadgroup T* a = t + (2 * b - k);\n            fft_butterfly(a, a + span, "+factor,
			"threadgroup T* a = t + (2 * b - k);\n            fft_butterfly(a, a + span, w[k * (tile / 2 >> ctz(span))]);", value, safe),
		fftOf("fft_tile_first", tiled, "Each tile is taken from the first numbers.", "reversed(first + i, n)", "reversed(i, n)", value, safe),
	}
}

// FindFFT returns the mutant whose kernel is called name, and ok = false if there is none.
func FindFFT(name string) (f FFT, ok bool) {
	for _, f := range FFTs() {
		if f.FFT.Name == name {
			return f, true
		}
	}
	return FFT{}, false
}

// fftOf returns the mutant of a kernel of package shaders in whose source one piece of text is another.
func fftOf(name, twin, fault, old, text string, kills, survives laws) FFT {
	f, ok := shaders.FindFFT(twin)
	if !ok {
		panic(noTwin(name, twin))
	}
	if n := strings.Count(f.Source, old); n != 1 {
		panic(notOnce(name, old, n))
	}
	p := f.Program
	p.Name, p.Source = "shaders/mutants/"+name+twin[strings.IndexByte(twin, '#'):], strings.Replace(p.Source, old, text, 1)
	return FFT{FFT: f.Of(p), Twin: twin, Fault: fault, Kills: kills, Survives: survives}
}
