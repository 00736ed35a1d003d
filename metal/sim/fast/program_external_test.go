package fast_test

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl/ir"
	"gamma/metal/sim/engine"
	"gamma/model"
)

// TestWildPointers: pointers made of any bits do no harm, and are reported unless they point into something.
func TestWildPointers(t *testing.T) {
	p := parsed(t, kernelText(`
%30:u64 = load [%3 + u32 %5*8]
%31:ptr = bitcast from u64 %30
store u32 [%31], %5 @1
%32:u32 = load [%31 + 4] @2
%33:u32 = atomic_add [%31 + 8], %5 @3
store ptr [%12 + u32 %6*8], %31 @4
%13 = load [%12 + u32 %6*8] align=4 @5
%24:ptr = load [%12 + u32 %6*8] @6
%25:bool = eq ptr %24, %31
%26:u32 = convert from bool %25
store u32 [%2 + u32 %5*4 + 128], %26 @7
`))
	rng := rand.New(rand.NewPCG(2, 5))
	for i := range 300 {
		d := &engine.Dispatch{Grid: model.Size3{X: 16, Y: 1, Z: 1}, Group: model.Size3{X: 8, Y: 1, Z: 1}, Args: bound()}
		wild := make([]uint64, 32)
		for k := range wild {
			wild[k] = uint64(ir.MakePointer(rng.IntN(9)-1, int64(rng.IntN(300)-20)))
			if rng.IntN(3) == 0 {
				wild[k] = rng.Uint64() >> rng.IntN(64)
			}
		}
		d.Args[2].Mem = known(words64(wild...))
		res, err := p.Run(d, engine.Options{Checks: i%2 == 0, Workers: 1})
		require.NoError(t, err)
		require.Equal(t, i%2 == 0, len(res.Findings) > 0)
		require.Equal(t, words64(wild...), d.Args[2].Mem.Bytes, "constant memory")
	}
}

// TestConcurrentRuns: several goroutines may run one program.
func TestConcurrentRuns(t *testing.T) {
	p := parsed(t, sumText)
	x := sumInput()
	want := make([]float32, 256)
	sumStage(want, x)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for k := range 3 {
				d := sumDispatches(x)[0]
				res, err := p.Run(d, engine.Options{Checks: (i+k)%2 == 0, Workers: 1 + i})
				if err != nil || len(res.Findings) > 0 || string(d.Args[1].Mem.Bytes) != string(floats32(want)) {
					t.Errorf("run %d of goroutine %d: %v, %v", k, i, err, res.Findings)
				}
			}
		})
	}
	wg.Wait()
}

// TestReuse: a program that ran launches of other shapes and memories gives the same as a new one: nothing is left of what a
// machine ran before.
func TestReuse(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for seed := range 40 {
		k := write(rand.New(rand.NewPCG(uint64(seed), 11)), 8)
		p := parsed(t, k.String())
		for range 6 {
			fresh := launch(rng, k)
			d, e := fresh(), fresh()
			o := engine.Options{Checks: rng.IntN(3) != 0, Workers: 1 + rng.IntN(2), Steps: 20000}
			got, err := p.Run(d, o)
			require.NoError(t, err)
			want, err := parsed(t, k.String()).Run(e, o)
			require.NoError(t, err)
			if o.Checks || o.Workers == 1 { // races may show in the results otherwise
				require.Equal(t, want, got)
				require.Equal(t, contents(e), contents(d))
			}
		}
	}
}
