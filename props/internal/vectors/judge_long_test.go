package vectors

import (
	"os"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/model"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/verdict"
	"gamma/sumtree"
)

// at returns element i of x, where its place in bytes is a signed number of so many bits.
func at[T float32 | float64](x []T, i int, bits uint) T {
	offset := int64(i*int(unsafe.Sizeof(x[0]))) << (64 - bits) >> (64 - bits)
	return *(*T)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(x)), int(offset)))
}

// longKernel returns a sum or dot product of which an index of bytes has so many bits.
func longKernel(op engine.Op, f model.Format, bits uint) *Kernel {
	return &Kernel{Name: "long", Op: op, Claim: model.Claim{}.WithDefaults(f), Run: func(_ verdict.Setting, _ *sumtree.Tree, x, y corpus.Values, _ int, dst []uint64) error {
		s, s32 := 0.0, float32(0)
		switch {
		case f == model.Binary64:
			for i := range x.F64 {
				s += at(x.F64, i, bits)
			}
		case op == engine.OpDot:
			for i := range x.F32 {
				s32 += float32(at(x.F32, i, bits) * at(y.F32, i, bits))
			}
		default:
			for i := range x.F32 {
				s32 += at(x.F32, i, bits)
			}
		}
		v := corpus.Float64s([]float64{s})
		if f != model.Binary64 {
			v = corpus.Float32s([]float32{s32})
		}
		dst[0] = v.At(0)
		return nil
	}}
}

// judgedLong draws cases for the law of long vectors of so many bytes until one fails.
func judgedLong(t *testing.T, k *Kernel, bytes uint64, cases int) (judged int, v verdict.Verdict) {
	t.Helper()
	id := model.SumLong
	if k.Op == engine.OpDot {
		id = model.DotLong
	}
	l, err := engine.LawByID(BuiltIn, id)
	require.NoError(t, err)
	set, err := engine.ReadSettings()
	require.NoError(t, err)
	r := NewRun(k, set)
	require.Contains(t, r.Applies(&l), "-gamma.level=thorough")
	r.Sub.long = bytes
	require.Empty(t, r.Sub.Applies(&l))
	trial, d, rng := NewTrial(r.Sub), NewDrawer(r, &l), draw.Splitmix(5)
	for range cases {
		c, _ := d.Next(&rng)
		if v = trial.Judge(&l, c); v.Fails() {
			return judged, v
		} else if v.Outcome == verdict.Holds {
			judged++
		}
	}
	return judged, v
}

// TestLong: an index of bytes that is too narrow for a vector alone is found in vectors of 1 MiB, where it has 21 bits, and sound kernels hold.
func TestLong(t *testing.T) {
	for _, op := range []engine.Op{engine.OpSum, engine.OpDot} {
		for _, f := range []model.Format{model.Binary32, model.Binary64} {
			if op == engine.OpDot && f == model.Binary64 {
				continue
			}
			judged, v := judgedLong(t, longKernel(op, f, 64), 1<<20, 30)
			require.False(t, v.Fails(), v.Reason)
			require.Greater(t, judged, 15)
			_, v = judgedLong(t, longKernel(op, f, 21), 1<<20, 30)
			require.True(t, v.Fails())
			require.Contains(t, v.Reason, "zeros but for these terms, from element ")
		}
	}
	k := longKernel(engine.OpSum, model.Binary32, 64)
	k.long, k.Claim.MaxN = 1<<20, 1000
	require.Equal(t, "the claim takes at most 1000 leaves", k.shortAlone(true))
	k.Claim.MaxN, k.apart = 0, true
	require.Contains(t, k.shortAlone(false), "a process of its own")
}

// TestLong32: the same of 2 GiB, and an index of 32 bits. It takes a minute where pages are mapped slowly, and so runs at level thorough.
func TestLong32(t *testing.T) {
	if os.Getenv("GAMMA_LEVEL") != "thorough" {
		t.Skip("vectors of 2 GiB are read at GAMMA_LEVEL=thorough")
	}
	t.Setenv("GAMMA_LEVEL", "quick")
	t.Setenv("GAMMA_TIMEOUT", "10m")
	for _, c := range []struct {
		op   engine.Op
		f    model.Format
		bits uint
	}{{engine.OpSum, model.Binary32, 64}, {engine.OpSum, model.Binary32, 32}, {engine.OpSum, model.Binary64, 32}, {engine.OpDot, model.Binary32, 32}} {
		start := time.Now()
		judged, v := judgedLong(t, longKernel(c.op, c.f, c.bits), longBytes, 2)
		t.Logf("%v of %v with %d bits: %d hold, in %v: %s", c.op, c.f, c.bits, judged, time.Since(start), v.Reason)
		require.Equal(t, c.bits == 32, v.Fails())
	}
}
