package cuda

import (
	"fmt"
	"slices"
	"strings"
)

// Error is a call of one of the libraries that failed.
type Error struct {
	Library string // file, or libcuda or nvrtc if it is not known
	Call    string // symbol with what it was called for
	Code    int    // CUresult, nvrtcResult, or -1: there was none
	Name    string // of the code
	Text    string // what the library says
	Mend    string // what to do
	// Lost says that the context is gone: without Isolate, this process can use that GPU no more.
	Lost bool
}

// Error names library, call, code and mend.
func (e *Error) Error() string {
	s := "cuda: " + e.Library + ": " + e.Call
	if e.Code >= 0 {
		s += fmt.Sprintf(" gave %d", e.Code)
		if e.Name != "" {
			s += " " + e.Name
		}
	}
	if e.Text != "" {
		s += ": " + e.Text
	}
	if e.Mend != "" {
		s += "; " + e.Mend
	}
	return s
}

// mends says what to do about results.
var mends = map[result]string{
	invalidValue:    "a size is more than the GPU has: use fewer variables a thread, less threadgroup memory, or smaller threadgroups and buffers",
	outOfMemory:     "use smaller buffers, or release some; other programs may use the GPU too",
	noDevice:        "there is no NVIDIA GPU here, or CUDA_VISIBLE_DEVICES hides it",
	systemNotReady:  "the GPU's services are not up; look at nvidia-smi",
	driverMismatch:  "the driver's library and its kernel module differ; restart the machine, or set GAMMA_CUDA_PATH to the folder of the right libcuda",
	notPermitted:    "give this user access to /dev/nvidia*",
	noBinary:        "the compiled kernel is for another GPU; empty the folder of GAMMA_CUDA_CACHE",
	invalidImage:    "the compiled kernel is none that this driver knows; set GAMMA_CUDA_PATH to the folder of an NVRTC no newer than the driver",
	unsupportedPTX:  "NVRTC is newer than the driver; set GAMMA_CUDA_PATH to the folder of an older NVRTC",
	insufficient:    "the driver is too old for this CUDA; install a newer one",
	stubLibrary:     "this libcuda is one to link against, and does nothing; take its folder out of GAMMA_CUDA_PATH and LD_LIBRARY_PATH",
	unavailable:     "another process has the GPU for itself; wait, or look at nvidia-smi",
	invalidDevice:   "there is no such GPU; change Options.Ordinal",
	osCall:          "a call of the operating system failed in the driver; look at its log (dmesg)",
	notCompatible:   "the libcuda is of a compatibility package, which this GPU cannot use; set GAMMA_CUDA_PATH to the folder of the driver's own",
	unknownError:    "the driver is not in order, as after a suspend or without its module nvidia-uvm; look at nvidia-smi, or restart the machine",
	launchResources: "the kernel needs more registers or threadgroup memory than there are; use smaller threadgroups",
}

// deviceMend is the mend of faults of kernels.
const deviceMend = "a kernel faulted and took its process's context along; run it on the simulator for the place, and with Options.Isolate to go on"

// wrong returns the error of a call of the driver, nil for success.
func (l *libraries) wrong(call string, r result) error {
	if r == success {
		return nil
	}
	e := &Error{Library: l.driverPath, Call: call, Code: int(r), Lost: sticky(r) && !early(call), Mend: mends[r]}
	e.Name, e.Text = l.driver.GetErrorName(r), l.driver.GetErrorString(r)
	if e.Lost {
		e.Mend = deviceMend
	}
	return e
}

// early says whether a call comes before there is a context: no kernel can be its fault.
func early(call string) bool {
	return slices.ContainsFunc([]string{"cuInit", "cuDriverGet", "cuDeviceGet", "cuDeviceTotalMem", "cuDevicePrimaryCtxRetain"}, func(s string) bool {
		return strings.HasPrefix(call, s)
	})
}

// miscompiled is wrong for NVRTC.
func (l *libraries) miscompiled(call string, r result) error {
	if r == success {
		return nil
	}
	if r == implausible {
		return &Error{Library: l.compilerPath, Call: call, Code: -1, Text: fmt.Sprintf("it gave a size of more than %d bytes", maxImage), Mend: "this is none of NVIDIA's; set " + PathVariable}
	}
	return &Error{
		Library: l.compilerPath, Call: call, Code: int(r), Name: l.compiler.ErrorString(r),
		Mend: "if NVRTC's own files are missing beside it, set GAMMA_CUDA_PATH to the folder of a whole one",
	}
}
