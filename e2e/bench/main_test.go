package bench

import (
	"os"
	"testing"

	"github.com/irscope/irscope/runtime/gcfloor"
)

// TestMain collects garbage as the program does.
func TestMain(m *testing.M) {
	gcfloor.Set(gcfloor.Default)
	os.Exit(m.Run())
}
