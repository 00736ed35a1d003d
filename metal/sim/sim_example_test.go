package sim_test

import (
	"errors"
	"fmt"
	"log"

	"gamma/metal"
	"gamma/metal/sim"
	"gamma/model"
)

// try is the way of one dispatch, from source to result: groups threadgroups of threads threads on 1, 2, 3, 4.
func try(d *sim.Device, source, name string, groups, threads int) ([]uint32, error) {
	library, err := d.NewLibrary(source, metal.CompileOptions{FileName: "example.metal"})
	if err != nil {
		return nil, err
	}
	function, err := library.NewFunction(name, nil)
	if err != nil {
		return nil, err
	}
	pipeline, err := d.NewComputePipelineState(function)
	if err != nil {
		return nil, err
	}
	x, err := d.NewBufferWithBytes(words(1, 2, 3, 4))
	if err != nil {
		return nil, err
	}
	queue, err := d.NewCommandQueue()
	if err != nil {
		return nil, err
	}
	commands, err := queue.CommandBuffer()
	if err != nil {
		return nil, err
	}
	encoder, err := commands.ComputeCommandEncoder(metal.Serial)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(
		encoder.SetComputePipelineState(pipeline),
		encoder.SetBuffer(x, 0, 0),
		encoder.DispatchThreadgroups(metal.Size{X: groups, Y: 1, Z: 1}, metal.Size{X: threads, Y: 1, Z: 1}),
		encoder.EndEncoding(),
		commands.Commit(),
	); err != nil {
		return nil, err
	}
	found := commands.WaitUntilCompleted() // the result can be read nevertheless
	raw := make([]byte, x.Length())
	if err := x.Read(0, raw); err != nil {
		return nil, err
	}
	return numbers(raw), found
}

// A kernel without faults.
func ExampleNew() {
	d := sim.New(sim.Options{})
	defer d.Release()
	x, err := try(d, `kernel void square(device uint *x, uint i [[thread_position_in_grid]]) { x[i] *= x[i]; }`, "square", 2, 2)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(x)
	// Output: [1 4 9 16]
}

// Two threadgroups read what the other one writes: the checks tell, and other orders show what comes of it.
func ExampleDevice_With() {
	const source = `
kernel void swap(device uint *x, uint i [[thread_position_in_grid]], uint n [[threads_per_grid]]) {
    x[i] = x[n - 1 - i];
}`
	d := sim.New(sim.Options{})
	_, err := try(d, source, "swap", 4, 1)
	var found model.Findings
	if errors.As(err, &found) {
		fmt.Println(found[0].Pos, found[0].Kind, found[0].Buffer)
	}
	for _, order := range []string{"", "reverse"} {
		x, _ := try(d.With(model.Behaviour{Order: order}), source, "swap", 4, 1)
		fmt.Println(x)
	}
	// Output:
	// example.metal:3:13 race x
	// [4 3 3 4]
	// [1 2 2 1]
}
