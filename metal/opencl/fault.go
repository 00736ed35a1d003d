package opencl

import "fmt"

// Error is a call of OpenCL that failed.
type Error struct {
	Library string // file, or OpenCL if it is not known
	Call    string // symbol with what it was called for
	Code    int    // of cl.h, below 0; 0: there was none
	Name    string // of the code
	Text    string // what the library says, such as the log of a build
	Mend    string // what to do
	// Lost says that nothing more can be done on that device: without Isolate, by this process.
	Lost bool
}

// Error names library, call, code and mend.
func (e *Error) Error() string {
	s := "opencl: " + e.Library + ": " + e.Call
	if e.Code != 0 {
		s += fmt.Sprintf(" gave %d", e.Code)
		if e.Name != "" {
			s += " CL_" + e.Name
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
	noPlatform:       "install a driver for OpenCL, such as the package pocl-opencl-icd, or look at OCL_ICD_VENDORS",
	notFound:         "the platform has no device; install its driver's other parts, or choose another by Options.Platform",
	notAvailable:     "the device is in use or switched off; choose another by Options.Device",
	noCompiler:       "the driver has no compiler; install a whole one",
	allocationFailed: "use smaller buffers, or release some",
	outOfResources:   "the kernel needs more than there is; use smaller threadgroups or less threadgroup memory",
	outOfMemory:      "use smaller buffers, or release some",
	invalidGroupSize: "use smaller threadgroups",
}

// otherMend is the mend of results that nobody but the driver knows a reason for.
const otherMend = "the driver refuses what OpenCL 1.2 has; install a newer one, or choose another by Options.Platform and Options.Device"

// wrong returns the error of a call, nil for success.
func (l *library) wrong(call string, r result) error {
	if r == success {
		return nil
	}
	mend := mends[r]
	if mend == "" {
		mend = otherMend
	}
	return &Error{Library: l.path, Call: call, Code: int(r), Name: names[r], Mend: mend}
}

// head is s up to n bytes.
func head(s string, n int) string {
	if len(s) > n {
		return s[:n] + "…"
	}
	return s
}
