package device_test

import (
	"strings"
	"testing"

	"gamma/props/device"
	"gamma/shaders"
)

// TestTrigInBothModes: the sines of trig.h keep their claims in Metal's default mode as well, whatever its compiler rewrites, since the header's pragmas and fused
// steps leave it nothing.
func TestTrigInBothModes(t *testing.T) {
	for _, f := range shaders.Formulas() {
		if !strings.HasPrefix(f.Name, "shaders/trig.metal#") {
			continue
		}
		t.Run(f.Function, func(t *testing.T) {
			t.Parallel()
			device.Kernel{
				Name: "mine@" + f.Name, Source: f.Source, Function: f.Function, Options: f.Options,
				Formula: f.Formula, Claim: f.Claim, Strict: true, BothModes: true, Repeats: true,
			}.Check(t)
		})
	}
}
