package behaviours_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// subject is what a kind's constructor makes of a kernel. A nil function: the kind has no such method.
type subject struct {
	check, replay func(t *testing.T)
	fuzz          func(f *testing.F)
}

// kind is a column of the table: a family of subjects.
type kind struct {
	name    string // of the subtest
	subject string // the subject's name, in reports
	law     string // what its faults are judged by
	own     []string
	make    func(k *kernel) subject
	small   string // matches a report, or what is saved, of an input that is as small as it can be
}

// kinds are all kinds of subjects that there are. own are beginnings of the IDs of laws that say something about them.
var kinds = []kind{
	{
		name: "sum", subject: "behaviours.Sum", law: "sum.enclosure", own: []string{"sum.", "kernel.", "device."},
		small: `reduced from \d+ leaves to 3 `,
		make:  func(k *kernel) subject { s := k.reduction(); return subject{s.Check, s.Replay, s.Fuzz} },
	},
	{
		name: "dot", subject: "behaviours.Dot", law: "dot.enclosure", own: []string{"dot.", "kernel.", "device."},
		small: `reduced from \d+ terms to 3 `,
		make:  func(k *kernel) subject { s := k.dot(); return subject{s.Check, s.Replay, s.Fuzz} },
	},
	{
		name: "operation", subject: "behaviours.TwoSum", law: "eft.sum", own: []string{"eft.", "dw.", "cplx.", "kernel.", "device."},
		small: `simplified in \d+ steps from`,
		make:  func(k *kernel) subject { s := k.operation(); return subject{s.Check, s.Replay, s.Fuzz} },
	},
	{
		name: "modular", subject: "behaviours.MulMod", law: "mont.value", own: []string{"mont.", "kernel.", "device."},
		small: `q 0x3 3 the modulus`,
		make:  func(k *kernel) subject { s := k.modular(); return subject{s.Check, s.Replay, s.Fuzz} },
	},
	{
		name: "ntt", subject: "behaviours.NTT", law: "ntt.exact", own: []string{"ntt.", "kernel.", "device."},
		small: `NTT of 4 points modulo 5,`,
		make:  func(k *kernel) subject { s := k.ntt(); return subject{s.Check, s.Replay, s.Fuzz} },
	},
	{
		name: "wrapping", subject: "behaviours.Checksum", law: "wrap.exact", own: []string{"wrap.", "kernel.", "device."},
		small: `reduced from \d+ terms to 3 `,
		make:  func(k *kernel) subject { s := k.wrapping(); return subject{s.Check, s.Replay, s.Fuzz} },
	},
	{
		name: "formula", subject: "behaviours.Negative", law: "formula.enclosure", own: []string{"formula.", "kernel.", "device."},
		small: `sizes n 3 `,
		make:  func(k *kernel) subject { s := k.negative(); return subject{s.Check, s.Replay, s.Fuzz} },
	},
	{
		name: "fft", subject: "behaviours.DFT", law: "fft.error", own: []string{"fft.", "kernel.", "device."},
		small: `DFT of 4 points, complex`,
		make:  func(k *kernel) subject { s := k.fourier(); return subject{s.Check, s.Replay, s.Fuzz} },
	},
	{
		name: "battery", subject: "behaviours.Negate", law: "scalar.negate", own: []string{"scalar."},
		small: `x0 0x1p\+0 1 `,
		make:  func(k *kernel) subject { s := k.battery(); return subject{s.Check, s.Replay, nil} },
	},
	{
		name: "conversion", subject: "behaviours.Widen", law: "round.convert", own: []string{"round."},
		small: `0x1p\+0 of binary32`,
		make:  func(k *kernel) subject { s := k.conversion(); return subject{s.Check, s.Replay, nil} },
	},
	{
		name: "modularbattery", subject: "behaviours.MulMod", law: "mont.value", own: []string{"mont.", "kernel.", "device."},
		small: `q 0x3 3 the modulus`,
		make:  func(k *kernel) subject { return subject{check: k.modular().Battery} },
	},
	{
		name: "accumulator", subject: "behaviours.Acc", law: "acc.model", own: []string{"acc."},
		small: `after 1 command `,
		make:  func(k *kernel) subject { return subject{check: k.accumulator().Check} },
	},
	{
		name: "protocol", subject: "behaviours.Counter", law: "protocol.counter", own: []string{"protocol."},
		small: `after 1 command `,
		make:  func(k *kernel) subject { return subject{check: k.protocol().Check} },
	},
}

// entry is the variable that says what a process is to run: a kind and a fault, "sum wrong".
const entry = "BEHAVIOURS_SUBJECT"

// entered returns the subject that this process is to run.
func entered(t testing.TB) (*kernel, subject) {
	t.Helper()
	c := column()
	if c == nil {
		t.Skip("TestKinds runs it in processes of its own")
	}
	_, fault, _ := strings.Cut(os.Getenv(entry), " ")
	end := limit
	if fault == hangs {
		end = hangLimit
	}
	time.AfterFunc(end, func() { os.Exit(late) })
	k := &kernel{fault: fault}
	return k, c.make(k)
}

// column returns the kind that this process is to run, or nil.
func column() *kind {
	name, _, _ := strings.Cut(os.Getenv(entry), " ")
	if i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name }); i >= 0 {
		return &kinds[i]
	}
	return nil
}

func TestSubject(t *testing.T) {
	k, s := entered(t)
	if k.fault == suffers {
		spread()
	}
	s.check(t)
	switch k.fault {
	case digests:
		fmt.Printf("digest %016x\n", k.digest)
	case tells:
		fmt.Println("process", os.Getpid())
	case onDevice:
		for _, b := range k.order[:min(len(k.order), len(singles))] {
			fmt.Println("ran", b)
		}
	}
}

func TestSubjectReplay(t *testing.T) {
	_, s := entered(t)
	s.replay(t)
}

func FuzzSubject(f *testing.F) {
	_, s := entered(f)
	s.fuzz(f)
}

// TestSubjectBeside checks kernels that panic in 1, 2, … calls and then no more, while another subject panics. A judge that keeps the last
// stack of all shows that, kind by kind, after 1 call at least and 8 at most.
func TestSubjectBeside(t *testing.T) {
	k, _ := entered(t)
	for first := 1; first <= 8; first++ {
		t.Run(strconv.Itoa(first), func(t *testing.T) { column().make(&kernel{fault: k.fault, first: first}).check(t) })
	}
}

// TestSubjectVariables checks the subject once for each line of a variable, NAME=value, with the variable of this name set.
func TestSubjectVariables(t *testing.T) {
	_, s := entered(t)
	for _, line := range strings.Fields(os.Getenv(variables)) {
		t.Run(line, func(t *testing.T) {
			name, value, _ := strings.Cut(line, "=")
			t.Setenv(name, value)
			s.check(t)
		})
	}
}

// variables is what TestSubjectVariables reads.
const variables = "BEHAVIOURS_VARIABLES"
