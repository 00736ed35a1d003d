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

// TestStatementSpends: a statement in an if that is one instruction ends a dispatch at the same step as its parts do, and makes the steps that they make.
func TestStatementSpends(t *testing.T) {
	p := parsed(t, sumText)
	run := func(checks bool, steps int64) (engine.Result, []byte) {
		d := sumDispatches(sumInput())[0]
		d.Grid.X = 256
		res, err := p.Run(d, engine.Options{Checks: checks, Workers: 1, Steps: steps})
		require.NoError(t, err)
		return res, d.Args[1].Mem.Bytes
	}
	all, want := run(true, 0)
	for steps := all.Steps - 1001; steps <= all.Steps; steps += 7 {
		plain, bytes := run(false, steps)
		checked, _ := run(true, steps)
		require.Equal(t, checked.Steps, plain.Steps, "%d steps", steps)
		require.Equal(t, checked.Findings, plain.Findings, "%d steps", steps)
		require.Equal(t, steps < all.Steps, len(plain.Findings) == 1, "%d steps", steps)
		if steps == all.Steps {
			require.Equal(t, want, bytes)
		}
	}
}

// TestEmptyThen: an if whose first part is empty and whose condition is the same for all lanes runs its second part where that is false: of a comparison, and of a bool that is
// loaded.
func TestEmptyThen(t *testing.T) {
	for _, condition := range []string{"eq u32 %4, %5", "lt u32 %4, %5", "ne u32 %5, %4", "load [%1 + 4]"} {
		p := parsed(t, `
kernel "k"
buffer %1 "x" index=0 device elem=4 align=4 readonly
buffer %2 "out" index=1 device elem=4 align=4
input %3 u32 thread_index_in_threadgroup.0
{
  %4:u32 = load [%1]
  %5:u32 = const 5
  %6:bool = `+condition+`
  if %6 {
  } else {
    store u32 [%2 + u32 %3*4], %4
  }
}
`)
		for x := uint32(4); x < 7; x++ {
			truth := map[string]bool{"eq u32 %4, %5": x == 5, "lt u32 %4, %5": x < 5, "ne u32 %5, %4": x != 5, "load [%1 + 4]": x == 6}[condition]
			want := x
			if truth {
				want = 0
			}
			for _, checks := range []bool{false, true} {
				out := known(words32(0, 0))
				n := model.Size3{X: 2, Y: 1, Z: 1}
				_, err := p.Run(&engine.Dispatch{Grid: n, Group: n, Args: []engine.Arg{{Mem: known(words32(x, x/6))}, {Mem: out}}}, engine.Options{Checks: checks})
				require.NoError(t, err)
				require.Equal(t, words32(want, want), out.Bytes, "%s, %d", condition, x)
			}
		}
	}
}

// TestNaNsOfStatements: a sum, difference, product or quotient that is no number is the one NaN, wherever it stands among those that a loop takes together.
func TestNaNsOfStatements(t *testing.T) {
	const inf, minus, odd, zero = 0x7f800000, 0xff800000, 0xffc12345, 0
	for op, pair := range map[string][2]uint32{"add": {inf, minus}, "sub": {inf, inf}, "mul": {inf, zero}, "div": {zero, zero}} {
		p := parsed(t, `
kernel "k"
buffer %1 "x" index=0 device elem=4 align=4
buffer %2 "y" index=1 device elem=4 align=4 readonly
input %3 u32 thread_index_in_threadgroup.0
{
  %4:f32 = load [%1 + u32 %3*4]
  %5:f32 = load [%2 + u32 %3*4]
  %6:f32 = `+op+` %4, %5
  store f32 [%1 + u32 %3*4], %6
}
`)
		for at := range 11 {
			for _, pair := range [][2]uint32{pair, {odd, zero}, {zero, odd}, {inf, inf}} {
				x, y := make([]uint32, 11), make([]uint32, 11)
				for i := range x {
					x[i], y[i] = 0x3f800000+uint32(i)<<16, 0xc0000000 // 1 and more, and -2
				}
				x[at], y[at] = pair[0], pair[1]
				n := model.Size3{X: 11, Y: 1, Z: 1}
				var got [2][]byte
				for i, checks := range []bool{false, true} {
					mem := known(words32(x...))
					_, err := p.Run(&engine.Dispatch{Grid: n, Group: n, Args: []engine.Arg{{Mem: mem}, {Mem: known(words32(y...))}}}, engine.Options{Checks: checks})
					require.NoError(t, err)
					got[i] = mem.Bytes
				}
				require.Equal(t, got[1], got[0], "%s of %x, lane %d", op, pair, at)
				if pair[0] != inf || pair[1] != inf {
					require.Equal(t, words32(0x7fc00000), got[0][4*at:4*at+4], "%s of %x, lane %d", op, pair, at)
				}
			}
		}
	}
}
