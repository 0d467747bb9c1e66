// Package crash kills the server in the middle of runs and looks at what is left. It
// holds tests only. CRASH_KILLS says how often it kills; make nightly does so 100 times.
package crash

import (
	"os"
	"testing"

	fixture "github.com/irscope/irscope/e2e/fixture/program"
)

// program is the path of the built server, set by TestMain.
var program string

func TestMain(m *testing.M) { os.Exit(fixture.Main(m, &program)) }
