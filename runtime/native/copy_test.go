//go:build linux && amd64

package native

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// TestCopies copies tensors to the device and back by one thread and by several, of sizes around those at which threads share the work.
func TestCopies(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, threads := range []int{1, 3} {
		d, m := forkDevice(t, threads)
		if m.Kernel("fill") == nil {
			t.Fatal("the device has no kernels")
		}
		for _, n := range []int64{0, 1, 128<<10 - 1, 128 << 10, 128<<10 + 1, 5*128<<10 + 77, 3 << 20} {
			host := tensor.MustNew(dtype.UInt8T, n)
			for i := range host.Data {
				host.Data[i] = byte(rng.Uint32())
			}
			for range 3 {
				x, err := d.Upload(host)
				if err != nil {
					t.Fatal(err)
				}
				back, err := x.Download()
				if err != nil {
					t.Fatal(err)
				}
				read := make([]byte, n)
				if err := x.Read(read); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(back.Data, host.Data) || !bytes.Equal(read, host.Data) {
					t.Errorf("%d threads: %d bytes come back as others", threads, n)
				}
				x.Release()
			}
		}
	}
}
