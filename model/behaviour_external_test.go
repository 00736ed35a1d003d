package model_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
)

// drawBehaviour returns a behaviour with every field drawn.
func drawBehaviour(rng *rand.Rand) model.Behaviour {
	coin := func() bool { return rng.IntN(2) == 1 }
	flush := func() model.Flush {
		f := model.Flush{In: coin(), Out: coin()}
		f.Before, f.AnySign = f.Out && coin(), f.Any() && coin()
		return f
	}
	b := model.Behaviour{
		Rounding: model.Rounding(rng.IntN(5)), Flush: flush(), Flush16: flush(),
		Contract: model.Contraction(rng.IntN(3)),
		Rewrites: model.Rewrites{
			Reassociate: coin(), NoSignedZeros: coin(), Reciprocal: coin(), NoNaNs: coin(), NoInfs: coin(),
		},
		Order: []string{"", "reverse", "stages", "accesses"}[rng.IntN(4)],
		ULP:   coin(), Poison: coin(),
	}
	if coin() {
		b.SIMDWidth = 1 + rng.IntN(1024)
	}
	if coin() {
		b.Seed = rng.Uint64()
	}
	return b
}

func TestBehaviourRoundTrip(t *testing.T) {
	require.Equal(t, "rne ftz=off contract=off", model.Behaviour{}.String())
	require.True(t, model.Behaviour{}.Plain())
	rng := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		b := drawBehaviour(rng)
		back, err := model.ParseBehaviour(b.String())
		require.NoError(t, err, "%s", b)
		require.Equal(t, b, back)
		// Words may come in any order.
		words := strings.Fields(b.String())
		rng.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		back, err = model.ParseBehaviour(strings.Join(words, " "))
		require.NoError(t, err)
		require.Equal(t, b, back)
	}
}

func TestParseBehaviourErrors(t *testing.T) {
	for text, want := range map[string]string{
		"sideways":            `no key "sideways"`,
		"ftz=off-anysign":     `no flush mode is called "off-anysign"`,
		"ftz=maybe":           `no flush mode is called "maybe"; use off, in, out, out-before, on or on-before`,
		"contract=always":     `no contraction is called "always"; use off, on or fast`,
		"order=random":        `no order is called "random"; use reverse, stages or accesses`,
		"simd=0":              "1 to 1024 lanes, not 0",
		"simd=many":           "invalid syntax",
		"seed=-1":             "invalid syntax",
		"rne up":              "gives rounding twice",
		"ftz=off ftz=on":      "gives ftz twice",
		"speed=fast":          `no key "speed"`,
		"ulp ulp":             "gives ulp twice",
		"rne ftz=off nnan=on": `no key "nnan"`,
	} {
		_, err := model.ParseBehaviour(text)
		require.ErrorContains(t, err, want, "%q", text)
	}
}

func TestRoundingAndFlushNames(t *testing.T) {
	for r := model.NearestEven; r <= model.TowardZero; r++ {
		back, err := model.ParseRounding(r.String())
		require.NoError(t, err)
		require.Equal(t, r, back)
		require.Equal(t, r == model.NearestEven || r == model.NearestAway, r.Nearest())
	}
	require.Equal(t, "Rounding(9)", model.Rounding(9).String())
	_, err := model.ParseRounding("nearest")
	require.ErrorContains(t, err, "rne")
	for _, f := range []model.Flush{
		{},
		{In: true},
		{Out: true},
		{Out: true, Before: true},
		{In: true, Out: true},
		{In: true, Out: true, Before: true},
		{In: true, AnySign: true},
		{Out: true, AnySign: true},
		{In: true, Out: true, Before: true, AnySign: true},
	} {
		back, err := model.ParseFlush(f.String())
		require.NoError(t, err)
		require.Equal(t, f, back)
		require.Equal(t, f != model.Flush{}, f.Any())
	}
	require.Equal(t, "in", model.Flush{In: true, Before: true}.String(), "Before means nothing without Out")
	require.Equal(t, "on-before-anysign", model.Flush{In: true, Out: true, Before: true, AnySign: true}.String())
	require.Equal(t, "off", model.Flush{AnySign: true}.String(), "nothing is flushed")
	require.False(t, model.Flush{AnySign: true}.OpenSign())
}

func TestLaunchAndFindingText(t *testing.T) {
	require.True(t, model.Launch{}.IsZero())
	require.Equal(t, "groups=4 threads=32", model.Launch1D(4, 32).String())
	l := model.Launch{Groups: model.Size3{X: 4, Y: 2, Z: 1}, Threads: model.Size3{X: 8, Y: 4, Z: 2}}
	require.Equal(t, "groups=4,2,1 threads=8,4,2", l.String())
	f := model.Finding{
		Kind: model.FindingRace, Kernel: "tree", Pos: model.Position{File: "sum.metal", Line: 12, Column: 9},
		Text: "threads 0 and 16 write partial[0] without a barrier between them",
	}
	require.Equal(t, "sum.metal:12:9: tree: race: threads 0 and 16 write partial[0] without a barrier between them", f.String())
	require.Equal(t, "sum.metal", model.Position{File: "sum.metal"}.String())
	require.Equal(t, "sum.metal:12", model.Position{File: "sum.metal", Line: 12}.String())
}

// FuzzParseBehaviour: whatever parses is written and parses again to the same behaviour.
func FuzzParseBehaviour(f *testing.F) {
	f.Add("rne ftz=off contract=off order=accesses seed=7")
	f.Add("zero ftz=on-before contract=fast ftz16=in reassoc nsz recip nnan ninf simd=32 ulp poison")
	f.Add("rne rne")
	f.Fuzz(func(t *testing.T, text string) {
		b, err := model.ParseBehaviour(text)
		if err != nil {
			return
		}
		back, err := model.ParseBehaviour(b.String())
		require.NoError(t, err)
		require.Equal(t, b, back)
	})
}
