package memory

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/e2e/fixture/seed"
)

const start = 256 << 10

// check verifies the address list, the bins and the accounting of h.
func check(t interface{ Fatalf(string, ...any) }, h *Heap) {
	var used, at uint64
	at = h.end
	free := map[*block]bool{}
	for b := h.last; b != nil; b = b.prev {
		if b.addr+b.size != at {
			t.Fatalf("block [%d, %d) does not end at %d", b.addr, b.addr+b.size, at)
		}
		if b.free && b.prev != nil && b.prev.free {
			t.Fatalf("free neighbours at %d", b.addr)
		}
		if b.free {
			free[b] = true
		} else {
			used += b.size
			if h.live[b.addr] != b {
				t.Fatalf("block at %d is not known to be live", b.addr)
			}
		}
		at = b.addr
	}
	if at != start || used != h.used {
		t.Fatalf("blocks start at %d with %d bytes used, want %d and %d", at, used, start, h.used)
	}
	for i := range h.bins {
		if (h.bins[i] != nil) != (h.filled[i/64]>>(i%64)&1 == 1) {
			t.Fatalf("bit %d is wrong", i)
		}
		for b := h.bins[i]; b != nil; b = b.binNext {
			if !free[b] || binOf(b.size) != i {
				t.Fatalf("bin %d holds a wrong block", i)
			}
			delete(free, b)
		}
	}
	if len(free) != 0 {
		t.Fatalf("%d free blocks in no bin", len(free))
	}
}

func TestHeapProperties(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		const limit = 8 << 20
		h := NewHeap(start, limit, func(uint64) error { return nil })
		live := map[uint64]uint64{}
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			if len(live) > 0 && rapid.Bool().Draw(t, "free") {
				var addrs []uint64
				for a := range live {
					addrs = append(addrs, a)
				}
				a := addrs[rapid.IntRange(0, len(addrs)-1).Draw(t, "which")]
				if !h.Free(a) {
					t.Fatalf("%d is not live", a)
				}
				delete(live, a)
			} else {
				size := rapid.OneOf(rapid.Uint64Range(0, 1000), rapid.Uint64Range(1000, 1<<20)).Draw(t, "size")
				a, err := h.Alloc(size)
				if err != nil {
					if !errors.Is(err, ErrFull) {
						t.Fatal(err)
					}
					continue
				}
				if a%Align != 0 || a < start || a+size > limit || h.Size(a) < size {
					t.Fatalf("Alloc(%d) = %d", size, a)
				}
				for b, n := range live {
					if a < b+n && b < a+max(size, 1) {
						t.Fatalf("[%d, +%d) overlaps [%d, +%d)", a, size, b, n)
					}
				}
				live[a] = size
			}
			check(t, h)
		}
		for a := range live {
			h.Free(a)
		}
		check(t, h)
		if s := h.Stats(); s.Used != 0 || s.Allocations != 0 {
			t.Fatalf("%+v", s)
		}
		if h.last != nil && (h.last.prev != nil || h.last.size != h.end-start) {
			t.Fatalf("an empty heap is in pieces")
		}
	})
}

func TestHeapFull(t *testing.T) {
	h := NewHeap(start, start+4096, func(uint64) error { return nil })
	a, err := h.Alloc(4096)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Alloc(1); !errors.Is(err, ErrFull) {
		t.Errorf("Alloc in a full heap: %v", err)
	}
	if _, err := h.Alloc(1<<64 - 1); !errors.Is(err, ErrFull) {
		t.Errorf("Alloc of everything: %v", err)
	}
	if h.Free(a+64) || !h.Free(a) || h.Free(a) {
		t.Error("Free accepts what is not live")
	}
	if s := h.Stats(); s.Used != 0 || s.Peak != 4096 {
		t.Errorf("%+v", s)
	}
	refused := errors.New("no more pages")
	h = NewHeap(start, 1<<30, func(uint64) error { return refused })
	if _, err := h.Alloc(1); !errors.Is(err, ErrFull) || !errors.Is(err, refused) {
		t.Errorf("growth refused: %v", err)
	}
}

func TestReservation(t *testing.T) {
	r, err := Reserve(4 << 30)
	if err != nil {
		t.Fatal(err)
	}
	b := r.Bytes()
	b[0], b[len(b)-1] = 1, 2
	r.Discard(0, uint64(len(b)))
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if err := r.Close(); err != nil || r.Bytes() != nil {
		t.Errorf("second Close: %v", err)
	}
}

func BenchmarkAllocFree(b *testing.B) {
	h := NewHeap(start, 1<<32, func(uint64) error { return nil })
	b.ReportAllocs()
	for b.Loop() {
		x, _ := h.Alloc(1 << 20)
		y, _ := h.Alloc(100)
		h.Free(x)
		h.Free(y)
	}
}
