// Package crash kills the server in the middle of runs and looks at what is left. It
// holds tests only. CRASH_KILLS says how often it kills; make nightly does so 100 times.
package crash

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// program is the path of the built server, set by TestMain.
var program string

func TestMain(m *testing.M) { os.Exit(build(m)) }

// build builds the server and runs the tests.
func build(m *testing.M) int {
	dir, err := os.MkdirTemp("", "explorer")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "explorer")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", program, "../../cmd/explorer").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}
