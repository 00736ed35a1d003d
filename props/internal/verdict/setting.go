package verdict

import (
	"encoding/json"

	"gamma/model"
)

// Setting is what a kernel on a device runs under: one behaviour among those that its claim admits, and one launch.
type Setting struct {
	Behaviour model.Behaviour
	Launch    model.Launch
	// Reference asks for the run on Device.Reference instead of the device itself. Laws set it, and no case has it.
	Reference bool
}

// Texts writes a setting, "" for what is plain.
func (s Setting) Texts() (behaviour, launch string) {
	if !s.Behaviour.Plain() {
		behaviour = s.Behaviour.String()
	}
	if !s.Launch.IsZero() {
		launch = s.Launch.String()
	}
	return behaviour, launch
}

// AppendSetting writes a setting and a line's end.
func AppendSetting(b []byte, at Setting) []byte {
	if at != (Setting{}) {
		text, _ := json.Marshal(at) // plain data
		b = append(b, text...)
	}
	return append(b, '\n')
}
