//go:build !amd64

package fft

import "gamma/kernels/dd"

// vectorised returns no transform: there is none in assembly.
func vectorised[C number[C]](int, bool, dd.DD64, func(re, im dd.DD64) C) (runner[C], []int) {
	return nil, nil
}
