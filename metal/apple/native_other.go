//go:build !darwin

package apple

import "runtime"

// world says that there is no Metal here.
func world() (*host, error) {
	return nil, errorf("Metal.framework is there on macOS only, and this is %s/%s; run on a Mac, or use the simulator", runtime.GOOS, runtime.GOARCH)
}
