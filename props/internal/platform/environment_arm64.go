//go:build gc

package platform

// HasEnvironment says whether control words can be read and written here.
const HasEnvironment = true

// readControl returns FPCR, and writeControl writes it.
func readControl() (fpcr uint64)

func writeControl(fpcr uint64)

// ReadEnvironment returns the environment of the calling thread.
func ReadEnvironment() Environment { return Environment(readControl()) }

// Write makes e the environment of the calling thread.
func (e Environment) Write() { writeControl(uint64(e)) }

// Go returns the environment in which Go computes: nearest, nothing flushed, NaNs propagated, no traps.
func (e Environment) Go() Environment { return 0 }

func (e Environment) changes(before Environment) []string {
	const named = 3<<22 | 1<<24 | 1<<19 | 1<<25 | 1
	list := changesOf(controlFields, e, before)
	if (e^before)&^named != 0 {
		list = append(list, "other bits of FPCR, such as traps of floating-point exceptions, on")
	}
	return list
}

var controlFields = []field{
	{22, 3, []string{
		"the rounding mode at to nearest (FPCR.RMode)", "the rounding mode at upward (FPCR.RMode)",
		"the rounding mode at downward (FPCR.RMode)", "the rounding mode at toward zero (FPCR.RMode)",
	}},
	{24, 1, []string{"flush-to-zero off (FPCR.FZ)", "flush-to-zero on (FPCR.FZ)"}},
	{19, 1, []string{"flush-to-zero of 16-bit numbers off (FPCR.FZ16)", "flush-to-zero of 16-bit numbers on (FPCR.FZ16)"}},
	{0, 1, []string{"flush-inputs-to-zero off (FPCR.FIZ)", "flush-inputs-to-zero on (FPCR.FIZ)"}},
	{25, 1, []string{"default NaNs off (FPCR.DN)", "default NaNs on (FPCR.DN)"}},
}
