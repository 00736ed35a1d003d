package shaders

import (
	_ "embed"
	"fmt"
	"math"

	"gamma/model"
	"gamma/sumtree"
)

//go:embed sum.metal
var sumSource string

// sumProgram is a function of sum.metal, called sum_name there.
func sumProgram(name string) Program {
	return Program{Name: "shaders/sum.metal#" + name, Source: sumSource, Function: "sum_" + name}
}

func sums() []Kernel {
	left := plain()
	left.Tree = "left"
	kahan := plain()
	kahan.Compensation = model.Kahan
	sum2 := plain()
	sum2.Compensation = model.Sum2
	open := model.Claim{In: model.Binary32}
	atomic := open
	atomic.SignedZero = true
	return []Kernel{
		sum("serial", left, serialLaunches, oneThread, treeOf),
		sum("kahan", kahan, serialLaunches, oneThread, nil),
		sum("twosum", sum2, serialLaunches, oneThread, nil),
		sum("tree", plain(), groupLaunches, powerGroups, treeOf),
		sum("float4", plain(), powerLaunches, powerGroup, float4Tree),
		sum("tiles", plain(), tileLaunches, tileGroups, tilesTree),
		simd("simd", open),
		accumulated("atomic", atomic),
		rows("rows"),
		narrow("half", model.Binary16),
		narrow("bfloat", model.BFloat16),
		{
			Program: sumProgram("follow"), Claim: plain(), SumTree: sumProgram("follow").Follow,
			Admits: anything(), Widths: widths, Strict: true,
		},
	}
}

// sum returns a kernel with the arguments of sum_tree. Without a schedule its order is unspecified or that of a scheme.
func sum(name string, c model.Claim, launches func(int) []model.Launch, fits func(int, model.Launch) error, tree func(int, model.Launch) *sumtree.Tree) Kernel {
	p := sumProgram(name)
	return Kernel{
		Program: p, Claim: c, Launches: launches, Fits: fits, Schedule: tree, Admits: anything(), Widths: widths, Strict: true,
		Sum32: func(r *Runner, l model.Launch, x []float32) (float32, error) {
			if err := p.fits(fits(len(x), l)); err != nil {
				return 0, err
			}
			return p.Sum(r, l, x)
		},
	}
}

// fits prefixes the error of a launch with the program's name.
func (p Program) fits(err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	return nil
}

// simd returns a kernel with the arguments of sum_simd: those of sum_tree, and threadgroup memory a simdgroup.
func simd(name string, c model.Claim) Kernel {
	k := sum(name, c, simdLaunches, oneGroup, nil)
	k.Sum32 = func(r *Runner, l model.Launch, x []float32) (float32, error) {
		if err := k.fits(oneGroup(len(x), l)); err != nil || len(x) == 0 {
			return 0, err
		}
		s, err := r.Pipeline(k.Program)
		if err != nil {
			return 0, err
		}
		w := s.ThreadExecutionWidth()
		if w < 1 {
			return 0, fmt.Errorf("%s: the device says that a simdgroup has %d threads", k.Name, w)
		}
		return k.sum(r, l, floatBytes(x), len(x), 4*((l.Threads.X+w-1)/w))
	}
	return k
}

// accumulated returns a kernel with the arguments of sum_atomic.
func accumulated(name string, c model.Claim) Kernel {
	k := sum(name, c, leafLaunches, enoughThreads, nil)
	k.Sum32 = func(r *Runner, l model.Launch, x []float32) (float32, error) {
		if err := k.fits(enoughThreads(len(x), l)); err != nil {
			return 0, err
		}
		return k.Accumulate(r, l, x)
	}
	return k
}

// narrow returns a kernel over leaves of a 16-bit format that adds in float.
func narrow(name string, in model.Format) Kernel {
	c := plain()
	c.In, c.Acc, c.Out = in, model.Binary32, model.Binary32
	k := sum(name, c, powerLaunches, powerGroup, treeOf)
	k.Sum32 = nil
	k.SumBits = func(r *Runner, l model.Launch, x []uint16) (uint64, error) {
		if err := k.fits(powerGroup(len(x), l)); err != nil {
			return 0, err
		}
		return k.Program.SumBits(r, l, x)
	}
	return k
}

// rows returns a kernel of many sums.
func rows(name string) Kernel {
	k := sum(name, plain(), rowLaunches, powerGroups, func(n int, l model.Launch) *sumtree.Tree {
		return treeOf(n, model.Launch1D(1, l.Threads.X))
	})
	k.Sum32 = nil
	k.Rows32 = func(r *Runner, l model.Launch, dst, x []float32, n int) error {
		if err := k.fits(powerGroups(n, l)); err != nil {
			return err
		}
		return k.Rows(r, l, dst, x, n)
	}
	return k
}

// followThreads is the number of threads in the threadgroups of Follow.
const followThreads = 64

// Follow adds x by t with a shader that takes the arguments of sum_follow: values, operands, and the first and the number of the
// nodes to compute in buffers 0 to 3. Each level of t is a dispatch.
//
// Shape:   t has len(x) leaves, and binary additions only.
// Cost:    a dispatch for each level of the tree.
func (p Program) Follow(r *Runner, t *sumtree.Tree, x []float32) (float32, error) {
	nodes, ok := t.Plain()
	switch {
	case t.LeafCount() != len(x):
		return 0, fmt.Errorf("%s: the tree has %d leaves and x %d; give it as many", p.Name, t.LeafCount(), len(x))
	case !ok:
		return 0, fmt.Errorf("%s: the tree has nodes that are not additions of two operands; give it a tree without them", p.Name)
	case len(x) == 0:
		return 0, nil
	case len(nodes) == 0:
		return x[t.Root().Leaf()], nil
	}
	if err := p.counts(len(x) + len(nodes)); err != nil {
		return 0, err
	}
	levels, operands, root := flatten(t, nodes)
	bytes := make([]byte, 4*(len(x)+len(nodes)))
	copy(bytes, floatBytes(x))
	values, ops := Input("values", bytes), Input("operands", operands)
	values.Read = true
	var passes []Dispatch
	first := 0
	for _, count := range levels {
		passes = append(passes, Dispatch{
			Launch: model.Launch1D((count+followThreads-1)/followThreads, followThreads),
			Args:   []Arg{{Data: values}, {Data: ops, Offset: 8 * first}, Uint(len(x) + first), Uint(count)},
		})
		first += count
	}
	err := r.Run(p, passes...)
	if !Completed(err) {
		return 0, err
	}
	return math.Float32frombits(uint32At(values.Bytes, root)), err
}

// flatten returns the sizes of the levels of t's nodes, the lowest first, their operands as indices of values, leaves first and
// then the nodes level by level, and the index of the root.
func flatten(t *sumtree.Tree, nodes []sumtree.Node) (levels []int, operands []byte, root int) {
	level := make([]int, len(nodes))
	of := func(r sumtree.Ref) int {
		if r.IsLeaf() {
			return 0
		}
		return level[r] + 1
	}
	for i, nd := range nodes {
		level[i] = max(of(nd.L), of(nd.R))
		if level[i] == len(levels) {
			levels = append(levels, 0)
		}
		levels[level[i]]++
	}
	next := make([]int, len(levels))
	for i := 1; i < len(levels); i++ {
		next[i] = next[i-1] + levels[i-1]
	}
	place := make([]int, len(nodes)) // among the nodes, in the order of levels
	for i, v := range level {
		place[i] = next[v]
		next[v]++
	}
	index := func(r sumtree.Ref) int {
		if r.IsLeaf() {
			return r.Leaf()
		}
		return t.LeafCount() + place[r]
	}
	operands = make([]byte, 8*len(nodes))
	for i, nd := range nodes {
		putWord(operands, 2*place[i], index(nd.L))
		putWord(operands, 2*place[i]+1, index(nd.R))
	}
	return levels, operands, index(t.Root())
}
