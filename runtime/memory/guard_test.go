//go:build linux && amd64

package memory

import (
	"runtime/debug"
	"testing"
	"unsafe"
)

var read byte // what is not kept is not read

// faults reports whether a read of the byte that lies off bytes from the start of memory faults.
func faults(r *Reservation, off int64) (yes bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { yes = recover() != nil }()
	read = *(*byte)(unsafe.Add(unsafe.Pointer(&r.bytes[0]), off))
	return false
}

func TestGuards(t *testing.T) {
	for _, limit := range []uint64{64 << 10, 64 << 20, 1<<30 + 64<<10, 4 << 30} {
		r, err := Reserve(limit)
		if err != nil {
			t.Fatal(err)
		}
		if r.Guard() < 2<<30+64 {
			t.Skipf("the system gives no guards: %d bytes", r.Guard())
		}
		if n := len(r.Bytes()); uint64(n) != limit || cap(r.Bytes()) != n || address(r.Bytes())%hugePage != 0 {
			t.Errorf("asked for %d bytes: %d at %#x, capacity %d", limit, n, address(r.Bytes()), cap(r.Bytes()))
		}
		n := int64(limit)
		for _, off := range []int64{0, n / 2, n - 1} {
			if faults(r, off) {
				t.Errorf("%d bytes: a read at %d faults", limit, off)
			}
		}
		for _, off := range []int64{-1, -4096, -2 << 30, -2<<30 - 4096, 4 << 30, 6<<30 - 1, 6<<30 + 4095} {
			if !faults(r, off) {
				t.Errorf("%d bytes: a read at %d does not fault", limit, off)
			}
		}
		if n < 4<<30 && (!faults(r, n) || !faults(r, 4<<30-1)) {
			t.Errorf("%d bytes: a read behind them does not fault", limit)
		}
		r.bytes[0], r.bytes[n-1] = 1, 2
		r.Discard(0, limit)
		if r.bytes[0] != 0 || r.bytes[n-1] != 0 {
			t.Error("Discard left something")
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// BenchmarkReserve measures a memory of 4 GiB that is touched once, with guards and without.
func BenchmarkReserve(b *testing.B) {
	for name, reserve := range map[string]func() (*Reservation, error){
		"guarded": func() (*Reservation, error) { return reserveGuarded(4 << 30), nil },
		"plain":   func() (*Reservation, error) { return reservePlain(4 << 30) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				r, err := reserve()
				if err != nil || r == nil {
					b.Fatal(err)
				}
				r.bytes[1<<20] = 1
				if err := r.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
