package protocol_test

import (
	"testing"

	"gamma/metal"
	"gamma/metal/internal/protocol"
	"gamma/props/device"
)

// whole is a Device with the properties that the protocol needs.
type whole struct{ *protocol.Device }

func (whole) Properties() metal.Properties { return metal.Properties{Kind: "go"} }

// TestProtocol draws calls, legal and not.
func TestProtocol(t *testing.T) {
	device.Protocol{Name: "go", Sequences: 100, New: func() (metal.Device, error) { return whole{protocol.OnGo()}, nil }}.Check(t)
}
