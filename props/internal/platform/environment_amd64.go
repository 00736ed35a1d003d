//go:build gc

package platform

// HasEnvironment says whether control words can be read and written here.
const HasEnvironment = true

// An environment holds the control bits of MXCSR, without its sticky flags, and above them the x87 control word, which Go does not use and
// C's long double does.
const (
	controlBits = 0x2ffc0 // DAZ, masks, RC, FTZ, MM
	goControl   = 0x1f80  // nearest, nothing flushed, all exceptions masked
	x87Shift    = 32
)

// readControl returns MXCSR and the x87 control word, and writeControl writes them.
func readControl() (mxcsr uint32, x87 uint16)

func writeControl(mxcsr uint32, x87 uint16)

// ReadEnvironment returns the environment of the calling thread.
func ReadEnvironment() Environment {
	mxcsr, x87 := readControl()
	return Environment(mxcsr&controlBits) | Environment(x87)<<x87Shift
}

// Write makes e the environment of the calling thread.
func (e Environment) Write() { writeControl(uint32(e), uint16(e>>x87Shift)) }

// Go returns e with what Go's arithmetic depends on as Go has it.
func (e Environment) Go() Environment { return e>>x87Shift<<x87Shift | goControl }

func (e Environment) changes(before Environment) []string { return changesOf(controlFields, e, before) }

var controlFields = []field{
	{13, 3, []string{
		"the rounding mode at to nearest (MXCSR.RC)", "the rounding mode at downward (MXCSR.RC)",
		"the rounding mode at upward (MXCSR.RC)", "the rounding mode at toward zero (MXCSR.RC)",
	}},
	{15, 1, []string{"flush-to-zero off (MXCSR.FTZ)", "flush-to-zero on (MXCSR.FTZ)"}},
	{6, 1, []string{"denormals-are-zero off (MXCSR.DAZ)", "denormals-are-zero on (MXCSR.DAZ)"}},
	{7, 63, []string{"other traps of floating-point exceptions on (the masks of MXCSR)"}},
	{17, 1, []string{"misaligned exceptions off (MXCSR.MM)", "misaligned exceptions on (MXCSR.MM)"}},
	{x87Shift + 10, 3, []string{
		"the x87 rounding mode at to nearest (RC of the x87 control word)", "the x87 rounding mode at downward (RC of the x87 control word)",
		"the x87 rounding mode at upward (RC of the x87 control word)", "the x87 rounding mode at toward zero (RC of the x87 control word)",
	}},
	{x87Shift + 8, 3, []string{
		"the x87 precision at 24 bits (PC of the x87 control word)", "the x87 precision at a reserved value (PC of the x87 control word)",
		"the x87 precision at 53 bits (PC of the x87 control word)", "the x87 precision at 64 bits (PC of the x87 control word)",
	}},
	{x87Shift, 63, []string{"other traps of x87 exceptions on (the masks of the x87 control word)"}},
}
