package terminal

import (
	"os"

	"golang.org/x/sys/windows"
)

// enable makes a console take escape sequences, and tells whether it does: those before Windows 10 do not.
func enable(f *os.File) bool {
	h := windows.Handle(f.Fd())
	var mode uint32
	if windows.GetConsoleMode(h, &mode) != nil {
		return false
	}
	return windows.SetConsoleMode(h, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
