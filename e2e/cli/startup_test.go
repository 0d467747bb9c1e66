package cli

import (
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/irscope/irscope/e2e/fixture/goal"
)

// initialized matches a line of GODEBUG=inittrace=1: package, bytes, and number of allocations.
var initialized = regexp.MustCompile(`(?m)^init (\S+) @.* (\d+) bytes, (\d+) allocs$`)

// Bounds on what all packages together allocate before main. Time would say the same on an idle machine only.
const (
	startBytes  = 1120 << 10
	startAllocs = 7500 // each of the 200 passes is a few
)

// TestStartAllocatesLittle checks that no package builds tables, compresses files, or compiles expressions before they are needed:
// every command pays for that, and a shell runs one whenever Tab is pressed.
func TestStartAllocatesLittle(t *testing.T) {
	for _, args := range [][]string{{"--version"}, {"__complete", "run", ""}} {
		cmd := exec.Command(program, args...)
		var trace strings.Builder
		cmd.Env, cmd.Stderr = append(cmd.Environ(), "GODEBUG=inittrace=1"), &trace
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, trace.String())
		}
		bytes, allocs, most, worst := 0, 0, 0, ""
		for _, m := range initialized.FindAllStringSubmatch(trace.String(), -1) {
			b, _ := strconv.Atoi(m[2])
			n, _ := strconv.Atoi(m[3])
			if bytes, allocs = bytes+b, allocs+n; b > most {
				most, worst = b, m[1]
			}
		}
		if bytes == 0 {
			t.Fatalf("%v: no trace in %q", args, trace.String())
		}
		if bytes > startBytes || allocs > startAllocs {
			t.Errorf("%v: packages allocate %d bytes in %d pieces before main, at most %d and %d are allowed; the most, %d bytes, in %s", args, bytes, allocs, startBytes, startAllocs, most, worst)
		}
		t.Logf("%v: %d bytes, %d allocations before main", args, bytes, allocs)
	}
}

// TestStartTime measures the processor time of what a shell runs whenever Tab is pressed, the least of several runs.
func TestStartTime(t *testing.T) {
	for _, args := range [][]string{{"--version"}, {"__complete", "run", "--disable-pass", "Fu"}} {
		least := time.Minute
		for range 10 {
			cmd := exec.Command(program, args...)
			if err := cmd.Run(); err != nil {
				t.Fatalf("%v: %v", args, err)
			}
			least = min(least, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
		}
		goal.Time(t, "irscope "+strings.Join(args, " "), least, 10*time.Millisecond)
	}
}
