package offload

import "fmt"

// Error is a call of a vendor's library that failed.
type Error struct {
	Device  string // cuda or opencl
	Library string // file, or what the library is called if that is not known
	Call    string // symbol with what it was called for
	Code    int    // as the library's header has it; 0: there was none
	Name    string // of the code
	Text    string // what the library says, such as the log of a compilation
	Fix     string // what to do
	// Lost says that nothing more can be done on that device: without Isolate, by this process.
	Lost bool
}

// Error names library, call, code and what to do.
func (e *Error) Error() string {
	s := e.Device + ": " + e.Library + ": " + e.Call
	if e.Code != 0 {
		s += fmt.Sprintf(" gave %d", e.Code)
		if e.Name != "" {
			s += " " + e.Name
		}
	}
	if e.Text != "" {
		s += ": " + e.Text
	}
	if e.Fix != "" {
		s += "; " + e.Fix
	}
	return s
}

// LostBefore is the error for calls to a device that was lost by err.
func LostBefore(device string, err error) error {
	return fmt.Errorf("%s: the device was lost before: %w", device, err)
}

// Released is the error for work of a kernel with a buffer that is gone.
func Released(device, kernel string) error {
	return fmt.Errorf("%s: kernel %s: a buffer that it was given has been released; keep it until the work has ended", device, kernel)
}

// Head is s up to n bytes.
func Head(s string, n int) string {
	if len(s) > n {
		return s[:n] + "…"
	}
	return s
}
