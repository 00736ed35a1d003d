package protocol

// OnGo makes a device that runs the kernels of the device protocol in Go.
func OnGo() *Device { return onGo(&goBackend{}) }
