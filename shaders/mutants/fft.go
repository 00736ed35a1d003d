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
		double, real                = file + "stages_double", file + "real"
		factor                      = "w[k * (n / 2 >> ctz(span))]);"
	)
	safe, value := kernelLaws(), laws{model.FFTError}
	// Without a barrier a thread reads what others may not have written yet.
	race := kernelLaws(model.KernelRace, model.KernelInit)
	return append([]FFT{
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
		fftOf("fft_real_halved", real, "The halves are sums: a factor 1/2 is missing.", "float2 even = float2(a.x + b.x, a.y - b.y) * 0.5f;", "float2 even = float2(a.x + b.x, a.y - b.y);", value, safe),
		fftOf("fft_real_conjugate", real, "Values above N/4 are not conjugated.", "row[m - k] = float2(odd.x, -odd.y);", "row[m - k] = odd;", value, safe),
		fftOf("fft_real_ends", real, "The way back takes the imaginary parts of X_0 and X_(N/2).", "if (k == 0) {", "if (k > m) {", value, safe),
		fftOf("fft_real_last", real, "The last value, X_(N/2), is left out.", "if (k > m / 2) {\n        return;\n    }\n    float2 a = z", "if (k == 0 || k > m / 2) {\n        return;\n    }\n    float2 a = z", laws{model.KernelInit}, kernelLaws(model.KernelInit)),
	}, fftPasses()...)
}

// fftPasses returns the mutants of transforms in one pass or two.
func fftPasses() []FFT {
	const one, two = "shaders/fft_pass.metal#one_pass", "shaders/fft_pass.metal#two_passes"
	safe, value := kernelLaws(), laws{model.FFTError}
	barrier := func(name, before, after string) FFT {
		wait := "        threadgroup_barrier(mem_flags::mem_threadgroup);\n"
		return fftOf(name, two, "A barrier is missing.", before+wait+after, before+after, laws{model.KernelRace}, kernelLaws(model.KernelRace, model.KernelInit))
	}
	return []FFT{
		fftOf("fft_pass_quarter", one, "Of every four values two are multiplied by i for -i.", "b = float2(d.y, -d.x);", "b = float2(-d.y, d.x);", value, safe),
		fftOf("fft_pass_radix16", one, "Two factors of the pass of radix 16 are exchanged.", "fft_twist(a[I + 1], a[I + 9], float2(c2, -c6));", "fft_twist(a[I + 1], a[I + 9], float2(c6, -c2));", value, safe),
		fftOf("fft_pass_constant", one, "√½ is off by 2^-20.", "c4 = 0.70710678118654752440f;", "c4 = 0.70710773f;", laws{model.FFTTypical}, append(kernelLaws(), model.FFTExact)),
		fftOf("fft_pass_inside", two, "The factors within a pass are those of the next row.", "= fft_times(a[FFT_AT(LA, j)], w[j << LB]);", "= fft_times(a[FFT_AT(LA, j)], w[(j - 1) << LB]);", value, safe),
		fftOf("fft_pass_between", two, "The factors between the passes are left out.", "a[j] = fft_times(from[j * step], w[j * step]);", "a[j] = from[j * step];", value, safe),
		fftOf("fft_pass_order", two, "Values stay in bit-reversed order.", "to[j * apart] = exchanged(a[FFT_AT(LB, j)], g.swap_out != 0);", "to[j * apart] = exchanged(a[j], g.swap_out != 0);", value, safe),
		fftOf("fft_pass_swap", two, "The inverse transform leaves the parts of its results exchanged.", "to[j * apart] = exchanged(a[FFT_AT(LB, j)], g.swap_out != 0);", "to[j * apart] = a[FFT_AT(LB, j)];", value, safe),
		fftOf("fft_pass_scale", one, "The factor 1/N is left out.", "exchanged(from[j * step], g.swap_in != 0) * g.scale;", "exchanged(from[j * step], g.swap_in != 0);", laws{model.FFTError, model.FFTRoundtrip}, safe),
		fftOf("fft_pass_place", two, "What is written at one place is read at another.", "uint y = row & ((1u << LB) - 1);", "uint y = result & ((1u << LB) - 1);", value, safe),
		fftOf("fft_pass_row", two, "The factors between the passes are taken past the transform's own.", "device const float2* w = between + place;", "device const float2* w = between + (group.y * g.n + place);", laws{model.KernelBounds}, laws{model.KernelBarrier}),
		barrier("fft_pass_first_barrier", "        FFT_EACH(FFT_PUT_X)\n", "        FFT_EACH(FFT_TAKE_X)\n"),
		barrier("fft_pass_second_barrier", "        FFT_EACH(FFT_TAKE_X)\n", "        FFT_EACH(FFT_PUT_Y)\n"),
		barrier("fft_pass_third_barrier", "        FFT_EACH(FFT_PUT_Y)\n", "        FFT_EACH(FFT_TAKE_Y)\n"),
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
