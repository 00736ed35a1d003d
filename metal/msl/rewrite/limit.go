package rewrite

import (
	"fmt"

	"gamma/metal/msl/ir"
)

// tooLarge is the error of a kernel that grows beyond all bounds.
func tooLarge(k *ir.Kernel) error {
	return fmt.Errorf("rewrite: %s: kernel %s needs more than %d registers when it is rewritten; split it", k.Pos, k.Name, maxRegs)
}
