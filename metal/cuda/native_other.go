//go:build !((linux && !android && (amd64 || arm64)) || (windows && (amd64 || arm64)))

package cuda

import "runtime"

// load says that there is no CUDA here.
func load() (*libraries, error) {
	return nil, errorf("CUDA is used on Linux and Windows, on amd64 and arm64; this is %s/%s", runtime.GOOS, runtime.GOARCH)
}
