package emit_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/internal/emit"
	"gamma/metal/msl/ir"
	"gamma/metal/msl/rewrite"
	"gamma/metal/sim/engine"
	"gamma/metal/sim/fast"
	"gamma/model"
)

// launch is one dispatch. args are the bytes of the kernel's buffers, of threadgroup arguments as many as they have.
type launch struct {
	name        string
	k           *ir.Kernel
	grid, group model.Size3
	args        [][]byte
}

// simulated returns what the buffers hold afterwards, on package fast.
func (l *launch) simulated(t *testing.T, b model.Behaviour) [][]byte {
	t.Helper()
	k, err := rewrite.Apply(l.k, b)
	require.NoError(t, err)
	if k != l.k {
		ir.Optimise(k)
	}
	p, err := fast.Compile(k)
	require.NoError(t, err)
	d := &engine.Dispatch{Kernel: k, Grid: l.grid, Group: l.group}
	var out [][]byte
	for i, a := range l.args {
		if l.k.Buffers[i].Space == ir.Threadgroup {
			d.Args = append(d.Args, engine.Arg{Length: len(a)})
			out = append(out, nil)
			continue
		}
		m := append([]byte(nil), a...)
		out = append(out, m)
		d.Args = append(d.Args, engine.Arg{Mem: &engine.Memory{Bytes: m}})
	}
	_, err = p.Run(d, engine.Options{Behaviour: model.Behaviour{Flush: b.Flush, Flush16: b.Flush16}, Workers: 1})
	require.NoError(t, err)
	return out
}

func values(b []byte) string {
	var s strings.Builder
	for _, x := range b {
		fmt.Fprintf(&s, "%d,", x)
	}
	return s.String()
}

// groups are the threadgroups of a launch.
func (l *launch) groups() model.Size3 {
	return (&engine.Dispatch{Grid: l.grid, Group: l.group}).Groups()
}

// word is the value of a parameter that is a number.
func (l *launch) word(p emit.Param) int {
	of := func(s model.Size3) int { return [3]int{s.X, s.Y, s.Z}[p.Index] }
	switch p.Kind {
	case emit.GridThreads:
		return of(l.grid)
	case emit.Threadgroups:
		return of(l.groups())
	case emit.ThreadsPerThreadgroup:
		return of(l.group)
	case emit.Whole:
		if n, g := l.groups(), l.group; size(n.X*g.X, n.Y*g.Y, n.Z*g.Z) == l.grid {
			return 1
		}
	}
	return 0
}

// onShim prints launches as CUDA C++, compiles them by g++ and returns what the buffers hold afterwards. Buffers begin at multiples of 16,
// or, with least, of their own alignment and of no more, and no grid is said to be whole.
func onShim(t *testing.T, launches []*launch, b model.Behaviour, least bool) [][][]byte {
	t.Helper()
	gcc, err := exec.LookPath("g++")
	if err != nil {
		t.Skip("g++ is not installed: the printed CUDA C++ is not compiled here")
	}
	var s, calls strings.Builder
	s.WriteString("#include \"cuda_shim.h\"\n")
	for i, l := range launches {
		p, err := emit.Print(l.k, emit.Options{Behaviour: b})
		require.NoError(t, err, l.name)
		text := strings.Replace(p.Text, "extern \"C\" ", "", 1)
		text = strings.Replace(text, "extern __shared__ __align__(16) char gm_dynamic[];", "static __align__(16) char gm_dynamic[1 << 16];", 1)
		fmt.Fprintf(&s, "namespace k%d {\n%sstatic gm_arguments g;\nstatic void body() { %s(g); }\n}\n", i, text, p.Entry)
		n := l.groups()
		fmt.Fprintf(&calls, "    {\n        unsigned long long *words = (unsigned long long *)&k%d::g;\n", i)
		offset := 0
		for j, q := range p.Params {
			switch q.Kind {
			case emit.BufferAddress:
				skip := 0
				if a := l.k.Buffers[q.Index].Align; least && a < 16 {
					skip = a
				}
				fmt.Fprintf(&calls, "        static __align__(16) unsigned char a%d[] = {%s%s}, *const b%d = a%d + %d;\n        words[%d] = (unsigned long long)b%d;\n",
					q.Index, strings.Repeat("0,", skip), values(l.args[q.Index]), q.Index, q.Index, skip, j, q.Index)
			case emit.ThreadgroupOffset:
				fmt.Fprintf(&calls, "        words[%d] = %d;\n", j, offset)
				offset += (len(l.args[q.Index]) + 15) / 16 * 16
			default:
				v := l.word(q)
				if q.Kind == emit.Whole && least {
					v = 0
				}
				fmt.Fprintf(&calls, "        words[%d] = %d;\n", j, v)
			}
		}
		fmt.Fprintf(&calls, "        for (blockIdx.z = 0; blockIdx.z < %d; blockIdx.z++)\n        for (blockIdx.y = 0; blockIdx.y < %d; blockIdx.y++)\n        for (blockIdx.x = 0; blockIdx.x < %d; blockIdx.x++)\n            shim_run(%d, %d, %d, k%d::body);\n",
			n.Z, n.Y, n.X, l.group.X, l.group.Y, l.group.Z, i)
		for j, a := range l.args {
			if l.k.Buffers[j].Space != ir.Threadgroup {
				fmt.Fprintf(&calls, "        fwrite(b%d, 1, %d, stdout);\n", j, len(a))
			}
		}
		calls.WriteString("    }\n")
	}
	fmt.Fprintf(&s, "int main()\n{\n%s    return 0;\n}\n", calls.String())
	dir := scratch(t)
	source, program := filepath.Join(dir, "launch.cc"), filepath.Join(dir, "launch")
	require.NoError(t, os.WriteFile(source, []byte(s.String()), 0o600))
	shim, err := filepath.Abs("testdata")
	require.NoError(t, err)
	text, err := exec.Command(gcc, "-std=c++17", "-O1", "-w", "-ffp-contract=off", "-fno-strict-aliasing", "-I", shim, "-o", program, source).CombinedOutput()
	require.NoError(t, err, "%.4000s", text)
	return results(t, program, launches)
}

// results runs a program and splits what it writes.
func results(t *testing.T, program string, launches []*launch) [][][]byte {
	t.Helper()
	var complaint strings.Builder
	c := exec.Command(program)
	c.Stderr = &complaint
	out, err := c.Output()
	require.NoError(t, err, complaint.String())
	var all [][][]byte
	for _, l := range launches {
		var bs [][]byte
		for j, a := range l.args {
			if l.k.Buffers[j].Space == ir.Threadgroup {
				bs = append(bs, nil)
				continue
			}
			require.GreaterOrEqual(t, len(out), len(a))
			bs = append(bs, out[:len(a)])
			out = out[len(a):]
		}
		all = append(all, bs)
	}
	require.Empty(t, out)
	return all
}

// openclHost declares what a host program of OpenCL needs; there may be no headers.
const openclHost = `#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef unsigned long long u64;
extern int clGetPlatformIDs(unsigned, void **, unsigned *);
extern int clGetDeviceIDs(void *, u64, unsigned, void **, unsigned *);
extern void *clCreateContext(void *, unsigned, void **, void *, void *, int *);
extern void *clCreateCommandQueue(void *, void *, u64, int *);
extern void *clCreateProgramWithSource(void *, unsigned, const char **, size_t *, int *);
extern int clBuildProgram(void *, unsigned, void **, const char *, void *, void *);
extern int clGetProgramBuildInfo(void *, void *, unsigned, size_t, void *, size_t *);
extern void *clCreateKernel(void *, const char *, int *);
extern void *clCreateBuffer(void *, u64, size_t, void *, int *);
extern int clSetKernelArg(void *, unsigned, size_t, const void *);
extern int clEnqueueNDRangeKernel(void *, void *, unsigned, size_t *, size_t *, size_t *, unsigned, void *, void *);
extern int clEnqueueReadBuffer(void *, void *, unsigned, size_t, size_t, void *, unsigned, void *, void *);
static void *platform, *device, *context, *queue;
static void check(int e, const char *what) { if (e != 0) { fprintf(stderr, "%s: %d\n", what, e); exit(4); } }
static void *kernel(const char *text, const char *entry, const char *flags)
{
    int e;
    void *p = clCreateProgramWithSource(context, 1, &text, NULL, &e);
    check(e, "source");
    if (clBuildProgram(p, 1, &device, flags, NULL, NULL) != 0) {
        static char log[1 << 16];
        clGetProgramBuildInfo(p, device, 0x1183, sizeof log, log, NULL);
        fprintf(stderr, "%s", log);
        exit(4);
    }
    void *k = clCreateKernel(p, entry, &e);
    check(e, "kernel");
    return k;
}
static void start(void)
{
    int e;
    if (clGetPlatformIDs(1, &platform, NULL) != 0 || clGetDeviceIDs(platform, 0xffffffff, 1, &device, NULL) != 0) exit(5);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
    check(e, "context");
    queue = clCreateCommandQueue(context, device, 0, &e);
    check(e, "queue");
}
`

// onOpenCL prints launches as OpenCL C and runs them on the first device there is; it skips the test where there is none.
func onOpenCL(t *testing.T, launches []*launch, b model.Behaviour) [][][]byte {
	t.Helper()
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("gcc is not installed: no host program for OpenCL can be built")
	}
	var s strings.Builder
	s.WriteString(openclHost)
	s.WriteString("int main(void)\n{\n    int e;\n    start();\n")
	for i, l := range launches {
		p, err := emit.Print(l.k, emit.Options{Dialect: emit.OpenCL, Behaviour: b})
		require.NoError(t, err, l.name)
		flags := p.Flags
		if p.Barriers {
			flags = append(flags, "-cl-opt-disable") // PoCL's optimiser gets barriers wrong: see package opencl
		}
		fmt.Fprintf(&s, "    {\n        static const unsigned char text[] = {%s0};\n        void *k = kernel((const char *)text, \"%s\", \"%s\");\n", values([]byte(p.Text)), p.Entry, strings.Join(flags, " "))
		for j, q := range p.Params {
			switch q.Kind {
			case emit.BufferAddress:
				n := len(l.args[q.Index])
				fmt.Fprintf(&s, "        static unsigned char b%d[] = {%s};\n        void *m%d = clCreateBuffer(context, 1 | 32, %d, b%d, &e);\n        check(e, \"buffer\");\n        check(clSetKernelArg(k, %d, 8, &m%d), \"argument\");\n",
					q.Index, values(l.args[q.Index]), q.Index, n, q.Index, j, q.Index)
			case emit.ThreadgroupOffset:
				fmt.Fprintf(&s, "        check(clSetKernelArg(k, %d, %d, NULL), \"local argument\");\n", j, len(l.args[q.Index]))
			default:
				fmt.Fprintf(&s, "        u64 w%d = %d;\n        check(clSetKernelArg(k, %d, 8, &w%d), \"word\");\n", j, l.word(q), j, j)
			}
		}
		n := l.groups()
		fmt.Fprintf(&s, "        size_t global[3] = {%d, %d, %d}, local[3] = {%d, %d, %d};\n        check(clEnqueueNDRangeKernel(queue, k, 3, NULL, global, local, 0, NULL, NULL), \"launch %d\");\n",
			n.X*l.group.X, n.Y*l.group.Y, n.Z*l.group.Z, l.group.X, l.group.Y, l.group.Z, i)
		for j, a := range l.args {
			if l.k.Buffers[j].Space != ir.Threadgroup {
				fmt.Fprintf(&s, "        check(clEnqueueReadBuffer(queue, m%d, 1, 0, %d, b%d, 0, NULL, NULL), \"read\");\n        fwrite(b%d, 1, %d, stdout);\n", j, len(a), j, j, len(a))
			}
		}
		s.WriteString("    }\n")
	}
	s.WriteString("    return 0;\n}\n")
	dir := scratch(t)
	source, program := filepath.Join(dir, "host.c"), filepath.Join(dir, "host")
	require.NoError(t, os.WriteFile(source, []byte(s.String()), 0o600))
	text, err := exec.Command(gcc, "-w", "-o", program, source, "-l:libOpenCL.so.1").CombinedOutput()
	if err != nil && strings.Contains(string(text), "libOpenCL") {
		t.Skip("libOpenCL.so.1 is not installed: the printed OpenCL C is not run here; install ocl-icd-libopencl1 and pocl-opencl-icd")
	}
	require.NoError(t, err, "%.4000s", text)
	var exit *exec.ExitError
	if err := exec.Command(program).Run(); errors.As(err, &exit) && exit.ExitCode() == 5 {
		t.Skip("OpenCL has no device here; install pocl-opencl-icd")
	}
	return results(t, program, launches)
}
