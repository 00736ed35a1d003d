package device_test

import (
	"os"
	"testing"

	"gamma/props"
)

// TestMain prints a table of what was judged, at the end.
func TestMain(m *testing.M) { os.Exit(props.Main(m)) }
