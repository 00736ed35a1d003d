package msl_test

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/internal/reference"
	"gamma/metal/msl"
	"gamma/metal/msl/ir"
	"gamma/metal/sim/adversary"
	"gamma/metal/sim/fast"
	"gamma/model"
)

// A random program whose threads work together: threadgroup and device memory with barriers between, atomics that commute, functions of simdgroups and quadgroups, in
// divergent code too where they are defined there, and textures. Beside every piece of its text is a Go function that does what the text says of a whole threadgroup.

// crew is a threadgroup.
type crew struct {
	number int
	lanes  []memo
	image  [][4]uint32 // texels that the kernel writes, one for each thread
	both   [][4]uint32 // that it writes and reads
	still  []uint32    // texels' first channels, which it reads
}

// width and height are those of the textures that are read.
const (
	stillWidth, stillHeight = 6, 5
	simdWidth               = 32
)

// phase is what all threads do together.
type phase struct {
	text string
	run  func(c *crew)
}

// groupGenerator makes programs for threadgroups of so many threads.
type groupGenerator struct {
	generator
	threads, groups int
	// block32 is the size of blocks of lanes that are never split: a simdgroup's, or 8 where the last simdgroup is not whole.
	block32 int
	has     features
}

// features are what a device has beside memory and barriers: functions of simdgroups and quadgroups, and textures.
type features struct{ lanes, textures bool }

func (g *groupGenerator) value() expr { return g.pure(1 + g.pick(2)) }

// to is one of the variables, to be written.
func (g *groupGenerator) to() string { return []string{"v0", "v1", "v2"}[g.pick(3)] }

// each evaluates an expression in every thread.
func (c *crew) each(x expr) []uint32 {
	list := make([]uint32, len(c.lanes))
	for l, m := range c.lanes {
		list[l] = x.eval(m)
	}
	return list
}

func (c *crew) set(name string, list []uint32) {
	for l, m := range c.lanes {
		*m[name] = list[l]
	}
}

// permuted is a bijection of 0 to below n: the text of where l goes, and where it goes.
func (g *groupGenerator) permuted(of string, n int) (text string, at func(l int) int) {
	a, b := 1+g.pick(n), g.pick(n)
	for gcd(a, n) != 1 {
		a = 1 + g.pick(n)
	}
	return fmt.Sprintf("(%s * %du + %du) %% %du", of, a, b, n), func(l int) int { return (l*a + b) % n }
}

func gcd(a, b int) int {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}

// exchange hands values from thread to thread, through memory that a barrier with flags orders.
func (g *groupGenerator) exchange() phase {
	x, v := g.value(), g.to()
	where, at := g.permuted("l", g.threads)
	memory, flags := "tile[%s]", "mem_threadgroup"
	if g.pick(3) == 0 {
		memory, flags = "z[gid * "+fmt.Sprint(g.threads)+"u + %s]", "mem_device"
	}
	wait := "threadgroup_barrier(mem_flags::" + flags + ");"
	scatters := g.pick(2) == 0
	put, take := "l", where
	if scatters {
		put, take = where, "l"
	}
	text := fmt.Sprintf("%s = %s;\n%s\n%s = %s;\n%s", fmt.Sprintf(memory, put), x.text, wait, v, fmt.Sprintf(memory, take), wait)
	return phase{text, func(c *crew) {
		from, list := c.each(x), make([]uint32, len(c.lanes))
		for l := range list {
			if scatters {
				list[at(l)] = from[l]
			} else {
				list[l] = from[at(l)]
			}
		}
		c.set(v, list)
	}}
}

// gather counts in an atomic object.
func (g *groupGenerator) gather() phase {
	ops := []struct {
		name string
		f    func(a, b uint32) uint32
	}{
		{"add", func(a, b uint32) uint32 { return a + b }},
		{"or", func(a, b uint32) uint32 { return a | b }},
		{"xor", func(a, b uint32) uint32 { return a ^ b }},
		{"and", func(a, b uint32) uint32 { return a & b }},
		{"max", func(a, b uint32) uint32 { return max(a, b) }},
		{"min", func(a, b uint32) uint32 { return min(a, b) }},
	}
	op, x, c, v, start := ops[g.pick(len(ops))], g.value(), g.cond(1), g.to(), g.r.Uint32()
	wait := "threadgroup_barrier(mem_flags::mem_threadgroup);"
	text := fmt.Sprintf("if (l == 0u) atomic_store_explicit(&acc, %du, memory_order_relaxed);\n%s\nif (%s) atomic_fetch_%s_explicit(&acc, %s, memory_order_relaxed);\n%s\n%s = atomic_load_explicit(&acc, memory_order_relaxed);\n%s",
		start, wait, c.text, op.name, x.text, wait, v, wait)
	return phase{text, func(w *crew) {
		all := start
		for _, m := range w.lanes {
			if c.eval(m) != 0 {
				all = op.f(all, x.eval(m))
			}
		}
		for _, m := range w.lanes {
			*m[v] = all
		}
	}}
}

// reductions give the active lanes of a group something from the values of all of them, which are in the order of lanes.
var reductions = []struct {
	name string
	f    func(values []uint32, i int) uint32
}{
	{"sum(%s)", func(v []uint32, i int) uint32 { return folded(v, 0, func(a, b uint32) uint32 { return a + b }) }},
	{"product(%s)", func(v []uint32, i int) uint32 { return folded(v, 1, func(a, b uint32) uint32 { return a * b }) }},
	{"min(%s)", func(v []uint32, i int) uint32 { return folded(v, v[0], func(a, b uint32) uint32 { return min(a, b) }) }},
	{"max(%s)", func(v []uint32, i int) uint32 { return folded(v, v[0], func(a, b uint32) uint32 { return max(a, b) }) }},
	{"and(%s)", func(v []uint32, i int) uint32 { return folded(v, v[0], func(a, b uint32) uint32 { return a & b }) }},
	{"or(%s)", func(v []uint32, i int) uint32 { return folded(v, 0, func(a, b uint32) uint32 { return a | b }) }},
	{"xor(%s)", func(v []uint32, i int) uint32 { return folded(v, 0, func(a, b uint32) uint32 { return a ^ b }) }},
	{"prefix_inclusive_sum(%s)", func(v []uint32, i int) uint32 { return folded(v[:i+1], 0, func(a, b uint32) uint32 { return a + b }) }},
	{"prefix_exclusive_sum(%s)", func(v []uint32, i int) uint32 { return folded(v[:i], 0, func(a, b uint32) uint32 { return a + b }) }},
	{"prefix_inclusive_product(%s)", func(v []uint32, i int) uint32 { return folded(v[:i+1], 1, func(a, b uint32) uint32 { return a * b }) }},
	{"prefix_exclusive_product(%s)", func(v []uint32, i int) uint32 { return folded(v[:i], 1, func(a, b uint32) uint32 { return a * b }) }},
	{"broadcast_first(%s)", func(v []uint32, i int) uint32 { return v[0] }},
	{"all(%s > 9u)", func(v []uint32, i int) uint32 { return folded(v, 1, func(a, b uint32) uint32 { return a & least(b) }) }},
	{"any(%s > 9u)", func(v []uint32, i int) uint32 { return folded(v, 0, func(a, b uint32) uint32 { return a | least(b) }) }},
}

func least(b uint32) uint32 {
	if b > 9 {
		return 1
	}
	return 0
}

func folded(v []uint32, start uint32, f func(a, b uint32) uint32) uint32 {
	for _, x := range v {
		start = f(start, x)
	}
	return start
}

// together reduces over the lanes that are active.
func (g *groupGenerator) together() phase {
	r, x, v := reductions[g.pick(len(reductions))], g.value(), g.to()
	prefix, width := "simd_", simdWidth
	if g.pick(4) == 0 {
		prefix, width = "quad_", 4
	}
	text := fmt.Sprintf("%s = %s%s;", v, prefix, fmt.Sprintf(r.name, x.text))
	c := expr{eval: func(memo) uint32 { return 1 }}
	if g.pick(2) == 0 {
		c = g.cond(1)
		text = fmt.Sprintf("if (%s) { %s }", c.text, text)
	}
	return phase{text, func(w *crew) {
		active, from := w.each(c), w.each(x)
		for first := 0; first < len(w.lanes); first += width {
			var values []uint32
			for l := first; l < min(first+width, len(w.lanes)); l++ {
				if active[l] != 0 {
					values = append(values, from[l])
				}
			}
			i := 0
			for l := first; l < min(first+width, len(w.lanes)); l++ {
				if active[l] != 0 {
					*w.lanes[l][v] = r.f(values, i)
					i++
				}
			}
		}
	}}
}

// shuffle moves values between the lanes of a simdgroup or quadgroup, all of which are active.
func (g *groupGenerator) shuffle() phase {
	x, v := g.value(), g.to()
	prefix, n, lane := "simd_", g.block32, "lane"
	width := simdWidth
	if g.pick(4) == 0 {
		prefix, n, width, lane = "quad_", 4, 4, "(lane & 3u)"
	}
	k := g.pick(n)
	text, from := "", func(l int) int { return l }
	switch g.pick(5) {
	case 0:
		where, at := g.permuted(lane, n)
		text, from = fmt.Sprintf("%sshuffle(%s, ushort(%s))", prefix, x.text, where), at
	case 1:
		text, from = fmt.Sprintf("%sshuffle_xor(%s, %d)", prefix, x.text, k), func(l int) int { return l ^ k }
	case 2:
		text, from = fmt.Sprintf("%sbroadcast(%s, %d)", prefix, x.text, k), func(int) int { return k }
	case 3:
		text = fmt.Sprintf("{ uint s = %sshuffle_up(%s, %d); %s = %s < %du ? %s : s; }", prefix, x.text, k, v, lane, k, v)
		from = func(l int) int { return l - k }
	default:
		if width != n { // the last simdgroup is not whole
			text, from = fmt.Sprintf("%sshuffle_xor(%s, %d)", prefix, x.text, k), func(l int) int { return l ^ k }
			break
		}
		text, from = fmt.Sprintf("%sshuffle_rotate_down(%s, %d)", prefix, x.text, k), func(l int) int { return (l + k) % n }
	}
	if !strings.HasPrefix(text, "{") {
		text = v + " = " + text + ";"
	}
	return phase{text, func(w *crew) {
		values, list := w.each(x), w.each(expr{eval: func(m memo) uint32 { return *m[v] }})
		for l := range list {
			if at := from(l % width); at >= 0 {
				list[l] = values[l-l%width+at]
			}
		}
		w.set(v, list)
	}}
}

// ballot counts, or looks at, lanes of a condition.
func (g *groupGenerator) ballot() phase {
	c, v := g.cond(1), g.to()
	return phase{fmt.Sprintf("%s ^= uint(ulong(simd_vote::vote_t(simd_ballot(%s))));", v, c.text), func(w *crew) {
		yes := w.each(c)
		for l, m := range w.lanes {
			all := uint32(0)
			for k := l - l%simdWidth; k < min(l-l%simdWidth+simdWidth, len(yes)); k++ {
				all |= yes[k] << (k % simdWidth)
			}
			*m[v] ^= all
		}
	}}
}

// picture reads, samples or writes textures.
func (g *groupGenerator) picture() phase {
	x, y, v := g.value(), g.value(), g.to()
	switch g.pick(4) {
	case 0:
		return phase{fmt.Sprintf("%s = still.read(uint2(%s %% %du, %s %% %du)).x;", v, x.text, stillWidth, y.text, stillHeight), func(c *crew) {
			for _, m := range c.lanes {
				*m[v] = c.still[int(y.eval(m)%stillHeight)*stillWidth+int(x.eval(m)%stillWidth)]
			}
		}}
	case 1: // nearest, and beside the texture the edge
		text := fmt.Sprintf("%s = smooth.sample(nearest, float2(float(int(%s %% 16u) - 5), float(int(%s %% 16u) - 5)) + 0.25f).x;", v, x.text, y.text)
		return phase{text, func(c *crew) {
			for _, m := range c.lanes {
				a, b := int(x.eval(m)%16)-5, int(y.eval(m)%16)-5
				*m[v] = c.still[max(0, min(b, stillHeight-1))*stillWidth+max(0, min(a, stillWidth-1))]
			}
		}}
	case 2:
		return phase{fmt.Sprintf("image.write(uint4(%s, %s, l, 3u), uint2(l, gid));", x.text, y.text), func(c *crew) {
			for l, m := range c.lanes {
				c.image[l] = [4]uint32{x.eval(m), y.eval(m), uint32(l), 3}
			}
		}}
	}
	where, at := g.permuted("l", g.threads)
	own := g.pick(2) == 0
	text := fmt.Sprintf("both.write(uint4(%s, %s, 1u, 2u), uint2(l, gid));\n", x.text, y.text)
	if own {
		text += fmt.Sprintf("both.fence();\n%s = both.read(uint2(l, gid)).y;", v)
	} else {
		text += fmt.Sprintf("threadgroup_barrier(mem_flags::mem_texture);\n%s = both.read(uint2(%s, gid)).y;", v, where)
	}
	text += "\nthreadgroup_barrier(mem_flags::mem_texture);"
	return phase{text, func(c *crew) {
		for l, m := range c.lanes {
			c.both[l] = [4]uint32{x.eval(m), y.eval(m), 1, 2}
		}
		for l, m := range c.lanes {
			if !own {
				l = at(l)
			}
			*m[v] = c.both[l][1]
		}
	}}
}

// alone is what each thread does by itself.
func (g *groupGenerator) alone() phase {
	g.depth = 2
	body := g.block(1 + g.pick(2))
	g.depth = 0
	return phase{"{\n" + text(body) + "}", func(c *crew) {
		for _, m := range c.lanes {
			runAll(body, m)
		}
	}}
}

// uniformly does phases again and again, or in some threadgroups.
func (g *groupGenerator) uniformly(depth int) phase {
	n := uint32(1 + g.pick(3))
	if g.pick(3) == 0 {
		body := g.phases(1+g.pick(2), depth-1)
		return phase{fmt.Sprintf("if (gid + 1u != %du) {\n%s}", n, phaseText(body)), func(c *crew) {
			if uint32(c.number)+1 != n {
				runPhases(body, c)
			}
		}}
	}
	i := g.name("i")
	g.fixed = append(g.fixed, i)
	body := g.phases(1+g.pick(2), depth-1)
	g.fixed = g.fixed[:len(g.fixed)-1]
	return phase{fmt.Sprintf("for (uint %s = 0; %s < %du; %s++) {\n%s}", i, i, n, i, phaseText(body)), func(c *crew) {
		for k := range n {
			for _, m := range c.lanes {
				m[i] = &k
			}
			runPhases(body, c)
		}
	}}
}

func phaseText(list []phase) string {
	var s strings.Builder
	for _, p := range list {
		s.WriteString(p.text + "\n")
	}
	return s.String()
}

func runPhases(list []phase, c *crew) {
	for _, p := range list {
		p.run(c)
	}
}

func (g *groupGenerator) phases(n, depth int) (list []phase) {
	for range n {
		k := g.pick(9)
		if k >= 4 && k <= 7 && !g.has.lanes || k == 8 && !g.has.textures {
			k = g.pick(4)
		}
		switch {
		case k == 0 && depth > 0:
			list = append(list, g.uniformly(depth))
		case k < 2:
			list = append(list, g.alone())
		case k == 2:
			list = append(list, g.exchange())
		case k == 3:
			list = append(list, g.gather())
		case k == 4:
			list = append(list, g.together())
		case k == 5:
			list = append(list, g.shuffle())
		case k == 6:
			list = append(list, g.ballot())
		case k == 7:
			list = append(list, g.exchange(), g.together())
		default:
			list = append(list, g.picture())
		}
	}
	return list
}

// randomGroups returns the program of a seed, and a run of it with what its text says that it gives.
func randomGroups(seed uint64, has features) (src string, line *runLine) {
	r := rand.New(rand.NewPCG(seed, 2))
	g := &groupGenerator{generator: generator{r: r}, threads: []int{8, 32, 40, 64, 96}[r.IntN(5)], groups: 1 + r.IntN(2), has: has}
	g.scope, g.fixed = []string{"v0", "v1", "v2"}, []string{"l", "gid"}
	lane, textures, sampler := "", "", ""
	if has.lanes {
		g.fixed, lane = append(g.fixed, "lane"), ", uint lane [[thread_index_in_simdgroup]]"
	}
	if has.textures {
		sampler = "constexpr sampler nearest(coord::pixel, filter::nearest, address::clamp_to_edge);\n"
		textures = `texture2d<uint, access::read> still [[texture(0)]], texture2d<uint, access::write> image [[texture(1)]],
    texture2d<uint, access::read_write> both [[texture(2)]], texture2d<uint> smooth [[texture(3)]], `
	}
	g.rich = seed%5 == 0
	if g.block32 = simdWidth; g.threads%simdWidth != 0 {
		g.block32 = 8
	}
	body := g.phases(3+g.pick(6), 2)
	var s strings.Builder
	s.WriteString("#include <metal_stdlib>\nusing namespace metal;\nstruct S { uint a; uint2 v; };\n")
	if g.rich {
		s.WriteString(helpers)
	}
	fmt.Fprintf(&s, `%skernel void k(device const uint *x, device uint *y, device uint *z, %suint l [[thread_position_in_threadgroup]],
    uint gid [[threadgroup_position_in_grid]]%s) {
threadgroup uint tile[%d];
threadgroup atomic_uint acc;
uint v0 = x[gid * %du + l], v1 = l * 7u + gid, v2 = 1u;
%sy[gid * %du + l] = v0 ^ v1 * 3u ^ v2 * 5u;
}
`, sampler, textures, lane, g.threads, g.threads, phaseText(body), g.threads)
	return s.String(), g.line(body)
}

// line runs the program.
func (g *groupGenerator) line(body []phase) *runLine {
	one := model.Size3{X: 1, Y: 1, Z: 1}
	line := &runLine{name: "k", groups: one, threads: one, width: simdWidth, in: map[int][]byte{}, want: map[int][]byte{}}
	line.groups.X, line.threads.X = g.groups, g.threads
	still, in := make([]uint32, stillWidth*stillHeight), make([]uint32, g.groups*g.threads)
	var texels []byte
	for i := range still {
		still[i] = g.r.Uint32() >> g.pick(32)
		for c := range 4 {
			texels = binary.LittleEndian.AppendUint32(texels, still[i]+uint32(c))
		}
	}
	texture := func(w, h int, data []byte) []byte {
		header := make([]byte, 0, ir.TextureHeader)
		for _, n := range []int{w, h, 1, 1, 4, int(ir.Whole32)} {
			header = binary.LittleEndian.AppendUint32(header, uint32(n))
		}
		return append(header[:ir.TextureHeader], data...)
	}
	for i := range in {
		in[i] = bits.RotateLeft32(uint32(i)*2654435761, 7) >> (i % 29)
		line.in[0] = binary.LittleEndian.AppendUint32(line.in[0], in[i])
	}
	line.in[1], line.in[2] = make([]byte, 4*len(in)), make([]byte, 4*len(in))
	blank := make([]byte, ir.TexelSize*len(in))
	line.in[textureSlots], line.in[textureSlots+3] = texture(stillWidth, stillHeight, texels), texture(stillWidth, stillHeight, texels)
	line.in[textureSlots+1], line.in[textureSlots+2] = texture(g.threads, g.groups, blank), texture(g.threads, g.groups, blank)
	for number := range g.groups {
		c := &crew{number: number, still: still, image: make([][4]uint32, g.threads), both: make([][4]uint32, g.threads)}
		for l := range g.threads {
			m := memo{}
			for name, v := range map[string]uint32{
				"v0": in[number*g.threads+l], "v1": uint32(l*7 + number), "v2": 1, "l": uint32(l), "gid": uint32(number), "lane": uint32(l % simdWidth),
			} {
				m[name] = &v
			}
			c.lanes = append(c.lanes, m)
		}
		runPhases(body, c)
		for l, m := range c.lanes {
			line.want[1] = binary.LittleEndian.AppendUint32(line.want[1], *m["v0"]^*m["v1"]*3^*m["v2"]*5)
			for i := range 4 {
				line.want[textureSlots+1] = binary.LittleEndian.AppendUint32(line.want[textureSlots+1], c.image[l][i])
				line.want[textureSlots+2] = binary.LittleEndian.AppendUint32(line.want[textureSlots+2], c.both[l][i])
			}
		}
	}
	return line
}

// groupBehaviours are what the adversarial engine does in turn. The results are the same under all.
var groupBehaviours = []model.Behaviour{
	{}, {Order: "accesses"}, {Order: "reverse"}, {Order: "stages"}, {Order: "accesses", Poison: true, Seed: 7},
}

// TestRandomGroupsDoWhatTheirTextSays: the reference interpreter and both engines of the simulator give what the text of a program says whose threads work together, and
// neither engine finds fault with it.
func TestRandomGroupsDoWhatTheirTextSays(t *testing.T) {
	from, to := seedsOf(t, 200, 4000)
	ran, tried := 0, uint64(0)
	ends := timeLimit(t)
	for seed := from; seed < to && !ends(); seed++ {
		tried++
		src, line := randomGroups(seed, features{lanes: true, textures: true})
		lib, err := msl.Compile(src, msl.Options{})
		require.NoError(t, err, "seed %d\n%s", seed, src)
		k, err := lib.Kernel("k", nil)
		require.NoError(t, err, "seed %d\n%s", seed, src)
		f, err := fast.Compile(k)
		require.NoError(t, err, "seed %d\n%s", seed, src)
		a, err := adversary.Compile(k)
		require.NoError(t, err, "seed %d\n%s", seed, src)
		line.file, line.line = fmt.Sprintf("seed %d\n%s", seed, src), int(seed)
		args := line.args(k)
		require.NoError(t, reference.Run(k, reference.Launch{Groups: line.groups, Threads: line.threads, Args: args, Width: line.width, Steps: 1 << 24}), "seed %d\n%s", seed, src)
		line.check(t, k, args)
		line.on(t, fmt.Sprintf("seed %d, fast\n%s", seed, src), f, k, model.Behaviour{})
		line.on(t, fmt.Sprintf("seed %d, adversary\n%s", seed, src), a, k, groupBehaviours[seed%uint64(len(groupBehaviours))])
		ran++
	}
	t.Logf("%d programs from %d to below %d, each on three engines", ran, from, from+tried)
	require.Positive(t, ran, "no program ran")
	require.Equal(t, int(tried), ran)
}

// TestRandomGroupsOnDevices runs random programs whose threads work together where TestRandomProgramsOnDevices runs those of single threads. OpenCL has no simdgroups of a fixed
// width, and textures are the simulator's alone, so that programs for a device are without.
func TestRandomGroupsOnDevices(t *testing.T) {
	onDevices(t, 64, 2048, func(kind string, seed uint64) (string, []*runLine) {
		src, line := randomGroups(seed, features{lanes: kind != "opencl"})
		return src, []*runLine{line}
	})
}

// TestFencesPassMessages: of two threadgroups that run together, one writes a number, then says so by an atomic, and the other reads the number once it is told, again and again
// in one dispatch, so that a copy near the reader is old. With fences between, each is read as it was written. On the simulator and PoCL threadgroups need not run together.
func TestFencesPassMessages(t *testing.T) {
	kind := os.Getenv("GAMMA_DEVICE")
	if kind == "" {
		t.Skip("set GAMMA_DEVICE to a GPU's, such as cuda: its threadgroups run together")
	}
	dev, err := metal.Open(kind)
	require.NoError(t, err)
	const fence = "atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);"
	const pairs, threads, rounds = 32, 64, 2000
	src := fmt.Sprintf(`#include <metal_stdlib>
using namespace metal;
kernel void k(device uint *data, device uint *right, device atomic_uint *told, device atomic_uint *taken, uint l [[thread_position_in_threadgroup]],
    uint gid [[threadgroup_position_in_grid]]) {
uint i = (gid >> 1) * %du + l, n = 0;
for (uint r = 1; r <= %du; r++) {
  uint at = 0;
  if ((gid & 1u) == 0u) {
    data[i] = r * 7u + i;
    FENCE
    atomic_store_explicit(&told[i], r, memory_order_relaxed);
    for (uint k = 0; k < 4000000u && at != r; k++) at = atomic_load_explicit(&taken[i], memory_order_relaxed);
    FENCE
  } else {
    for (uint k = 0; k < 4000000u && at != r; k++) at = atomic_load_explicit(&told[i], memory_order_relaxed);
    FENCE
    n += at == r && data[i] == r * 7u + i ? 1u : 0u;
    FENCE
    atomic_store_explicit(&taken[i], r, memory_order_relaxed);
  }
  if (at != r) break;
}
if ((gid & 1u) == 1u) right[i] = n;
}
`, threads, rounds)
	line := &runLine{name: "k", groups: model.Size3{X: 2 * pairs, Y: 1, Z: 1}, threads: model.Size3{X: threads, Y: 1, Z: 1}, in: map[int][]byte{}, want: map[int][]byte{}}
	for i := range 4 {
		line.in[i] = make([]byte, 4*pairs*threads)
	}
	for range pairs * threads {
		line.want[1] = binary.LittleEndian.AppendUint32(line.want[1], rounds)
	}
	require.Equal(t, 1, onDevice(t, dev, strings.ReplaceAll(src, "FENCE", fence), map[string][]*runLine{"k": {line}}))
}
