package native

import (
	"errors"
	"fmt"
	goruntime "runtime"
	"runtime/debug"
	"sync"
	"unsafe"

	"golang.org/x/sys/cpu"
	"golang.org/x/sys/unix"

	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/native/asm"
)

// call lets the frame escape to the heap: a stack may move.
func call(code uintptr, frame *Frame) uint64

// pause lets a thread that looks for work leave the core to its neighbour for a moment.
func pause()

// Host returns the features of this machine's processor that the system lets this program use.
var Host = sync.OnceValue(func() asm.Features {
	x := &cpu.X86
	f := asm.Features{AVX2: x.HasAVX2 && x.HasFMA && x.HasBMI2}
	f.AVX512 = f.AVX2 && x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL
	f.VNNI = f.AVX512 && x.HasAVX512VNNI
	f.AMX = f.AVX512 && x.HasAMXTile && x.HasAMXInt8 && allowTiles()
	return f
})

// allowTiles asks the system to keep tiles for the threads of this program, which it does not do unasked: they are 8 KiB.
func allowTiles() bool {
	const requestPermission, tiles = 0x1023, 18 // of arch_prctl
	_, _, errno := unix.RawSyscall(unix.SYS_ARCH_PRCTL, requestPermission, tiles, 0)
	return errno == 0
}

// Code is verified, executable code.
type Code struct {
	mem     []byte
	entries []int
	frame   int
	cleanup goruntime.Cleanup
}

// Frame is how many bytes of a frame, from its beginning, the code may touch.
func (c *Code) Frame() int { return c.frame }

// Load verifies a blob and makes a copy of it executable.
func Load(b *asm.Blob) (*Code, error) { return loadFor(b, Host()) }

// loadFor is Load for a processor with some features.
func loadFor(b *asm.Blob, has asm.Features) (*Code, error) {
	needs, err := asm.Inspect(b, Box)
	if err != nil {
		return nil, fmt.Errorf("machine code is refused: %w", err)
	}
	if !has.Has(needs.Features) {
		return nil, fmt.Errorf("machine code: %w: it needs %v, which this processor lacks", runtime.ErrUnsupported, has.Lacks(needs.Features))
	}
	c, err := load(b)
	if err != nil {
		return nil, err
	}
	c.frame = needs.Frame
	return c, nil
}

// load maps a blob: writable to copy it, then executable and not writable. What follows the code stops the program.
func load(b *asm.Blob) (*Code, error) {
	if len(b.Bytes) == 0 {
		return nil, errors.New("machine code is empty")
	}
	page := unix.Getpagesize()
	mem, err := unix.Mmap(-1, 0, (len(b.Bytes)+page-1)/page*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("pages for machine code: %w", err)
	}
	n := copy(mem, b.Bytes)
	for ; n < len(mem); n++ {
		mem[n] = 0xcc
	}
	if err := unix.Mprotect(mem, unix.PROT_READ|unix.PROT_EXEC); err != nil {
		_ = unix.Munmap(mem)
		return nil, fmt.Errorf("the system does not let this program execute what it wrote: %w", err)
	}
	c := &Code{mem: mem, entries: append([]int(nil), b.Entries...)}
	c.cleanup = goruntime.AddCleanup(c, func(m []byte) { _ = unix.Munmap(m) }, mem)
	return c, nil
}

// Close gives the pages back. No call may be under way, nor come.
func (c *Code) Close() error {
	if c.mem == nil {
		return nil
	}
	c.cleanup.Stop()
	mem := c.mem
	c.mem = nil
	return unix.Munmap(mem)
}

// Call enters the code at an entry, by its number, with a frame and the memory that the code works in; it returns what the code leaves in RAX. An
// access that the system refuses, and a division that the processor does, is an error of type *Fault; the memory is then as the code left it.
//
// The memory must begin at the start of a reservation with guards of Guard bytes on both sides.
func (c *Code) Call(entry int, f *Frame, memory []byte) (result uint64, err error) {
	if c.mem == nil || entry < 0 || entry >= len(c.entries) {
		return 0, fmt.Errorf("machine code has no entry %d, or is closed", entry)
	}
	if len(memory) > 0 {
		f.base = uint64(uintptr(unsafe.Pointer(&memory[0])))
	}
	old := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(old)
		if r := recover(); r != nil {
			err = faultOf(r)
		}
	}()
	result = call(uintptr(unsafe.Pointer(&c.mem[c.entries[entry]])), f)
	goruntime.KeepAlive(c)
	goruntime.KeepAlive(memory)
	return result, nil
}

// faultOf makes an error of what the runtime panics with on a fault; other panics go on.
func faultOf(r any) error {
	e, ok := r.(goruntime.Error)
	if !ok {
		panic(r)
	}
	f := &Fault{Reason: e.Error()}
	if a, ok := e.(interface{ Addr() uintptr }); ok {
		f.Address = a.Addr()
	}
	return f
}

// Available returns nil if native code runs on this machine. It tries once: a read that must fault becomes an error, and the program goes on.
var Available = sync.OnceValue(func() error {
	if !Host().AVX2 {
		return errors.New("native code needs a processor with AVX2, FMA and BMI2")
	}
	var c asm.Code
	start := c.Here()
	c.Emit(asm.Inst{Op: asm.MOV, W: 8, Reg: uint8(asm.RCX), InMem: true, Mem: asm.At(asm.RDI, 8)})
	c.Emit(asm.Inst{Op: asm.MOV, W: 8, Reg: uint8(asm.RAX), InMem: true, Mem: asm.At(asm.RCX, 0)})
	c.Emit(asm.Inst{Op: asm.RET})
	b, err := c.Link(start)
	if err != nil {
		return err
	}
	probe, err := load(b) // not verified: it must fault
	if err != nil {
		return err
	}
	defer func() { _ = probe.Close() }()
	page, err := unix.Mmap(-1, 0, unix.Getpagesize(), unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Munmap(page) }()
	f, at := &Frame{}, uintptr(unsafe.Pointer(&page[0]))
	f.Arg[0] = uint64(at)
	var fault *Fault
	if _, err := probe.Call(0, f, nil); !errors.As(err, &fault) || fault.Address != at {
		return fmt.Errorf("a fault in native code does not become an error here: %v", err)
	}
	f.Arg[0] = uint64(uintptr(unsafe.Pointer(&f.Arg[1])))
	f.Arg[1] = 42
	if got, err := probe.Call(0, f, nil); err != nil || got != 42 {
		return fmt.Errorf("native code returned %d, %v where it reads 42", got, err)
	}
	return nil
})
