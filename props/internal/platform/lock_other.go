//go:build !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly

package platform

import "os"

// Locked returns false: files are not locked on this system.
func Locked(*os.File) (byOther bool) { return false }
