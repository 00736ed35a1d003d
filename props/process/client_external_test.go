package process_test

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/props/judge"
	"gamma/props/process"
)

// clientEnv is the variable that makes this test binary a client with a fault of that name, written from the protocol's description alone.
const clientEnv = "GAMMA_TEST_CLIENT"

func init() {
	if fault, ok := os.LookupEnv(clientEnv); ok {
		client(fault)
		os.Exit(0)
	}
}

// frame writes a frame to standard output.
func frame(version, kind uint16, id uint32, body string) {
	b := binary.LittleEndian.AppendUint16([]byte("GMMA"), version)
	b = binary.LittleEndian.AppendUint16(b, kind)
	b = binary.LittleEndian.AppendUint32(b, id)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(body)))
	_, _ = os.Stdout.Write(append(b, body...))
}

// number is the body of results of one number.
func number(code string, bits uint32) string {
	b := []byte{0, 0, 1, 0, 0, 0, 0, 0}
	b = append(b, (code + "\x00\x00\x00\x00")[:4]...)
	b = append(b, 0, 0, 0, 0)
	b = binary.LittleEndian.AppendUint32(b, bits)
	return string(append(b, 0, 0, 0, 0))
}

// client serves a serial sum of binary32 numbers. It commits its fault in calls of more than four.
func client(fault string) {
	switch fault {
	case "chatty-start":
		fmt.Println("Hello, I am a client.")
	case "version":
		frame(2, 0, 0, "")
	case "mute":
		fmt.Fprintln(os.Stderr, "no licence found")
		os.Exit(3)
	}
	frame(1, 0, 0, "")
	head := make([]byte, 16)
	for {
		if _, err := io.ReadFull(os.Stdin, head); err != nil {
			return
		}
		body := make([]byte, binary.LittleEndian.Uint32(head[12:]))
		if _, err := io.ReadFull(os.Stdin, body); err != nil {
			return
		}
		id := binary.LittleEndian.Uint32(head[8:])
		at := 8 + (int(binary.LittleEndian.Uint16(body))+7)&^7
		n := int(binary.LittleEndian.Uint64(body[at+8:]))
		sum := float32(0)
		for i := range n {
			sum += math.Float32frombits(binary.LittleEndian.Uint32(body[at+24+4*i:]))
		}
		right := number("f4", math.Float32bits(sum))
		if n <= 4 {
			frame(1, 2, id, right)
			continue
		}
		switch fault {
		case "chatty":
			fmt.Println("adding", n, "numbers")
		case "chatty-after":
			frame(1, 2, id, right)
			fmt.Println("added", n, "numbers")
			continue
		case "noisy":
			fmt.Fprintln(os.Stderr, strings.Repeat("adding numbers\n", 1000))
		case "crash":
			fmt.Fprintln(os.Stderr, "out of cheese")
			os.Exit(42)
		case "slow":
			time.Sleep(time.Hour)
		case "children":
			c := exec.Command("sleep", "3600")
			if err := c.Start(); err == nil {
				_ = os.WriteFile(os.Getenv("GAMMA_TEST_PID"), []byte(strconv.Itoa(c.Process.Pid)), 0o600)
			}
			time.Sleep(time.Hour)
		case "half":
			_, _ = os.Stdout.WriteString("GMMA\x01\x00")
			os.Exit(0)
		case "silent":
			_ = os.Stdout.Close()
			time.Sleep(time.Hour)
		case "number":
			id++
		case "length":
			right = right[:12] + "\x01" + right[13:16] + "\x02\x00\x00\x00\x00\x00\x00\x00" + right[16:]
		case "dimensions":
			right = right[:12] + "\xff" + right[13:]
		case "vast":
			right = right[:12] + "\x02" + right[13:16] + strings.Repeat("\xff\xff\xff\x3f\x00\x00\x00\x00", 2) + right[16:]
		case "arrays":
			right = right[:2] + "\x02" + right[3:] + right[8:]
		case "type":
			right = number("f8", 0) + "\x00\x00\x00\x00"
			right = right[:24]
		case "unknown-type":
			right = number("q9", 0)
		case "empty":
			right = ""
		case "nan":
			right = number("f4", 0x7fc00000)
		case "error":
			frame(1, 3, id, "the matrix is singular")
			continue
		case "kind":
			frame(1, 9, id, "")
			continue
		case "body":
			frame(1, 2, id, right)
			continue
		}
		frame(1, 2, id, right)
	}
}

// clientOf returns a process that is a client with a fault.
func clientOf(t *testing.T, fault string) *process.Process {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	p := process.New(func() *exec.Cmd {
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), clientEnv+"="+fault)
		return cmd
	})
	t.Cleanup(p.Close)
	return p
}

// found returns the report of a law on the first failing input, its white space single, and "" if there is none.
func found[J, C any](t *testing.T, list []judge.LawOf[J, C], id model.LawID, s judge.Subject) string {
	t.Helper()
	l, err := judge.LawByID(list, id)
	require.NoError(t, err)
	f, n, err := judge.Find(l, s, 200)
	require.NoError(t, err)
	require.Positive(t, n)
	if f == nil {
		return ""
	}
	return strings.Join(strings.Fields(f.Text()), " ")
}

// why returns why a sum fails on the first drawn input that it fails on, and "" if there is none.
func why(t *testing.T, r judge.Reduction) string {
	t.Helper()
	l, err := judge.LawByID(judge.Laws(), model.SumEnclosure)
	require.NoError(t, err)
	_, _, v, err := judge.Search(l, r, 200)
	require.NoError(t, err)
	if !v.Fails() {
		return ""
	}
	return v.Reason
}

// TestClientFaults: whatever a client does is a verdict on the kernel that says what it was, and the next call is right again.
func TestClientFaults(t *testing.T) {
	t.Setenv("GAMMA_TIMEOUT", "800ms")
	for fault, want := range map[string]string{
		"":             "",
		"noisy":        "",
		"chatty-start": `the process wrote "Hello, I am a client." to its standard output before it said hello`,
		"version":      "the process broke the protocol before it said hello: it speaks version 2 of the protocol, and not 1",
		"mute":         "the process ended before it said hello: exit status 3: no licence found",
		"chatty":       `numbers" to its standard output in a call of total`,
		"chatty-after": `numbers" to its standard output in a call of total`,
		"crash":        "the process ended in a call of total: exit status 42: out of cheese",
		"slow":         "did not return within",
		"half":         "the process ended in a call of total: exit status 0",
		"silent":       "the process closed its standard output in a call of total",
		"number":       "the process broke the protocol in a call of total: it answered call",
		"length":       "total returned 2 elements, of shape [2], and not 1",
		"dimensions":   "the process broke the protocol in a call of total: its frame of 24 bytes ends within the lengths of array 0",
		"vast":         "array 0 of its frame has a dimension of 1073741823",
		"arrays":       "total returned 2 arrays, and not 1",
		"type":         "total returned elements of type f8, and not f4",
		"unknown-type": `the type "q9\x00\x00" is not one of the protocol's`,
		"empty":        "its frame of 0 bytes ends within the head of its body",
		"nan":          "the result is not finite though no partial sum can overflow",
		"error":        "the kernel returned an error: the matrix is singular",
		"kind":         "it answered with a frame of kind 9",
	} {
		t.Run(nameOf(fault), func(t *testing.T) {
			t.Parallel()
			p := clientOf(t, fault)
			got := why(t, judge.Reduction{Name: "client." + nameOf(fault), RunErr: p.Sum("total")})
			if want == "" {
				require.Empty(t, got)
				return
			}
			require.Contains(t, got, want)
			if strings.Contains(got, "before it said hello") {
				return
			}
			sum, err := p.Sum("another")([]float32{1, 2, 3})
			require.NoError(t, err)
			require.Equal(t, float32(6), sum)
		})
	}
}

// nameOf names the client without a fault, too.
func nameOf(fault string) string {
	if fault == "" {
		return "right"
	}
	return fault
}

// TestNoOrphans: what a client that hangs has started is ended with it.
func TestNoOrphans(t *testing.T) {
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skipf("no program to be started by a client: %v", err)
	}
	require.NotEmpty(t, sleep)
	t.Setenv("GAMMA_TIMEOUT", "400ms")
	file := filepath.Join(t.TempDir(), "pid")
	t.Setenv("GAMMA_TEST_PID", file)
	p := clientOf(t, "children")
	_, err = p.Sum("total")([]float32{1, 2, 3, 4, 5})
	require.ErrorContains(t, err, "did not return within 350ms")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	pid, err := strconv.Atoi(string(text))
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err != nil || strings.Contains(string(stat), ") Z ") // or nobody has asked for its end
	}, 10*time.Second, 10*time.Millisecond, "the client's child goes on")
}

// TestAbsentProgram: a program that is not there is named, and not looked for again.
func TestAbsentProgram(t *testing.T) {
	p := process.Start(t, "gamma-no-such-program")
	_, err := p.Sum("total")(nil)
	require.ErrorContains(t, err, "the process could not be started")
	require.ErrorContains(t, err, "gamma-no-such-program")
	require.ErrorContains(t, p.Call("another", nil), "gamma-no-such-program")
}
