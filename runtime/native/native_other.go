//go:build !(linux && amd64)

package native

import (
	"fmt"
	"runtime"

	"github.com/irscope/irscope/runtime/native/asm"
)

// Host returns no features: there is no native code here.
func Host() asm.Features { return asm.Features{} }

// Caches returns nothing.
func Caches() (l1, l2 int64) { return 0, 0 }

// Available says why no native code runs here.
func Available() error {
	return fmt.Errorf("native code runs on linux/amd64 only, and this is %s/%s", runtime.GOOS, runtime.GOARCH)
}

// Code is never made here.
type Code struct{}

// Load fails.
func Load(*asm.Blob) (*Code, error) { return nil, Available() }

// loadFor fails.
func loadFor(*asm.Blob, asm.Features) (*Code, error) { return nil, Available() }

// Call fails.
func (*Code) Call(int, *Frame, []byte) (uint64, error) { return 0, Available() }

// Frame is 0.
func (*Code) Frame() int { return 0 }

// Close does nothing.
func (*Code) Close() error { return nil }

func pause() {}
