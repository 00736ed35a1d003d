//go:build !amd64

package ntt

// goldilocksDown runs the layers of forward with the factors w.
func goldilocksDown(x, w []uint64) { goldilocksDownGo(x, w) }

// goldilocksUp runs the layers of inverse with the factors w.
func goldilocksUp(x, w []uint64) { goldilocksUpGo(x, w) }

// goldilocksScale multiplies each word by w.
func goldilocksScale(x []uint64, w uint64) { goldilocksScaleGo(x, w) }
