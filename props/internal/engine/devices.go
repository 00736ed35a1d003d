package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// deviceWords are what -gamma.device knows in every program: Go functions, the simulator, and the kinds of hardware there are packages for.
var deviceWords = []string{"cpu", "sim", "cuda", "metal", "opencl"}

// linked returns the kinds of devices that are linked into the program.
var linked struct {
	sync.Mutex
	kinds func() []string
}

// DevicesFrom says which kinds of devices are linked into the program. Package props/device calls it: this package knows no devices.
func DevicesFrom(kinds func() []string) {
	linked.Lock()
	defer linked.Unlock()
	linked.kinds = kinds
}

// knownDevices returns all words that -gamma.device knows.
func knownDevices() []string {
	linked.Lock()
	defer linked.Unlock()
	list := slices.Clone(deviceWords)
	if linked.kinds != nil {
		for _, k := range linked.kinds() {
			if !slices.Contains(list, k) {
				list = append(list, k)
			}
		}
	}
	return list
}

// parseDevices reads the value of -gamma.device: nil, and so everything, of no text.
func parseDevices(text string) (list []string, ok bool) {
	if text == "" {
		return nil, true
	}
	known := knownDevices()
	for _, word := range strings.Split(text, ",") {
		word = strings.TrimSpace(word)
		if !slices.Contains(known, word) {
			return nil, false
		}
		if !slices.Contains(list, word) {
			list = append(list, word)
		}
	}
	return list, true
}

// Devices returns what -gamma.device names, in its order, "cpu" for Go functions among it; nil if it names nothing, and every device that
// is present is meant.
func Devices() ([]string, error) {
	set, err := ReadSettings()
	return set.Devices, err
}

// Runs reports whether subjects on a device are judged, or Go functions if it is nil.
func (s *Settings) Runs(d *DeviceClaim) bool {
	return s.Devices == nil || slices.Contains(s.Devices, d.where())
}

// Elsewhere says why a subject is not judged, "" if it is.
func (s *Settings) Elsewhere(subject string, d *DeviceClaim) string {
	if s.Runs(d) {
		return ""
	}
	return fmt.Sprintf("%s runs on %s, and -gamma.%s (or %s) is %q", subject, d.where(), OptDevice.Name, OptDevice.Env(), OptDevice)
}

// SkipElsewhere skips a test whose subject is not judged.
func (s *Settings) SkipElsewhere(t TB, subject string, d *DeviceClaim) {
	t.Helper()
	if why := s.Elsewhere(subject, d); why != "" {
		t.Skip(why)
	}
}

// SkipAll skips a fuzz target of which no subject is left, since they run elsewhere.
func SkipAll(f TB, left int, why string) {
	f.Helper()
	if left == 0 && why != "" {
		f.Skip(why)
	}
}

// absent are the devices that are not here, and why.
var absent = struct {
	sync.Mutex
	why map[string]string
}{why: map[string]string{}}

// NoteAbsent notes that a device of a kind is not here and why, for the summary. It reports whether that is news.
func NoteAbsent(kind, why string) bool {
	absent.Lock()
	defer absent.Unlock()
	_, old := absent.why[kind]
	absent.why[kind] = why
	return !old
}

// absentDevices returns the lines of the summary about devices that are not here.
func absentDevices() (lines []string) {
	absent.Lock()
	defer absent.Unlock()
	for _, kind := range slices.Sorted(maps.Keys(absent.why)) {
		lines = append(lines, fmt.Sprintf("nothing was judged on %s: %s", kind, absent.why[kind]))
	}
	return lines
}

// onDevice returns the arguments of a command that judges on the hardware again that a failure names, if an option can name it.
func onDevice(device string) string {
	kind, _, _ := strings.Cut(device, ":")
	if !slices.Contains(knownDevices(), kind) {
		return ""
	}
	return kind
}
