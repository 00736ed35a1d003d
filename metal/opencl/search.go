package opencl

import (
	"os"
	"runtime"

	"gamma/metal/internal/offload"
)

// PathVariable lists folders or files, apart as in PATH, where the library of OpenCL is looked for first.
const PathVariable = "GAMMA_OPENCL_PATH"

// search says where the library may be.
func search() *offload.Search {
	s := &offload.Search{
		Device: string(name), Title: "OpenCL", Variable: PathVariable, AnyName: true, Env: os.Getenv, Names: []string{"libOpenCL.so.1", "libOpenCL.so"},
		Usual: []string{
			"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib", "/usr/local/cuda/lib64", "/opt/rocm/lib", "/opt/*/lib",
		},
		Missing: "install ocl-icd-libopencl1 and a driver such as pocl-opencl-icd, or set " + PathVariable + " to the folder of libOpenCL.so.1",
	}
	switch runtime.GOOS {
	case "windows":
		s.Names, s.Usual = []string{"OpenCL.dll"}, []string{`C:\Windows\System32`}
		s.Missing = "install the driver of the graphics card, or set " + PathVariable + " to the folder of OpenCL.dll"
	case "darwin":
		// The loader has it, though there is no such file.
		s.Names, s.Bare, s.Usual = []string{"OpenCL"}, []string{"OpenCL", "/System/Library/Frameworks/OpenCL.framework/OpenCL"}, nil
		s.Missing = "this macOS has no OpenCL.framework; set " + PathVariable + " to the folder of another library"
	}
	return s
}
