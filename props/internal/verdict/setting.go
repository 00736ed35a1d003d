package verdict

import (
	"gamma/model"
)

// Setting is what a kernel on a device runs under: one behaviour among those that its claim admits, and one launch.
type Setting struct {
	Behaviour model.Behaviour
	Launch    model.Launch
	// Reference asks for the run on Device.Reference instead of the device itself. Laws set it, and no case has it.
	Reference bool
}
