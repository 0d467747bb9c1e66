package instruments_test

import (
	"errors"
	"testing"

	"github.com/irscope/irscope/instruments"
)

// TestReported: the program that an error shows is apart from what it says.
func TestReported(t *testing.T) {
	for text, want := range map[string][2]string{
		"plain":          {"plain", ""},
		"plain\n\nlines": {"plain\n\nlines", ""},
		"f: ScheduleError: it failed.\n\nThe IR with diagnostic is:\n# from tvm.script import tir as T\n\n@T.prim_func\n^^^\nError message: too deep": {"f: ScheduleError: it failed: too deep", "@T.prim_func\n^^^"},
	} {
		if message, program := instruments.Reported(errors.New(text)); message != want[0] || program != want[1] {
			t.Errorf("%q is %q and %q", text, message, program)
		}
	}
}
