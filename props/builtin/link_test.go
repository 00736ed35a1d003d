package builtin_test

// Devices that are linked into this package's tests, so that its binary judges on them wherever they are.
import (
	_ "gamma/metal/apple"
	_ "gamma/metal/cuda"
	_ "gamma/metal/opencl"
)
