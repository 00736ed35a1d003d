//go:build !race

package fast_test

const slower = 1
