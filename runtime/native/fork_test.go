//go:build linux && amd64

package native

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/runtime/native/asm"
)

// fork makes a request for chunks of the turns from 0 to before n; body is what runs for each turn, whose number is in RBX, with the elements of argument 0 at RCX.
func (a *assembler) fork(n, cost int32, body func()) { a.forkFrom(n, cost, func() {}, body) }

// forkFrom is fork with what a chunk does first.
func (a *assembler) forkFrom(n, cost int32, first, body func()) {
	a.word(WordsAt, 0)
	a.word(WordsAt+8, n)
	a.word(WordsAt+16, cost)
	a.word(WordsAt+20, 0)
	a.request(StatusFork)
	a.pointer(asm.RCX, 0)
	first()
	a.frame(asm.RBX, FromAt)
	top := a.Here()
	body()
	a.Emit(asm.Inst{Op: asm.ADDI8, W: 4, RM: uint8(asm.RBX), Imm: 1})
	a.Emit(asm.Inst{Op: asm.CMP, W: 4, Reg: uint8(asm.RBX), InMem: true, Mem: asm.At(Box.Frame, TillAt)})
	a.JumpIf(asm.Less, top)
	a.request(StatusJoin)
}

// storeTurn stores the number of a turn as the element of that number.
func (a *assembler) storeTurn() {
	a.Emit(asm.Inst{Op: asm.MOV, W: 4, Reg: uint8(asm.RDX), RM: uint8(asm.RBX)})
	a.Emit(asm.Inst{Op: asm.SHLI, W: 4, RM: uint8(asm.RDX), Imm: 2})
	a.Emit(asm.Inst{Op: asm.ADD, W: 4, Reg: uint8(asm.RDX), RM: uint8(asm.RCX)})
	a.store(4, asm.RBX, asm.RDX, 0)
}

// since runs code for turns from n on.
func (a *assembler) since(n int32, code func()) {
	over := a.Label()
	a.Emit(asm.Inst{Op: asm.CMPI, W: 4, RM: uint8(asm.RBX), Imm: int64(n)})
	a.JumpIf(asm.Less, over)
	code()
	a.Bind(over)
}

const forkTurns = 3000

// forking is an object whose kernels fork.
func forking(t testing.TB) []byte {
	a := &assembler{}
	a.object.Messages = []abi.Message{{Kind: "ValueError", Text: "bad turn", Fact: "$0"}}
	raise := func() {
		a.Emit(asm.Inst{Op: asm.MOVS, W: 4, Reg: uint8(asm.RBX), InMem: true, Mem: asm.At(Box.Frame, WordsAt+8)})
		for _, at := range []int32{0, 4, 12, 16, 20} {
			a.word(WordsAt+at, 0)
		}
		a.ret(StatusRaised)
	}
	a.kernel("fill", func() { a.fork(forkTurns, 1<<20, a.storeTurn); a.ret(StatusDone) })
	a.kernel("small", func() { a.fork(forkTurns, 1, a.storeTurn); a.ret(StatusDone) })
	a.kernel("twice", func() {
		a.fork(forkTurns, 1<<20, a.storeTurn)
		a.fork(forkTurns/2, 1<<20, a.storeTurn)
		a.ret(StatusDone)
	})
	a.kernel("frames", func() { // each chunk overwrites what was saved in the frame before the fork, and it read
		a.word(RoomAt, 0)
		a.forkFrom(forkTurns, 1<<20, func() {
			a.frame(asm.RDX, RoomAt)
			a.Emit(asm.Inst{Op: asm.ADD, W: 4, Reg: uint8(asm.RCX), RM: uint8(asm.RDX)})
			a.word(RoomAt, 4)
		}, a.storeTurn)
		a.ret(StatusDone)
	})
	a.kernel("raise", func() { a.fork(forkTurns, 1<<20, func() { a.since(777, raise) }); a.ret(StatusDone) })
	a.kernel("wild", func() {
		a.fork(forkTurns, 1<<20, func() {
			a.since(1234, func() {
				a.Emit(asm.Inst{Op: asm.MOVI32, Reg: uint8(asm.RDX), Imm: -1 << 20})
				a.Emit(asm.Inst{Op: asm.ADD, W: 4, Reg: uint8(asm.RDX), RM: uint8(asm.RBX)})
				a.load(4, asm.RAX, asm.RDX, 0)
			})
		})
		a.ret(StatusDone)
	})
	a.kernel("spin", func() {
		a.fork(forkTurns, 1<<20, func() { top := a.Here(); a.request(StatusPoll); a.Jump(top) })
		a.ret(StatusDone)
	})
	a.kernel("scratch", func() {
		a.fork(forkTurns, 1<<20, func() {
			a.word(WordsAt, 64)
			a.word(WordsAt+4, 0)
			a.Emit(asm.Inst{Op: asm.MOVS, W: 4, Reg: uint8(asm.RBX), InMem: true, Mem: asm.At(Box.Frame, RoomAt)})
			a.request(StatusAlloc)
			a.frame(asm.RBX, RoomAt)
			a.frame(asm.RDX, AnswerAt)
			a.store(4, asm.RBX, asm.RDX, 0)
			a.pointer(asm.RCX, 0)
			a.load(4, asm.RBX, asm.RDX, 0)
			a.storeTurn()
		})
		a.ret(StatusDone)
	})
	a.kernel("done_inside", func() { a.fork(8, 1<<20, func() { a.ret(StatusDone) }); a.ret(StatusDone) })
	a.kernel("fork_inside", func() { a.fork(8, 1<<20, func() { a.request(StatusFork) }); a.ret(StatusDone) })
	a.kernel("no_turns", func() { a.fork(0, 1<<20, a.storeTurn); a.ret(StatusDone) })
	a.kernel("no_fork", func() { a.request(StatusJoin); a.ret(StatusDone) })
	return a.bytes(t)
}

func forkDevice(t testing.TB, threads int) (*runtime.Device, *runtime.Module) {
	t.Helper()
	need(t)
	e := runtime.NewEngine(NewLoader(Options{Threads: threads}))
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	d, err := e.NewDevice(runtime.DeviceOptions{MaxBytes: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if d.Guard() < Guard {
		t.Skip("the system gives no guards")
	}
	m, err := d.Load(context.Background(), Format, forking(t))
	if err != nil {
		t.Fatal(err)
	}
	return d, m
}

// TestForkTurns runs each turn once, whatever the number of threads, and gives the same errors.
func TestForkTurns(t *testing.T) {
	ctx := context.Background()
	errs := map[string]string{
		"raise":       "kernel raise: ValueError: bad turn (777)",
		"wild":        "kernel wild: RuntimeError: access outside of the memory of the device, which has 67108864 bytes, at byte 4293919954",
		"done_inside": "kernel done_inside: the kernel ended in a chunk of a loop",
		"fork_inside": "kernel fork_inside: the kernel forks in a chunk of a loop",
		"no_turns":    "kernel no_turns: the kernel forks a loop without turns, or with too large local arrays",
		"no_fork":     "kernel no_fork: the kernel joins without a fork",
	}
	for _, threads := range []int{1, 2, 3, 16} {
		d, m := forkDevice(t, threads)
		x := put(t, d, make([]float32, forkTurns)...)
		memory := d.Stats().Used
		for range 5 {
			for _, name := range []string{"fill", "small", "twice", "scratch", "frames"} {
				got := make([]byte, 4*forkTurns)
				if err := x.Write(got); err != nil {
					t.Fatal(err)
				}
				if _, err := m.Kernel(name).Run(ctx, runtime.TensorValue(x)); err != nil {
					t.Fatal(err)
				}
				if err := x.Read(got); err != nil {
					t.Fatal(err)
				}
				for i := range forkTurns {
					if int(got[4*i])|int(got[4*i+1])<<8 != i {
						t.Fatalf("%d threads, %s: element %d is % x", threads, name, i, got[4*i:4*i+4])
					}
				}
			}
			for name, want := range errs {
				if _, err := m.Kernel(name).Run(ctx, runtime.TensorValue(x)); err == nil || err.Error() != want {
					t.Errorf("%d threads, %s: %v, expected %q", threads, name, err, want)
				}
			}
		}
		if now := d.Stats().Used; now != memory {
			t.Errorf("%d threads: %d bytes in use, %d before", threads, now, memory)
		}
	}
}

// TestForkCancel cancels loops that run for ever on all threads.
func TestForkCancel(t *testing.T) {
	for _, threads := range []int{1, 3} {
		d, m := forkDevice(t, threads)
		x := put(t, d, make([]float32, forkTurns)...)
		for range 20 {
			ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
			if _, err := m.Kernel("spin").Run(ctx, runtime.TensorValue(x)); !errors.Is(err, runtime.ErrStopped) {
				t.Error(err)
			}
			cancel()
		}
		if _, err := m.Kernel("fill").Run(context.Background(), runtime.TensorValue(x)); err != nil {
			t.Errorf("after that: %v", err)
		}
	}
}

// TestCut checks where loops are cut.
func TestCut(t *testing.T) {
	for _, c := range []struct {
		turns, chunk, share int64
		threads             int
		ends                []int64
		until               []int
	}{
		{1000, 1, 1, 1, []int64{1000}, []int{1}},
		{28, 1, 1, 2, []int64{3, 5, 7, 8, 9, 10, 11, 12, 13, 14, 17, 19, 21, 22, 23, 24, 25, 26, 27, 28}, []int{10, 20}},
		{3, 1, 1, 4, []int64{1, 2, 3}, []int{1, 2, 3}},
		{1, 1, 1, 8, []int64{1}, []int{1}},
		{1000, 2000, 1001, 4, []int64{1000}, []int{1}},
		{1000, 2000, 1000, 4, []int64{1000}, []int{1}},
		{1000, 2000, 500, 4, []int64{500, 1000}, []int{1, 2}},
		{1000, 2000, 1, 3, []int64{333, 666, 1000}, []int{1, 2, 3}},
		{4000, 1000, 500, 2, []int64{1000, 2000, 3000, 4000}, []int{2, 4}},
		{5, 2, 2, 2, []int64{2, 5}, []int{1, 2}},
		{11, 4, 4, 2, []int64{5, 11}, []int{1, 2}},
		{11, 4, 4, 3, []int64{5, 11}, []int{1, 2}},
		{9, 2, 2, 2, []int64{2, 4, 6, 9}, []int{2, 4}},
		{9, 0, 0, 2, []int64{1, 2, 3, 4, 5, 6, 7, 8, 9}, []int{4, 9}},
	} {
		var got cut
		for range 2 {
			got.cut(c.turns, c.chunk, c.share, c.threads)
			if !slices.Equal(got.ends, c.ends) || !slices.Equal(got.until, c.until) {
				t.Errorf("%d turns in chunks of %d, shares of %d on %d threads end at %d, %d, expected %d, %d", c.turns, c.chunk, c.share, c.threads, got.ends, got.until, c.ends, c.until)
			}
		}
	}
	var got cut
	for _, c := range [][3]int64{{1 << 32, 1 << 18, 2}, {1<<32 - 1, 1, 2}, {1<<32 - 1, 1 << 18, 16}, {12345, 5, 3}} {
		got.cut(c[0], c[1], c[1], int(c[2]))
		begin, before := int64(0), int64(0)
		for _, n := range got.until {
			if part := got.ends[n-1] - before; part < c[0]/c[2] || part > c[0]/c[2]+1 {
				t.Errorf("%d: a thread has %d turns", c, part)
			}
			before = got.ends[n-1]
		}
		for _, end := range got.ends {
			if end <= begin {
				t.Fatalf("%d: %d", c, got.ends)
			}
			begin = end
		}
		if begin != c[0] || before != c[0] || len(got.ends) > 500 {
			t.Errorf("%d: %d chunks to %d, those of threads to %d", c, len(got.ends), begin, before)
		}
	}
}

// TestTimedLoop checks what is known of a loop: first its operations, then its times, of which one that is too long counts little.
func TestTimedLoop(t *testing.T) {
	var l timedLoop
	for cost, want := range map[int64]int64{0: leastWork, 1: leastWork, leastWork: 1, leastWork - 1: 2, 1<<32 - 1: 1} {
		if chunk, share := l.least(cost); chunk != want || share != want {
			t.Errorf("before it ran: a chunk has %d turns and a share %d of %d operations, expected %d", chunk, share, cost, want)
		}
	}
	turn := leastShare / 10
	l.took(100, 100*20*turn) // the first time it read from memory
	for range 50 {
		l.took(1000, 1000*turn)
	}
	most := int64(10*leastChunk/leastShare) + 1
	if chunk, share := l.least(1); share < 10 || share > 11 || chunk < most-1 || chunk > most {
		t.Errorf("a chunk has %d turns and a share %d, expected about %d and 10", chunk, share, most)
	}
	l.took(1000, time.Second)
	if _, share := l.least(1); share < 8 {
		t.Errorf("after a thread stood still, a share has %d turns", share)
	}
	l.took(0, time.Second)
	l.took(1<<32, 0)
	if chunk, share := l.least(1); chunk < 1 || share < 1 || chunk > 1<<32 {
		t.Errorf("a chunk has %d turns and a share %d", chunk, share)
	}
	n := 0
	for range 1000 {
		if l.timed() {
			n++
		}
	}
	if n < 100 || n > 150 {
		t.Errorf("a loop is timed %d times of 1000", n)
	}
}

// TestPool gives parts to several callers at a time: each part runs once, one at a time on a thread of a job.
func TestPool(t *testing.T) {
	p := newPool(4)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for n := range 500 {
				parts := 1 + n%9
				ran := make([]atomic.Int32, parts)
				var on [4]atomic.Int32
				until := []int{parts / 3, parts / 3, parts} // the fourth one has none
				p.run(until, func(thread, part int) {
					if on[thread].Add(1) != 1 {
						t.Error("a thread runs two parts at a time")
					}
					ran[part].Add(1)
					on[thread].Add(-1)
				})
				for i := range ran {
					if ran[i].Load() != 1 {
						t.Errorf("part %d of %d ran %d times", i, parts, ran[i].Load())
					}
				}
				if n%100 == 0 {
					time.Sleep(time.Millisecond) // so that threads fall asleep
				}
			}
		})
	}
	wg.Wait()
	p.close()
	ran := 0
	p.run([]int{1, 3}, func(int, int) { ran++ })
	if ran != 3 {
		t.Errorf("a closed pool ran %d of 3 parts", ran)
	}
}

// TestOwnParts has threads that wait for each other begin with their own parts, in their order, and take those of others from the end.
func TestOwnParts(t *testing.T) {
	p := newPool(3)
	defer p.close()
	for range 200 {
		var met sync.WaitGroup
		met.Add(3)
		var mu sync.Mutex
		took := make([][]int, 3)
		p.run([]int{4, 5, 9}, func(thread, part int) {
			mu.Lock()
			took[thread] = append(took[thread], part)
			first := len(took[thread]) == 1
			mu.Unlock()
			if first {
				met.Done()
				met.Wait()
			}
		})
		for thread, want := range []int{0, 4, 5} {
			if took[thread][0] != want {
				t.Fatalf("thread %d began with part %d: %d", thread, took[thread][0], took)
			}
		}
		owner := []int{0, 0, 0, 0, 1, 2, 2, 2, 2}
		for thread, list := range took {
			for i, part := range list[1:] {
				if before := list[i]; owner[part] == owner[before] && (part > before) != (owner[part] == thread) {
					t.Fatalf("thread %d took part %d behind part %d", thread, part, before)
				}
			}
		}
	}
}

// BenchmarkFork measures what a fork adds to a call.
func BenchmarkFork(b *testing.B) {
	for _, name := range []string{"small", "fill"} {
		b.Run(name, func(b *testing.B) {
			d, m := forkDevice(b, 2)
			x := runtime.TensorValue(put(b, d, make([]float32, forkTurns)...))
			s, err := d.Begin(context.Background())
			if err != nil {
				b.Fatal(err)
			}
			defer s.End()
			for b.Loop() {
				if _, err := m.Kernel(name).Call(s, []runtime.Value{x}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
