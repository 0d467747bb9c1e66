//go:build linux && amd64

package native

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/native/asm"
)

// arena is a memory of 1 MiB in a reservation with guards.
func arena(t testing.TB) []byte {
	t.Helper()
	const size = 1 << 20
	all, err := unix.Mmap(-1, 0, 2*Guard+4<<30, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(all) })
	mem := all[Guard : Guard+size]
	if err := unix.Mprotect(mem, unix.PROT_READ|unix.PROT_WRITE); err != nil {
		t.Fatal(err)
	}
	return mem
}

func need(t testing.TB) {
	t.Helper()
	if err := Available(); err != nil {
		t.Skip(err)
	}
}

func inBox(index asm.Reg, disp int32) asm.Mem {
	return asm.Mem{Base: Box.Base, Index: index, Scale: 1, Disp: disp}
}

var loadBase = asm.Inst{Op: asm.MOV, W: 8, Reg: uint8(Box.Base), InMem: true, Mem: asm.At(Box.Frame, Box.BaseAt)}

// arg loads 32 bits of an argument into a register.
func arg(n int, r asm.Reg) asm.Inst {
	return asm.Inst{Op: asm.MOV, W: 4, Reg: uint8(r), InMem: true, Mem: asm.At(Box.Frame, int32(8+8*n))}
}

func loaded(t testing.TB, code func(c *asm.Code)) *Code {
	t.Helper()
	var c asm.Code
	start := c.Here()
	code(&c)
	c.Emit(asm.Inst{Op: asm.RET})
	b, err := c.Link(start)
	if err != nil {
		t.Fatal(err)
	}
	k, err := Load(b)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = k.Close() })
	return k
}

// sumKernel adds Arg[1] floats from Arg[0] on, and stores twice their sum at Arg[2].
func sumKernel(t testing.TB) *Code {
	return loaded(t, func(c *asm.Code) {
		c.Emit(loadBase)
		c.Emit(arg(0, asm.RCX))
		c.Emit(arg(1, asm.RDX))
		c.Emit(arg(2, asm.RBX))
		c.Emit(asm.Inst{Op: asm.VXORPS, W: asm.X})
		c.Align(16)
		top := c.Here()
		c.Emit(asm.Inst{Op: asm.VADDSS, InMem: true, Mem: inBox(asm.RCX, 0)})
		c.Emit(asm.Inst{Op: asm.ADDI8, W: 4, RM: uint8(asm.RCX), Imm: 4})
		c.Emit(asm.Inst{Op: asm.SUBI8, W: 4, RM: uint8(asm.RDX), Imm: 1})
		c.JumpIf(asm.NotEqual, top)
		c.EmitAt(asm.Inst{Op: asm.VMULSS}, c.Constant([]byte{0, 0, 0, 0x40}))
		c.Emit(asm.Inst{Op: asm.VMOVSSS, InMem: true, Mem: inBox(asm.RBX, 0)})
		c.Emit(asm.Inst{Op: asm.MOV, W: 4, Reg: uint8(asm.RAX), RM: uint8(asm.RCX)})
	})
}

func floats(mem []byte) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(&mem[0])), len(mem)/4)
}

func TestCall(t *testing.T) {
	need(t)
	mem := arena(t)
	k := sumKernel(t)
	x := floats(mem)
	for i := range 1000 {
		x[i] = float32(i)
	}
	f := &Frame{}
	f.Arg[0], f.Arg[1], f.Arg[2] = 4, 100, 8000
	got, err := k.Call(0, f, mem)
	if err != nil || got != 404 || x[2000] != 10100 {
		t.Errorf("returned %d, %v; stored %v", got, err, x[2000])
	}
	if _, err := k.Call(1, f, mem); err == nil {
		t.Error("an entry that there is not was entered")
	}
}

func TestFaults(t *testing.T) {
	need(t)
	mem := arena(t)
	base := uintptr(unsafe.Pointer(&mem[0]))
	k := sumKernel(t)
	f := &Frame{}
	for _, at := range []uint64{1 << 20, 1<<32 - 4, 1 << 31} {
		f.Arg[0], f.Arg[1], f.Arg[2] = at, 1, 0
		_, err := k.Call(0, f, mem)
		var fault *Fault
		if !errors.As(err, &fault) || fault.Address != base+uintptr(at) {
			t.Errorf("a read at %#x: %v, not a fault at %#x", at, err, base+uintptr(at))
		}
	}
	below := loaded(t, func(c *asm.Code) {
		c.Emit(loadBase)
		c.Emit(arg(0, asm.RCX))
		c.Emit(asm.Inst{Op: asm.VMOVUPSS, W: asm.Y, InMem: true, Mem: inBox(asm.RCX, -1<<31)})
	})
	f.Arg[0] = 0
	var fault *Fault
	if _, err := below.Call(0, f, mem); !errors.As(err, &fault) || fault.Address != base-1<<31 {
		t.Errorf("a store before the memory: %v", err)
	}
	divide := loaded(t, func(c *asm.Code) {
		c.Emit(arg(0, asm.RAX))
		c.Emit(asm.Inst{Op: asm.CDQ})
		c.Emit(arg(1, asm.RCX))
		c.Emit(asm.Inst{Op: asm.IDIV, W: 4, RM: uint8(asm.RCX)})
	})
	f.Arg[0], f.Arg[1] = 7, 0
	if _, err := divide.Call(0, f, mem); !errors.As(err, &fault) || !strings.Contains(err.Error(), "divide") {
		t.Errorf("a division by zero: %v", err)
	}
	f.Arg[1] = 2
	if got, err := divide.Call(0, f, mem); err != nil || got != 3 {
		t.Errorf("7/2: %d, %v", got, err)
	}
}

// TestPagesOfCode reads the map of the process: code is executable and not writable.
func TestPagesOfCode(t *testing.T) {
	need(t)
	k := sumKernel(t)
	at := uint64(uintptr(unsafe.Pointer(&k.mem[0])))
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(maps), "\n") {
		var from, to uint64
		var rights string
		if n, _ := fmt.Sscanf(line, "%x-%x %s", &from, &to, &rights); n == 3 && from <= at && at < to {
			if rights != "r-xp" {
				t.Errorf("the pages of code have the rights %s", rights)
			}
			return
		}
	}
	t.Error("the process has no page for the code")
}

func TestLoadRefuses(t *testing.T) {
	need(t)
	for name, b := range map[string]*asm.Blob{
		"nothing":         {},
		"a call":          {Bytes: []byte{0xe8, 0, 0, 0, 0, 0xc3}, Text: 6, Entries: []int{0}},
		"memory anywhere": {Bytes: []byte{0x8b, 0x00, 0xc3}, Text: 3, Entries: []int{0}},
	} {
		if _, err := Load(b); err == nil {
			t.Errorf("%s: loaded", name)
		}
	}
	if Host().AVX512 {
		return
	}
	var c asm.Code
	start := c.Here()
	c.Emit(asm.Inst{Op: asm.VADDPS, W: asm.Z})
	c.Emit(asm.Inst{Op: asm.RET})
	b, err := c.Link(start)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Load(b); err == nil || !strings.Contains(err.Error(), "not executable on this machine: it needs +avx512f,+avx512bw,+avx512dq,+avx512vl, which this processor lacks") {
		t.Errorf("AVX-512 where there is none: %v", err)
	}
}

// TestStress runs kernels and faults on several goroutines, at many depths of stacks that grow, while garbage is collected.
func TestStress(t *testing.T) {
	need(t)
	length := 2 * time.Second
	if testing.Short() {
		length = 300 * time.Millisecond
	}
	k := sumKernel(t)
	end := time.Now().Add(length)
	var calls, faults atomic.Int64
	var wg sync.WaitGroup
	for range 4 {
		mem := arena(t)
		wg.Go(func() {
			x := floats(mem)
			for i := range 1000 {
				x[i] = 1
			}
			for n := 0; time.Now().Before(end); n++ {
				deep(n%60, func() {
					f := &Frame{}
					f.Arg[1], f.Arg[2] = 1000, 8000
					if _, err := k.Call(0, f, mem); err != nil || x[2000] != 2000 {
						t.Errorf("%v: %v", err, x[2000])
					}
					calls.Add(1)
					f.Arg[0] = 1 << 30
					if _, err := k.Call(0, f, mem); err == nil {
						t.Error("no fault")
					}
					faults.Add(1)
				})
			}
		})
	}
	stop := make(chan struct{})
	go func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	}()
	wg.Wait()
	close(stop)
	t.Logf("%d calls, %d faults", calls.Load(), faults.Load())
}

func deep(n int, f func()) {
	var pad [512]byte
	if n == 0 {
		f()
		return
	}
	deep(n-1, f)
	runtime.KeepAlive(&pad)
}

// TestChangedCodeStaysInside changes bytes of code. What is still accepted runs, and touches nothing but its memory and its guards.
func TestChangedCodeStaysInside(t *testing.T) {
	need(t)
	mem := arena(t)
	base := uintptr(unsafe.Pointer(&mem[0]))
	r := rand.New(rand.NewPCG(11, 12))
	n := seed.Times(10_000, 100_000)
	var accepted, faulted int
	for range n {
		b := randomBlob(t, r)
		for range r.IntN(4) {
			b.Bytes[r.IntN(b.Text)] ^= 1 << r.IntN(8)
		}
		k, err := Load(b)
		if err != nil || jumpsBack(b.Bytes[:b.Text]) != nil {
			continue
		}
		accepted++
		f := &Frame{}
		for i := range f.Arg {
			f.Arg[i] = r.Uint64()
		}
		before := f.Arg
		if _, err := k.Call(0, f, mem); err != nil {
			faulted++
			var fault *Fault
			if !errors.As(err, &fault) {
				t.Fatal(err)
			}
			if a := fault.Address; a != 0 && a-(base-Guard) >= 2*Guard+4<<30 {
				t.Fatalf("a fault at %#x, %d from the memory", a, int64(a-base))
			}
		}
		if before != f.Arg || f.base != uint64(base) {
			t.Fatal("what code must only read of its frame was written")
		}
		_ = k.Close()
	}
	t.Logf("%d of %d run, of these %d fault", accepted, n, faulted)
	if accepted < n/20 || faulted < accepted/50 {
		t.Errorf("only %d of %d were run, %d of them to a fault", accepted, n, faulted)
	}
}

// randomBlob is code of a few accesses, sums and jumps forward, and of tiles where the processor has them.
func randomBlob(t *testing.T, r *rand.Rand) *asm.Blob {
	var c asm.Code
	start := c.Here()
	c.Emit(loadBase)
	kinds := 8
	if Host().AMX && r.IntN(2) == 0 {
		c.EmitAt(asm.Inst{Op: asm.LDTILECFG}, c.Constant(asm.Shapes([asm.Tiles]asm.Shape{{Rows: 16, Bytes: 64}, {Rows: 16, Bytes: 64}, {Rows: 16, Bytes: 64}, {Rows: 3, Bytes: 8}})))
		kinds = 12
	}
	regs := []asm.Reg{asm.RAX, asm.RCX, asm.RDX, asm.RBX, asm.RSI, asm.R8, asm.R9, asm.R13}
	for k, reg := range regs {
		c.Emit(arg(k, reg))
	}
	any := func() asm.Reg { return regs[r.IntN(len(regs))] }
	var ahead []asm.Label
	for range 12 {
		disp := int32(r.Uint32()) >> r.IntN(32)
		switch r.IntN(kinds) {
		case 0:
			c.Emit(asm.Inst{Op: asm.VMOVUPS, W: asm.Y, Reg: uint8(r.IntN(16)), InMem: true, Mem: inBox(any(), disp)})
		case 1:
			c.Emit(asm.Inst{Op: asm.VMOVUPSS, W: asm.Y, Reg: uint8(r.IntN(16)), InMem: true, Mem: inBox(any(), disp)})
		case 2:
			c.Emit(asm.Inst{Op: asm.ADDI, W: 4, RM: uint8(any()), Imm: int64(r.Int32()) | 1<<20})
		case 3:
			c.Emit(asm.Inst{Op: asm.ANDI, W: 4, RM: uint8(any()), Imm: 0xfffff})
		case 4:
			c.Emit(asm.Inst{Op: asm.MOVS, W: 4, Reg: uint8(any()), InMem: true, Mem: inBox(any(), disp)})
		case 5:
			c.Emit(asm.Inst{Op: asm.MOVS, W: 8, Reg: uint8(any()), InMem: true, Mem: asm.At(Box.Frame, frozen+8*r.Int32N(100))})
		case 6:
			c.Emit(asm.Inst{Op: asm.IMUL, W: 4, Reg: uint8(any()), RM: uint8(any())})
		case 7:
			l := c.Label()
			c.JumpIf(asm.Cond(r.IntN(16)), l)
			ahead = append(ahead, l)
		case 8:
			a := r.Perm(3)
			c.Emit(asm.Inst{Op: asm.TDPBSSD + asm.Op(r.IntN(4)), Reg: uint8(a[0]), RM: uint8(a[1]), V: uint8(a[2])})
		case 9:
			c.Emit(asm.Inst{Op: asm.TILEZERO, Reg: uint8(r.IntN(4))})
		default: // of one register by another one: which may be the same, and refused
			at, distance := any(), any()
			c.Emit(asm.Inst{Op: asm.LEA, W: 8, Reg: uint8(at), InMem: true, Mem: inBox(any(), min(disp, asm.MostTileAddress))})
			c.Emit(asm.Inst{Op: asm.MOVI32, Reg: uint8(distance), Imm: r.Int64N(asm.MostRowDistance + 1)})
			op := asm.TILELOADD
			if r.IntN(2) == 0 {
				op = asm.TILESTORED
			}
			c.Emit(asm.Inst{Op: op, Reg: uint8(r.IntN(4)), InMem: true, Mem: asm.Mem{Base: at, Index: distance, Scale: 1, Disp: int32(r.IntN(2)) * r.Int32N(1<<20)}})
		}
		if len(ahead) > 0 && r.IntN(3) == 0 {
			c.Bind(ahead[0])
			ahead = ahead[1:]
		}
	}
	for _, l := range ahead {
		c.Bind(l)
	}
	c.Emit(asm.Inst{Op: asm.RET})
	b, err := c.Link(start)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func BenchmarkCall(b *testing.B) {
	need(b)
	mem := arena(b)
	k := loaded(b, func(*asm.Code) {})
	f := &Frame{}
	for b.Loop() {
		_, _ = k.Call(0, f, mem)
	}
}

func BenchmarkLoad(b *testing.B) {
	need(b)
	var c asm.Code
	start := c.Here()
	c.Emit(asm.Inst{Op: asm.RET})
	blob, _ := c.Link(start)
	for b.Loop() {
		k, err := Load(blob)
		if err != nil {
			b.Fatal(err)
		}
		_ = k.Close()
	}
}
