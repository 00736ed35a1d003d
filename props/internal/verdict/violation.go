package verdict

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
