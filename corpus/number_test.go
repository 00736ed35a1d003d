package corpus

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
)

// smallFormats are those whose every encoding is tried.
func smallFormats() []model.Format {
	f := []model.Format{model.Binary16, model.BFloat16, model.E5M2, model.E4M3}
	for p := 2; p <= 11; p++ {
		f = append(f, model.Toy(p))
	}
	return f
}

// TestValueEveryEncoding writes every encoding of the narrow formats and reads it back, and reads
// the text of finite ones by strconv, against the exact value by model's rationals.
func TestValueEveryEncoding(t *testing.T) {
	for _, f := range smallFormats() {
		seen := map[string]uint64{}
		for b := range f.SignBit() << 1 {
			s := FormatValue(f, b)
			if was, dup := seen[s]; dup {
				t.Fatalf("%s: %#x and %#x are both %s", f, b, was, s)
			}
			seen[s] = b
			if back, err := ParseValue(f, s); err != nil || back != b {
				t.Fatalf("%s: %#x is written %s and read as %#x, %v", f, b, s, back, err)
			}
			if !f.IsFinite(b) {
				continue
			}
			v, err := strconv.ParseFloat(s, 64)
			if err != nil || new(big.Rat).SetFloat64(v).Cmp(f.Rat(b)) != 0 || f.Signbit(b) != math.Signbit(v) {
				t.Fatalf("%s %#x is %s, not %s", f, b, f.Rat(b), s)
			}
		}
	}
}

// TestValueBetween reads the midpoint between each number and the next, which no narrow format
// holds, and finds both in the error.
func TestValueBetween(t *testing.T) {
	for _, f := range smallFormats() {
		for b := range f.MaxBits() {
			lo, hi := decode(f, b), decode(f, b+1)
			e := min(lo.e, hi.e) - 1
			mid := dyadic{m: lo.m<<(lo.e-e) + hi.m<<(hi.e-e), e: e - 1}.odd()
			if b == 0 {
				mid = dyadic{m: 1, e: hi.e - 1}
			}
			for _, d := range []dyadic{mid, {neg: true, m: mid.m, e: mid.e}} {
				_, err := ParseValue(f, d.String())
				sign := d.sign(f)
				want := fmt.Sprintf("%s is not a number of %s, and case files are not rounded; next to it lie %s and %s",
					d, f, FormatValue(f, sign|b), FormatValue(f, sign|(b+1)))
				if err == nil || err.Error() != want {
					t.Fatalf("%s %#x: %v\nnot %s", f, b, err, want)
				}
			}
		}
		top := decode(f, f.MaxBits())
		_, err := ParseValue(f, dyadic{m: top.m + 1, e: top.e}.odd().String())
		require.ErrorContains(t, err, "beyond the largest number of "+f.Name)
	}
}

func (d dyadic) sign(f model.Format) uint64 {
	if d.neg {
		return f.SignBit()
	}
	return 0
}

// TestValueWide compares binary32 and binary64 with strconv, on edges and on random encodings.
func TestValueWide(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, f := range []model.Format{model.Binary32, model.Binary64} {
		width := f.Bits()
		codes := []uint64{0, 1, 2, 3, f.MinNormalBits() - 1, f.MinNormalBits(), f.MaxBits(), f.InfBits(), f.NaNBits(), f.InfBits() + 1}
		for range 40_000 {
			codes = append(codes, r.Uint64()>>(64-width), r.Uint64()>>(64-width)&^(1<<r.IntN(f.P)-1), r.Uint64()>>(65-f.P))
		}
		for _, b := range codes {
			for _, b := range []uint64{b, b | f.SignBit()} {
				s := FormatValue(f, b)
				if back, err := ParseValue(f, s); err != nil || back != b {
					t.Fatalf("%s: %#x is written %s and read as %#x, %v", f, b, s, back, err)
				}
				if f.IsNaN(b) {
					continue
				}
				v, err := strconv.ParseFloat(s, width)
				got := math.Float64bits(v)
				x := math.Float64frombits(b)
				if width == 32 {
					got = uint64(math.Float32bits(float32(v)))
					x = float64(math.Float32frombits(uint32(b)))
				}
				if err != nil || got != b {
					t.Fatalf("%s: strconv reads %s as %#x, not %#x", f, s, got, b)
				}
				s = strings.ToLower(strconv.FormatFloat(x, 'x', -1, width))
				if back, err := ParseValue(f, s); err != nil || back != b {
					t.Fatalf("%s: strconv writes %#x as %s, which is read as %#x, %v", f, b, s, back, err)
				}
			}
		}
	}
}

// TestValueSpellings lists spellings that are read beside the canonical one.
func TestValueSpellings(t *testing.T) {
	for in, want := range map[string]string{
		"0x1p0": "0x1p+0", "0x1P+00": "0x1p+0", "0X10p-4": "0x1p+0", "+0x.8p1": "0x1p+0", "0x1.p0": "0x1p+0",
		"0x000000000000000000000003p0": "0x1.8p+1", "0xABp-3": "0x1.56p+4", "-0x0.0p99": "-0x0p+0", "0x0p0": "0x0p+0",
		"0x1000000000000000000000000000000000000000p-156": "0x1p+0", "+inf": "inf", "-inf": "-inf", "nan": "nan:0x7fc00000",
		"nan:0xFF800001": "nan:0xff800001", "0x1p-149": "0x1p-149", "0x0.000002p-126": "0x1p-149",
	} {
		b, err := ParseValue(model.Binary32, in)
		require.NoError(t, err, in)
		require.Equal(t, want, FormatValue(model.Binary32, b), in)
	}
}

// TestValueErrors lists what is no value and what the reader is told.
func TestValueErrors(t *testing.T) {
	for _, c := range []struct {
		f        model.Format
		in, want string
	}{
		{model.Binary32, "", `"" is no value; write a hex float`},
		{model.Binary32, "0.1", `"0.1" is decimal, and values are hex floats; in binary64 it is 0x1.999999999999ap-4`},
		{model.Binary32, "1e400", "is no value"},
		{model.Binary32, "infinity", "is no value"},
		{model.Binary32, "NaN", "is no value"},
		{model.Binary32, "0x1", "has no binary exponent"},
		{model.Binary32, "0xp0", "has no digits"},
		{model.Binary32, "0x.p0", "has no digits"},
		{model.Binary32, "0x1.2.3p0", "has the character '.' among its hex digits"},
		{model.Binary32, "0x1_0p0", "has the character '_'"},
		{model.Binary32, "0x1é0p0", "has the character 'é'"},
		{model.Binary32, "0x1p", "has no decimal number after the p"},
		{model.Binary32, "0x1p1_0", "has no decimal number after the p"},
		{model.Binary32, "0x1p+-1", "has no decimal number after the p"},
		{model.Binary32, "0x1p99999999999999999999", "is outside every format"},
		{model.Binary32, "0x1p-1048577", "is outside every format"},
		{model.Binary32, "0x1.00000000000000001p0", "more than 16 significant hex digits"},
		{model.Binary32, "0x1.000001p0", "next to it lie 0x1p+0 and 0x1.000002p+0"},
		{model.Binary32, "-0x1p-1048576", "next to it lie -0x0p+0 and -0x1p-149"},
		{model.Binary32, "0x1.ffffffp+127", "next to it lie 0x1.fffffep+127 and inf"},
		{model.Binary32, "0x1p128", "0x1p+128 is beyond the largest number of binary32, 0x1.fffffep+127"},
		{model.E4M3, "inf", "e4m3 has no infinity"},
		{model.E4M3, "0x1.ep8", "is beyond the largest number of e4m3, 0x1.cp+8"},
		{model.E4M3, "-0x1.d8p8", "is beyond the largest number of e4m3, -0x1.cp+8"},
		{model.E4M3, "0x1.cp8", ""},
		{model.E4M3, "nan:0x7e", "are not the bits of a NaN in e4m3; its canonical NaN is nan:0x7f"},
		{model.Binary32, "nan:0x17fc00000", "are not the bits of a NaN"},
		{model.Binary32, "nan:0x", "are not the bits of a NaN"},
		{model.Binary32, "nan:0x7f800000", "are not the bits of a NaN"},
		{model.Binary32, "nan:0x7fc0000000000000000000", "are not the bits of a NaN"},
		{model.Binary32, strings.Repeat("é", 500), "…"},
	} {
		_, err := ParseValue(c.f, c.in)
		if c.want == "" {
			require.NoError(t, err, c.in)
			continue
		}
		require.ErrorContains(t, err, c.want, c.in)
		require.Less(t, len(err.Error()), 400)
	}
}

// TestDecimal shows the comments after values.
func TestDecimal(t *testing.T) {
	for in, want := range map[string]string{
		"-0x1.8p-20": "-1.43e-06", "0x1p+24": "16777216", "0x1p+53": "9.01e+15", "0x1p-1": "0.5", "-0x0p+0": "-0",
		"0x1p-1074": "4.94e-324", "0x1.fffffffffffffp+1023": "1.8e+308", "0x1.8p+1": "3",
	} {
		d, err := parseHex(in)
		require.NoError(t, err)
		require.Equal(t, want, d.decimal(), in)
	}
}
