//go:build !(((linux && !android) || darwin || windows) && (amd64 || arm64))

package opencl

import "runtime"

// load says that there is no OpenCL here.
func load() (*library, error) {
	return nil, errorf("OpenCL is used on Linux, macOS and Windows, on amd64 and arm64; this is %s/%s", runtime.GOOS, runtime.GOARCH)
}
