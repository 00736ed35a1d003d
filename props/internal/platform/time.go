package platform

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// ProcessTime returns how long all threads of a process have run on processors, in steps of 10 ms. It is false where the system has no
// /proc/PID/stat, as Linux has, or no such process.
func ProcessTime(pid int) (time.Duration, bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, false
	}
	// The name, in parentheses, may have spaces. After it, proc(5)'s field 3 is first, and utime and stime are fields 14 and 15, in units of
	// 1/sysconf(_SC_CLK_TCK) s: 1/100 s on all of Go's Linux targets.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 13 {
		return 0, false
	}
	user, err1 := strconv.ParseInt(string(fields[11]), 10, 64)
	system, err2 := strconv.ParseInt(string(fields[12]), 10, 64)
	return time.Duration(user+system) * 10 * time.Millisecond, err1 == nil && err2 == nil
}
