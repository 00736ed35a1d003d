package fast_test

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl"
	"gamma/metal/sim/engine"
	"gamma/metal/sim/fast"
	"gamma/model"
)

// The race check against the definition. An execution is a list of steps, each of one thread, in the order in which memory sees them: every program of a few threads without loops and
// branches, in any interleaving that the engine has. Threadgroups run one after the other there, so the steps of one come before those of the next. What happens before what is
// computed anew here, as C++17 has it for fences and relaxed atomics, restricted as [MSL 4.0] §4.8, §6.9.1 and §6.15 say; see the comment of messages in this package.

// Actions of steps.
const (
	storeX   = iota        // x is in a buffer that is coherent(device)
	loadX                  //
	storeU                 // u is in one that is not
	loadU                  //
	storeY                 // y is threadgroup memory
	loadY                  //
	storeF                 // f is an atomic object in device memory, as g is
	loadF                  //
	swapF                  // an update
	storeG                 //
	loadG                  //
	swapG                  //
	relaxed                // a fence that orders nothing
	fences                 // and then 3 for each scope: of device memory, of threadgroup memory, of both
	barriers = fences + 12 // of a threadgroup: none, device memory, threadgroup memory, both
	simds    = barriers + 4
	actions  = simds + 4
)

var (
	scopeNames = [...]string{"thread", "simdgroup", "threadgroup", "device"}
	flagNames  = [...]string{"mem_none", "mem_device", "mem_threadgroup", "mem_device | mem_flags::mem_threadgroup"}
)

// step is an action of a thread; one of a barrier is of all that wait at it.
type step struct{ group, lane, action int }

func (s step) String() string {
	plain := [...]string{"x =", "= x", "u =", "= u", "y =", "= y", "store f", "load f", "exchange f", "store g", "load g", "exchange g", "relaxed fence"}
	var what string
	switch a := s.action; {
	case a < fences:
		what = plain[a]
	case a < barriers:
		what = fmt.Sprintf("fence %s %s", flagNames[(a-fences)%3+1], scopeNames[(a-fences)/3])
	case a < simds:
		return fmt.Sprintf("group %d: threadgroup_barrier %s", s.group, flagNames[a-barriers])
	default:
		return fmt.Sprintf("group %d, simdgroup %d: simdgroup_barrier %s", s.group, s.lane/simdWidth, flagNames[a-simds])
	}
	return fmt.Sprintf("group %d, thread %d: %s", s.group, s.lane, what)
}

// simdWidth and groupSize are those of the executions: threads 0 and 1 are in one simdgroup, and 4 is in another.
const (
	simdWidth = 4
	groupSize = 8
)

// interpreter runs steps: a word each, of the threadgroup, the thread and the action.
func interpreter() string {
	var s strings.Builder
	s.WriteString(`
kernel void k(coherent(device) device uint* x, device uint* u, device atomic_uint* f, device uint* o, constant uint* steps, constant uint& n,
              uint group [[threadgroup_position_in_grid]], uint lane [[thread_index_in_threadgroup]]) {
  threadgroup uint y;
  uint sum = 0;
  for (uint i = 0; i < n; i++) {
    uint s = steps[i], action = s & 255, who = s >> 8 & 255;
    if (s >> 16 != group) { continue; }
    if (action >= BARRIERS && action < SIMDS) {
`)
	for i, f := range flagNames {
		fmt.Fprintf(&s, "      if (action == %d) { threadgroup_barrier(mem_flags::%s); }\n", barriers+i, f)
	}
	s.WriteString("    } else if (action >= SIMDS) {\n      if (who / WIDTH == lane / WIDTH) {\n")
	for i, f := range flagNames {
		fmt.Fprintf(&s, "        if (action == %d) { simdgroup_barrier(mem_flags::%s); }\n", simds+i, f)
	}
	s.WriteString("      }\n    } else if (who == lane) {\n      switch (action) {\n")
	object := func(action int, name string) {
		fmt.Fprintf(&s, "      case %d: atomic_store_explicit(%s, i, memory_order_relaxed); break;\n", action, name)
		fmt.Fprintf(&s, "      case %d: sum += atomic_load_explicit(%s, memory_order_relaxed); break;\n", action+1, name)
		fmt.Fprintf(&s, "      case %d: sum += atomic_exchange_explicit(%s, i, memory_order_relaxed); break;\n", action+2, name)
	}
	for action, name := range map[int]string{storeX: "*x", storeU: "*u", storeY: "y"} { // no two stores are of the same bits
		fmt.Fprintf(&s, "      case %d: %s = i + 1; break;\n      case %d: sum += %s; break;\n", action, name, action+1, name)
	}
	object(storeF, "f")
	object(storeG, "f + 1")
	fmt.Fprintf(&s, "      case %d: atomic_thread_fence(mem_flags::mem_device | mem_flags::mem_threadgroup, memory_order_relaxed, thread_scope_device); break;\n", relaxed)
	for i := range 12 {
		fmt.Fprintf(&s, "      case %d: atomic_thread_fence(mem_flags::%s, memory_order_seq_cst, thread_scope_%s); break;\n", fences+i, flagNames[i%3+1], scopeNames[i/3])
	}
	s.WriteString("      }\n    }\n  }\n  o[group * SIZE + lane] = sum;\n}\n")
	return strings.NewReplacer("BARRIERS", fmt.Sprint(barriers), "SIMDS", fmt.Sprint(simds), "WIDTH", fmt.Sprint(simdWidth), "SIZE", fmt.Sprint(groupSize)).Replace(s.String())
}

// before is the relation "happens before" among steps, for one kind of memory: bit j of before[i] is that step i comes before step j.
type before []uint64

// flags of memory kinds, as in flagNames.
const (
	ofDevice      = 1
	ofThreadgroup = 2
)

func (s step) fence() (flags, scope int, ok bool) {
	if s.action < fences || s.action >= barriers {
		return 0, 0, false
	}
	return (s.action-fences)%3 + 1, (s.action - fences) / 3, true
}

// waits reports whether the thread of t waits at the barrier s, and what that orders.
func (s step) waits(t step) (flags int, ok bool) {
	switch {
	case s.action < barriers || s.group != t.group:
		return 0, false
	case s.action < simds:
		return s.action - barriers, true
	}
	return s.action - simds, s.lane/simdWidth == t.lane/simdWidth
}

// atomic says what a step does to which atomic object.
func (s step) atomic() (object int, reads, writes bool) {
	switch s.action {
	case storeF, storeG:
		return s.action, false, true
	case loadF, loadG:
		return s.action - 1, true, false
	case swapF, swapG:
		return s.action - 2, true, true
	}
	return -1, false, false
}

func sameThread(s, t step) bool { return s.group == t.group && s.lane == t.lane }

// holds reports whether a scope around the thread of s holds that of t.
func holds(scope int, s, t step) bool {
	switch scopeNames[scope] {
	case "device":
		return true
	case "threadgroup":
		return s.group == t.group
	case "simdgroup":
		return s.group == t.group && s.lane/simdWidth == t.lane/simdWidth
	}
	return sameThread(s, t)
}

// synchronises reports whether the fence a comes before the fence b of another thread: [atomics.fences] of C++17, paragraph 2. There are an atomic operation X after a and one, Y, before b
// on one object; X writes, and Y reads what X wrote or what a side effect wrote of the release sequence that X would head, if it were a release: X, and after it writes by the same thread, and updates.
func synchronises(steps []step, a, b int) bool {
	for x := a + 1; x < len(steps); x++ {
		object, _, writes := steps[x].atomic()
		if !writes || !sameThread(steps[x], steps[a]) {
			continue
		}
		inside := true
		for y := x + 1; y < b && inside; y++ {
			o, reads, changes := steps[y].atomic()
			if o != object {
				continue
			}
			if reads && sameThread(steps[y], steps[b]) {
				return true
			}
			inside = !changes || reads || sameThread(steps[y], steps[x])
		}
	}
	return false
}

// happens returns what happens before what in a kind of memory: steps of a thread in their order, a barrier of that memory, fences of it that synchronise, and what follows.
func happens(steps []step, memory int) before {
	r := make(before, len(steps))
	for i, s := range steps {
		for j := i + 1; j < len(steps); j++ {
			t := steps[j]
			flags, scope, ok := s.fence()
			flags2, scope2, ok2 := t.fence()
			w, waits := s.waits(t)
			w2, waits2 := t.waits(s)
			switch {
			case s.action < barriers && t.action < barriers && sameThread(s, t):
			case s.action < barriers && waits2 && w2&memory != 0:
			case t.action < barriers && waits && w&memory != 0:
			case ok && ok2 && flags&flags2&memory != 0 && holds(scope, s, t) && holds(scope2, t, s) && synchronises(steps, i, j):
			default:
				continue
			}
			r[i] |= 1 << j
		}
	}
	for k := range r {
		for i := range r {
			if r[i]>>k&1 != 0 {
				r[i] |= r[k]
			}
		}
	}
	return r
}

// racy returns the variables on which two threads race: accesses that conflict and of which none happens before the other; or, in memory that is not coherent, a store of one threadgroup and
// an access of another after it, whatever the fences.
func racy(steps []step) (list []string) {
	device, local := happens(steps, ofDevice), happens(steps, ofThreadgroup)
	for v, name := range []string{"x", "u", "y"} {
		race := false
		for i, s := range steps {
			for j := i + 1; j < len(steps); j++ {
				t, order := steps[j], device
				if s.action/2 != v || t.action/2 != v || s.action >= storeF || t.action >= storeF || s.action&t.action&1 != 0 || sameThread(s, t) {
					continue
				}
				if name == "y" {
					if order = local; s.group != t.group {
						continue // another variable
					}
				}
				race = race || order[i]>>j&1 == 0 || name == "u" && s.group != t.group && s.action == storeU
			}
		}
		if race {
			list = append(list, name)
		}
	}
	return list
}

// executions runs executions on the engine.
type executions struct {
	t *testing.T
	p *fast.Program
	d *engine.Dispatch
	n int
	// said counts executions by what is said of them.
	said map[string]int
}

func newExecutions(t *testing.T) *executions {
	lib, err := msl.Compile("#include <metal_stdlib>\nusing namespace metal;\n"+interpreter(), msl.Options{})
	require.NoError(t, err)
	k, err := lib.Kernel("k", nil)
	require.NoError(t, err)
	p, err := fast.Compile(k)
	require.NoError(t, err)
	x := &executions{t: t, p: p, said: map[string]int{}, d: &engine.Dispatch{Kernel: k, Group: model.Size3{X: groupSize, Y: 1, Z: 1}}}
	for range k.Buffers {
		x.d.Args = append(x.d.Args, engine.Arg{Mem: &engine.Memory{Bytes: make([]byte, 256)}})
	}
	return x
}

// check compares what the engine says of an execution with the definition.
func (x *executions) check(steps []step) {
	groups := 1
	for i, s := range steps {
		groups = max(groups, s.group+1)
		binary.LittleEndian.PutUint32(x.d.Args[4].Mem.Bytes[4*i:], uint32(s.group<<16|s.lane<<8|s.action))
	}
	binary.LittleEndian.PutUint32(x.d.Args[5].Mem.Bytes, uint32(len(steps)))
	x.d.Grid = model.Size3{X: groups * groupSize, Y: 1, Z: 1}
	r, err := x.p.Run(x.d, engine.Options{Checks: true, Workers: 1, SIMDWidth: simdWidth})
	require.NoError(x.t, err)
	var got []string
	for _, f := range r.Findings {
		if f.Kind == model.FindingRace && !slices.Contains(got, f.Buffer) {
			got = append(got, f.Buffer)
		}
	}
	slices.SortFunc(got, func(a, b string) int { return strings.Index("xuy", a) - strings.Index("xuy", b) })
	want := racy(steps)
	x.n++
	x.said[strings.Join(want, "")]++
	if !slices.Equal(want, got) {
		var text strings.Builder
		for _, s := range steps {
			fmt.Fprintln(&text, s)
		}
		require.Failf(x.t, "the race check and the definition differ", "races by definition: %v; said: %v\n%s%v", want, got, &text, r.Findings)
	}
}

// interleave calls f with each interleaving of the steps of threads, threadgroup after threadgroup.
func interleave(threads [][]step, f func([]step)) {
	var list []step
	left := slices.Clone(threads)
	var next func()
	next = func() {
		group := -1
		for _, l := range left {
			if len(l) > 0 && (group < 0 || l[0].group < group) {
				group = l[0].group
			}
		}
		if group < 0 {
			f(list)
			return
		}
		for i, l := range left {
			if len(l) > 0 && l[0].group == group {
				list, left[i] = append(list, l[0]), l[1:]
				next()
				list, left[i] = list[:len(list)-1], l
			}
		}
	}
	next()
}

// places are where threads of programs are: in a simdgroup, in a threadgroup, and in several.
var places = [][]step{
	{{0, 0, 0}, {0, 1, 0}},
	{{0, 0, 0}, {0, 4, 0}},
	{{0, 0, 0}, {1, 0, 0}},
	{{0, 0, 0}, {0, 1, 0}, {0, 4, 0}},
	{{0, 0, 0}, {0, 4, 0}, {1, 0, 0}},
	{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}},
	{{0, 0, 0}, {1, 0, 0}, {1, 4, 0}},
	{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}},
}

// TestRacesOfAllPrograms enumerates the programs of two threads with three steps each over stores and loads of one variable, a store, a load and an update of an atomic object, and one
// fence whose scope holds both threads or does not, in each place of two threads and with every interleaving: a 23rd of all pairs of programs, and all of them at level thorough.
func TestRacesOfAllPrograms(t *testing.T) {
	x := newExecutions(t)
	for p, place := range places[:3] {
		for scope := range scopeNames {
			list := []int{storeX, loadX, storeF, loadF, swapF, fences + 3*scope + ofDevice - 1}
			if p == 2 && scope < 2 || scope == 0 {
				continue // as if there were no fences
			}
			var programs [][]int
			for i := range len(list) * len(list) * len(list) {
				programs = append(programs, []int{list[i/36], list[i/6%6], list[i%6]})
			}
			at := func(program []int, thread step) (l []step) {
				for _, a := range program {
					l = append(l, step{thread.group, thread.lane, a})
				}
				return l
			}
			for i, one := range programs {
				for j, other := range programs {
					if os.Getenv("GAMMA_LEVEL") != "thorough" && (i*len(programs)+j)%23 != 0 {
						continue
					}
					interleave([][]step{at(one, place[0]), at(other, place[1])}, x.check)
				}
			}
		}
	}
	t.Logf("%d executions: %v", x.n, x.said)
	require.Positive(t, x.said[""])
	require.Positive(t, x.said["x"])
}

// TestRacesOfDrawnPrograms draws programs of two and three threads with two to four steps each over all actions, and one interleaving of each. GAMMA_CHECKS is how many, GAMMA_SEED from which seed on.
func TestRacesOfDrawnPrograms(t *testing.T) {
	x := newExecutions(t)
	checks, err := strconv.Atoi(cmp.Or(os.Getenv("GAMMA_CHECKS"), "50000"))
	require.NoError(t, err)
	seed, _ := strconv.ParseUint(os.Getenv("GAMMA_SEED"), 10, 64)
	if testing.Short() {
		checks /= 10
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	for range checks {
		x.check(draw(rng))
	}
	t.Logf("%d executions: %v", x.n, x.said)
	for _, variables := range []string{"", "x", "u", "y"} {
		require.Positive(t, x.said[variables], variables)
	}
}

// TestNoRaceOfPassedMessages has programs that pass a message by a way that drawn ones of a few steps seldom take: none races.
func TestNoRaceOfPassedMessages(t *testing.T) {
	const device, threadgroup = fences + 9, fences + 10 // fences of one memory each, whose scope is the device
	for name, steps := range map[string][]step{
		"an update goes on with the release sequence": {
			{0, 0, storeX}, {0, 0, device}, {0, 0, storeF}, {0, 1, swapF}, {0, 4, loadF}, {0, 4, device}, {0, 4, loadX},
		},
		"what was learned is handed on": {
			{0, 0, storeX}, {0, 0, device}, {0, 0, storeF}, {0, 1, loadF}, {0, 1, device}, {0, 1, storeG}, {0, 4, loadG}, {0, 4, device}, {0, 4, loadX},
		},
		"a barrier hands it on": {
			{0, 4, storeX}, {0, 4, device}, {0, 4, storeF}, {0, 0, loadF}, {0, 0, device}, {0, 0, simds + ofDevice}, {0, 1, loadX},
		},
		"a fence before the last one counts, if that is of other memory": {
			{0, 0, storeX}, {0, 0, device}, {0, 0, threadgroup}, {0, 0, storeF}, {0, 4, loadF}, {0, 4, device}, {0, 4, loadX},
		},
		"a load before a store of another threadgroup need not be coherent": {
			{0, 0, loadU}, {0, 0, device}, {0, 0, storeF}, {1, 0, loadF}, {1, 0, device}, {1, 0, storeU},
		},
	} {
		x := newExecutions(t)
		x.check(steps)
		require.Equal(t, map[string]int{"": 1}, x.said, name)
	}
}

// draw draws a program with an interleaving. Half the steps pass messages by fences of one kind.
func draw(rng *rand.Rand) (list []step) {
	place := places[rng.IntN(len(places))]
	left := make([]int, len(place))
	for i := range left {
		left[i] = 2 + rng.IntN(3)
	}
	variable, fence := 2*rng.IntN(3), fences+rng.IntN(12)
	if rng.IntN(2) == 0 {
		fence = fences + 9 + rng.IntN(3) // of the device
	}
	common := []int{storeX + variable, loadX + variable, fence, fence, fence, storeF, loadF, swapF}
	for {
		var can []int
		for i, n := range left {
			if n > 0 && (len(can) == 0 || place[i].group == place[can[0]].group) {
				can = append(can, i)
			}
		}
		if len(can) == 0 {
			return list
		}
		i := can[rng.IntN(len(can))]
		action := rng.IntN(actions)
		if rng.IntN(4) > 0 {
			action = common[rng.IntN(len(common))]
		}
		list = append(list, step{place[i].group, place[i].lane, action})
		left[i]--
	}
}
