package opencl

import "gamma/metal/internal/offload"

// Error is a call of OpenCL that failed. Its Code is one of cl.h, below 0, and its Name the code's there.
type Error = offload.Error

// fixes says what to do about results.
var fixes = map[result]string{
	noPlatform:       "install a driver for OpenCL, such as the package pocl-opencl-icd, or look at OCL_ICD_VENDORS",
	notFound:         "the platform has no device; install its driver's other parts, or choose another by Options.Platform",
	notAvailable:     "the device is in use or switched off; choose another by Options.Device",
	noCompiler:       "the driver has no compiler; install a whole one",
	allocationFailed: "use smaller buffers, or release some",
	outOfResources:   "the kernel needs more than there is; use smaller threadgroups or less threadgroup memory",
	outOfMemory:      "use smaller buffers, or release some",
	invalidGroupSize: "use smaller threadgroups",
}

// otherFix is the fix of results that nobody but the driver knows a reason for.
const otherFix = "the driver refuses what OpenCL 1.2 has; install a newer one, or choose another by Options.Platform and Options.Device"

// wrong returns the error of a call, nil for success.
func (l *library) wrong(call string, r result) error {
	if r == success {
		return nil
	}
	fix := fixes[r]
	if fix == "" {
		fix = otherFix
	}
	e := newError(l.path, call, fix)
	e.Code, e.Name = int(r), codeName(r)
	return e
}

// newError returns an error without a code.
func newError(library, call, fix string) *Error {
	return &Error{Device: string(name), Library: library, Call: call, Fix: fix}
}

// codeName returns a result's name in cl.h, "" if it is not known.
func codeName(r result) string {
	if s := names[r]; s != "" {
		return "CL_" + s
	}
	return ""
}
