package shaders_test

import (
	"errors"
	"fmt"

	"gamma/metal/sim"
	"gamma/model"
	"gamma/model/modular"
	"gamma/shaders"
	"gamma/sumtree"
)

func Example() {
	r := shaders.NewRunner(sim.New(sim.Options{}))
	defer r.Release()
	k, _ := shaders.Find("shaders/sum.metal#tree")
	x := []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	l := model.Launch1D(2, 2)
	sum, err := k.Sum32(r, l, x)
	fmt.Println(sum, err)
	fmt.Println(k.Tree(len(x), l).Explicit())
	// Output:
	// 55 <nil>
	// (0 4 8 (1 5 9) (2 6 (3 7)))
}

// A schedule of one's own runs on the device, level by level.
func ExampleProgram_Follow() {
	r := shaders.NewRunner(sim.New(sim.Options{}))
	defer r.Release()
	k, _ := shaders.Find("shaders/sum.metal#follow")
	tree, _ := sumtree.Parse("((0 2) (1 3))")
	sum, err := k.SumTree(r, tree, []float32{1, 1e30, -1, -1e30})
	fmt.Println(sum, err)
	// Output: 0 <nil>
}

// A shader of one's own that takes the arguments of sum_tree needs no host code. The simulator finds that a barrier is missing.
func ExampleProgram() {
	const source = `
kernel void sum(device const float* x, device float* out, constant uint& n, threadgroup float* partial [[threadgroup(0)]],
                uint i [[thread_index_in_threadgroup]])
{
    partial[i] = i < n ? x[i] : 0.0f;
    if (i == 0) {
        out[0] = partial[0] + partial[1];
    }
}`
	p := shaders.Program{Name: "my.metal#sum", Source: source, Function: "sum"}
	r := shaders.NewRunner(sim.New(sim.Options{}))
	defer r.Release()
	sum, err := p.Sum(r, model.Launch1D(1, 2), []float32{3, 4})
	var found model.Findings
	fmt.Println(sum, errors.As(err, &found))
	fmt.Println(found[0].Pos, found[0].Kind)
	// Output:
	// 7 true
	// my.metal:7:38 race
}

// A negacyclic transform of four points modulo 17, whose root 2 has order 8: (1+x)·(1+x³) is x+x³, since x⁴ is -1.
func ExampleNTT() {
	r := shaders.NewRunner(sim.New(sim.Options{}))
	defer r.Release()
	k, _ := shaders.FindNTT("shaders/ntt.metal#stages")
	x, err := k.Plan(r, model.Launch1D(1, 2), modular.Transform{Modulus: 17, N: 4, Negacyclic: true, Root: 2})
	fmt.Println(err)
	c := make([]uint64, 4)
	err = x.Product(c, []uint64{1, 1, 0, 0}, []uint64{1, 0, 0, 1})
	fmt.Println(c, err)
	_, err = k.Plan(r, model.Launch1D(1, 8), modular.Transform{Modulus: 17, N: 16, Negacyclic: true, Root: 2})
	fmt.Println(err)
	// Output:
	// <nil>
	// [0 1 0 1] <nil>
	// shaders/ntt.metal#stages: modulus 17: q-1 is divisible by 2^4 and no higher power of two, and a prime then has no root of order 32; use at most 8 points, or another modulus
}
