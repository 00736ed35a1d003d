package shaders

import (
	_ "embed"
	"encoding/binary"
	"fmt"

	"gamma/model"
	"gamma/model/word"
)

//go:embed dd.metal
var ddSource string

// dd returns the operation of a function of dd.metal, whose name there is dd_name.
func dd(name, algorithm string, op word.Op) Operation {
	return operation("dd.metal", ddSource, "dd_"+name, name, exactly(algorithm, op))
}

// doubleWords returns the operations on double words.
func doubleWords() []Operation {
	scale := operation("dd.metal", ddSource, "fft_scale_extended", "fft_scale_extended", word.Claim{Op: word.DWDivFPRound, Algorithm: "DWDivFP3", Special: word.SpecialNotFinite})
	return []Operation{
		dd("plus_fp", "DWPlusFP", word.DWPlusFP),
		dd("plus_dw_sloppy", "SloppyDWPlusDW", word.DWPlusDW),
		dd("plus_dw", "AccurateDWPlusDW", word.DWPlusDW),
		dd("times_fp1", "DWTimesFP1", word.DWTimesFP),
		dd("times_fp2", "DWTimesFP2", word.DWTimesFP),
		dd("times_fp3", "DWTimesFP3", word.DWTimesFP),
		dd("times_dw1", "DWTimesDW1", word.DWTimesDW),
		dd("times_dw2", "DWTimesDW2", word.DWTimesDW),
		dd("times_dw3", "DWTimesDW3", word.DWTimesDW),
		dd("div_fp1", "DWDivFP1", word.DWDivFP),
		dd("div_fp2", "DWDivFP2", word.DWDivFP),
		dd("div_fp3", "DWDivFP3", word.DWDivFP),
		dd("div_dw1", "DWDivDW1", word.DWDivDW),
		dd("div_dw2", "DWDivDW2", word.DWDivDW),
		dd("div_dw3", "DWDivDW3", word.DWDivDW),
		dd("sqrt", "SQRTDWtoDW", word.DWSqrt),
		scale,
	}
}

// ddProgram returns the program of a function of dd.metal that converts or compares.
func ddProgram(name string) Program { return dd(name, "", word.DWPlusDW).Program }

// DDCompare orders rows xh, xl, yh, yl of double words: -1, 0 or 1 as x is less than, equal to or greater than y, and 2 where a
// word that matters is NaN.
//
// Shape: len(src) = 4·len(dst).
func DDCompare(r *Runner, l model.Launch, dst []int32, src []float32) error {
	return toInts(r, ddProgram("compare"), l, dst, src, 4)
}

// DDToInt32 returns double words without their fractions, the nearest int32 where that is out of range, and 0 for NaN.
//
// Shape: len(src) = 2·len(dst).
func DDToInt32(r *Runner, l model.Launch, dst []int32, src []float32) error {
	return toInts(r, ddProgram("to_int"), l, dst, src, 2)
}

func toInts(r *Runner, p Program, l model.Launch, dst []int32, src []float32, words int) error {
	if len(src) != words*len(dst) {
		return fmt.Errorf("%s: %d words are not the operands of %d results; each has %d", p.Name, len(src), len(dst), words)
	}
	if err := p.fits(enoughThreads(len(dst), l)); err != nil || len(dst) == 0 {
		return err
	}
	bytes, err := p.Operate(r, l, len(dst), 4*len(dst), floatBytes(src))
	if Completed(err) {
		for i := range dst {
			dst[i] = int32(uint32At(bytes, i))
		}
	}
	return err
}

// DDFrom converts numbers to double words: pairs of floats to their exact sums, integers of 32 bits exactly, those of 64 bits within
// 2^-48 of their value.
//
// Shape: len(dst) = 2·len(src), and len(dst) = len(src) of float32.
func DDFrom[T float32 | int32 | uint32 | int64 | uint64](r *Runner, l model.Launch, dst []float32, src []T) error {
	var zero T
	name, each := "", 2
	switch any(zero).(type) {
	case float32:
		name, each = "of_floats", 1
	case int32:
		name = "of_int"
	case uint32:
		name = "of_uint"
	case int64:
		name = "of_long"
	case uint64:
		name = "of_ulong"
	}
	p := ddProgram(name)
	if len(dst) != each*len(src) || len(dst)%2 != 0 {
		return fmt.Errorf("%s: %d words are not the double words of %d numbers", p.Name, len(dst), len(src))
	}
	n := len(dst) / 2
	if err := p.fits(enoughThreads(n, l)); err != nil || n == 0 {
		return err
	}
	b, err := binary.Append(nil, binary.LittleEndian, src)
	if err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	bytes, err := p.Operate(r, l, n, 4*len(dst), b)
	if Completed(err) {
		readFloats(dst, bytes)
	}
	return err
}
