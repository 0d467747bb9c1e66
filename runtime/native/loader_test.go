//go:build linux && amd64

package native

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/runtime/native/asm"
	"github.com/irscope/irscope/runtime/tensor"
)

// assembler makes an object of kernels that are written by hand.
type assembler struct {
	asm.Code
	object  Object
	entries []asm.Label
}

// here makes an entry at the end of the code so far and returns its number.
func (a *assembler) here() int {
	a.entries = append(a.entries, a.Here())
	return len(a.entries) - 1
}

func (a *assembler) kernel(name string, body func()) {
	a.object.Symbols = append(a.object.Symbols, Symbol{name, a.here()})
	a.Emit(loadBase)
	body()
}

func (a *assembler) ret(status int32) {
	a.Emit(asm.Inst{Op: asm.MOVI32, Reg: uint8(asm.RAX), Imm: int64(status)})
	a.Emit(asm.Inst{Op: asm.RET})
}

// request returns to the host and goes on behind it.
func (a *assembler) request(status int32) {
	next := len(a.entries)
	a.word(EntryAt, int32(next))
	a.ret(status)
	a.here()
	a.Emit(loadBase)
}

// word stores a constant of 32 bits in the frame.
func (a *assembler) word(at, v int32) {
	a.Emit(asm.Inst{Op: asm.MOVI32, Reg: uint8(asm.RAX), Imm: int64(v)})
	a.Emit(asm.Inst{Op: asm.MOVS, W: 4, Reg: uint8(asm.RAX), InMem: true, Mem: asm.At(Box.Frame, at)})
}

// frame loads 32 bits of the frame.
func (a *assembler) frame(r asm.Reg, at int32) {
	a.Emit(asm.Inst{Op: asm.MOV, W: 4, Reg: uint8(r), InMem: true, Mem: asm.At(Box.Frame, at)})
}

func (a *assembler) load(w asm.Width, r, index asm.Reg, disp int32) {
	a.Emit(asm.Inst{Op: asm.MOV, W: w, Reg: uint8(r), InMem: true, Mem: inBox(index, disp)})
}

func (a *assembler) store(w asm.Width, r, index asm.Reg, disp int32) {
	a.Emit(asm.Inst{Op: asm.MOVS, W: w, Reg: uint8(r), InMem: true, Mem: inBox(index, disp)})
}

// pointer loads the address of the elements of the tensor that is argument i.
func (a *assembler) pointer(r asm.Reg, i int32) {
	a.frame(r, ArgsAt)
	a.load(4, r, r, i*abi.CellSize+abi.CellValue)
	a.load(4, r, r, abi.DLTensorData)
}

func (a *assembler) bytes(t testing.TB) []byte {
	t.Helper()
	b, err := a.Link(a.entries...)
	if err != nil {
		t.Fatal(err)
	}
	a.object.Blob = *b
	slices.SortFunc(a.object.Symbols, func(s, u Symbol) int { return strings.Compare(s.Name, u.Name) })
	out, err := a.object.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// basic is an object with a kernel for each thing that a call can come to.
func basic(t testing.TB) []byte {
	a := &assembler{}
	a.object.Messages = []abi.Message{{Kind: "ValueError", Text: "bad extent", Fact: "it is $0, not $1"}}
	a.object.Data = []byte{1, 2, 3, 4, 5}
	a.kernel("add", func() { // arguments 0 + 1 into 2, eight floats
		a.pointer(asm.RCX, 0)
		a.pointer(asm.RDX, 1)
		a.pointer(asm.RBX, 2)
		a.Emit(asm.Inst{Op: asm.VMOVUPS, W: asm.Y, InMem: true, Mem: inBox(asm.RCX, 0)})
		a.Emit(asm.Inst{Op: asm.VADDPS, W: asm.Y, InMem: true, Mem: inBox(asm.RDX, 0)})
		a.Emit(asm.Inst{Op: asm.VMOVUPSS, W: asm.Y, InMem: true, Mem: inBox(asm.RBX, 0)})
		a.ret(StatusDone)
	})
	a.kernel("next", func() { // the integer in argument 0 plus their number
		a.frame(asm.RCX, ArgsAt)
		a.load(8, asm.RDX, asm.RCX, abi.CellValue)
		a.Emit(asm.Inst{Op: asm.ADD, W: 8, Reg: uint8(asm.RDX), InMem: true, Mem: asm.At(Box.Frame, CountAt)})
		a.frame(asm.RCX, ResultAt)
		a.store(8, asm.RDX, asm.RCX, abi.CellValue)
		a.Emit(asm.Inst{Op: asm.MOVI32, Reg: uint8(asm.RDX), Imm: abi.TypeInt})
		a.store(4, asm.RDX, asm.RCX, 0)
		a.ret(StatusDone)
	})
	a.kernel("data", func() { // the last byte of the data, as a result
		a.frame(asm.RCX, DataAt)
		a.Emit(asm.Inst{Op: asm.MOVZXB, Reg: uint8(asm.RDX), InMem: true, Mem: inBox(asm.RCX, 4)})
		a.frame(asm.RCX, ResultAt)
		a.store(8, asm.RDX, asm.RCX, abi.CellValue)
		a.Emit(asm.Inst{Op: asm.MOVI32, Reg: uint8(asm.RDX), Imm: abi.TypeInt})
		a.store(4, asm.RDX, asm.RCX, 0)
		a.ret(StatusDone)
	})
	raise := func(id int32) func() {
		return func() {
			a.word(WordsAt, id)
			for at, v := range map[int32]int32{4: 0, 8: 7, 12: 0, 16: -1, 20: -1} {
				a.word(WordsAt+at, v)
			}
			a.ret(StatusRaised)
		}
	}
	a.kernel("raise", raise(0))
	a.kernel("raise_unknown", raise(9))
	a.kernel("wild", func() {
		a.Emit(asm.Inst{Op: asm.MOVI32, Reg: uint8(asm.RCX), Imm: -64})
		a.load(4, asm.RDX, asm.RCX, 0)
		a.ret(StatusDone)
	})
	a.kernel("divide", func() {
		a.Emit(asm.Inst{Op: asm.XOR, W: 4, Reg: uint8(asm.RCX), RM: uint8(asm.RCX)})
		a.Emit(asm.Inst{Op: asm.XOR, W: 4, Reg: uint8(asm.RDX), RM: uint8(asm.RDX)})
		a.Emit(asm.Inst{Op: asm.DIV, W: 4, RM: uint8(asm.RCX)})
		a.ret(StatusDone)
	})
	a.kernel("spin", func() { // for ever, with polls by the budget
		top := a.Here()
		a.Emit(asm.Inst{Op: asm.SUBI, W: 4, InMem: true, Mem: asm.At(Box.Frame, BudgetAt), Imm: 1000})
		a.JumpIf(asm.GreaterEq, top)
		a.request(StatusPoll)
		a.Jump(top)
	})
	size := func(n int32) { a.word(WordsAt, n); a.word(WordsAt+4, 0) }
	a.kernel("scratch", func() { // a workspace is written, read and freed; the result is what the free answered
		size(100)
		a.request(StatusAlloc)
		a.frame(asm.RCX, AnswerAt)
		a.store(8, asm.RCX, asm.RCX, 0)
		a.load(4, asm.RDX, asm.RCX, 0)
		a.Emit(asm.Inst{Op: asm.MOVS, W: 4, Reg: uint8(asm.RDX), InMem: true, Mem: asm.At(Box.Frame, WordsAt)})
		a.request(StatusFree)
		a.frame(asm.RDX, AnswerAt)
		a.frame(asm.RCX, ResultAt)
		a.store(8, asm.RDX, asm.RCX, abi.CellValue)
		a.Emit(asm.Inst{Op: asm.MOVI32, Reg: uint8(asm.RDX), Imm: abi.TypeInt})
		a.store(4, asm.RDX, asm.RCX, 0)
		a.ret(StatusDone)
	})
	a.kernel("leak", func() { size(1 << 20); a.request(StatusAlloc); a.ret(StatusDone) })
	a.kernel("greedy", func() { size(math.MaxInt32); a.request(StatusAlloc); a.ret(StatusFailed) })
	a.kernel("free_other", func() { size(1 << 19); a.request(StatusFree); a.ret(StatusFailed) })
	a.kernel("hoard", func() { // workspaces for ever
		top := a.Here()
		size(0)
		a.request(StatusAlloc)
		a.Jump(top)
	})
	a.kernel("no_failure", func() { a.ret(StatusFailed) })
	a.kernel("strange", func() { a.ret(77) })
	a.kernel("lost", func() { a.word(EntryAt, 1<<20); a.ret(StatusPoll) })
	a.kernel("lost_below", func() { a.word(EntryAt, -1); a.ret(StatusPoll) })
	return a.bytes(t)
}

func newDevice(t testing.TB) *runtime.Device {
	t.Helper()
	need(t)
	e := runtime.NewEngine(NewLoader(Options{Threads: 3}))
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
	return d
}

func put(t testing.TB, d *runtime.Device, vals ...float32) *runtime.Tensor {
	t.Helper()
	x, err := d.Upload(tensor.MustOf([]int64{int64(len(vals))}, vals))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func basicModule(t testing.TB, d *runtime.Device) *runtime.Module {
	t.Helper()
	m, err := d.Load(context.Background(), Format, basic(t))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestLoaderCalls(t *testing.T) {
	d := newDevice(t)
	m := basicModule(t, d)
	ctx := context.Background()
	x := put(t, d, 1, 2, 3, 4, 5, 6, 7, 8)
	y := put(t, d, 10, 20, 30, 40, 50, 60, 70, 80)
	z := put(t, d, 0, 0, 0, 0, 0, 0, 0, 0)
	if res, err := m.Kernel("add").Run(ctx, runtime.TensorValue(x), runtime.TensorValue(y), runtime.TensorValue(z)); err != nil || !res.IsNull() {
		t.Fatal(res, err)
	}
	h, err := z.Download()
	if err != nil || !slices.Equal(h.Floats(), []float64{11, 22, 33, 44, 55, 66, 77, 88}) {
		t.Errorf("add stored %v, %v", h.Floats(), err)
	}
	for name, want := range map[string]int64{"next": 1 << 40, "data": 5, "scratch": 0} {
		res, err := m.Kernel(name).Run(ctx, runtime.Int(1<<40-1))
		if got, ok := res.AsInt(); err != nil || !ok || got != want {
			t.Errorf("%s returned %v, %v, expected %d", name, res, err, want)
		}
	}
	if !slices.IsSorted(m.Names()) || len(m.Names()) != 17 || m.Kernel("none") != nil {
		t.Errorf("names: %v", m.Names())
	}
}

func TestLoaderErrors(t *testing.T) {
	d := newDevice(t)
	m := basicModule(t, d)
	before := d.Stats()
	for name, want := range map[string]string{
		"raise":         "kernel raise: ValueError: bad extent (it is 7, not -1)",
		"raise_unknown": "kernel raise_unknown: RuntimeError: error 9, which its module does not list",
		"wild":          "kernel wild: RuntimeError: access outside of the memory of the device, which has 67108864 bytes, at byte 4294967232",
		"divide":        "kernel divide: RuntimeError: runtime error: integer divide by zero",
		"greedy":        "kernel greedy: RuntimeError: no workspace of 2147483647 bytes",
		"free_other":    "kernel free_other: RuntimeError: address 0x80000 is not a workspace of this kernel",
		"hoard":         "",
		"no_failure":    "kernel no_failure: the kernel says that a request failed, but none did",
		"strange":       "kernel strange: the kernel returned the status 77, which does not exist",
		"lost":          "kernel lost: machine code has no entry 1048576, or is closed",
		"lost_below":    "kernel lost_below: machine code has no entry -1, or is closed",
		"leak":          "",
	} {
		ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
		_, err := m.Kernel(name).Run(ctx)
		cancel()
		switch {
		case name == "hoard":
			if !errors.Is(err, runtime.ErrStopped) {
				t.Errorf("hoard: %v", err)
			}
		case want == "" && err != nil, want != "" && (err == nil || err.Error() != want):
			t.Errorf("%s: %v, expected %q", name, err, want)
		}
		var raised *runtime.KernelError
		if strings.Contains(want, "Error:") && (!errors.As(err, &raised) || raised.Kernel != name) {
			t.Errorf("%s: %v is no KernelError of its own", name, err)
		}
		if name == "greedy" && !errors.Is(err, runtime.ErrDeviceMemory) {
			t.Errorf("greedy: %v", err)
		}
		var fault *Fault
		if name == "wild" && !errors.As(err, &fault) {
			t.Errorf("wild: %v hides the fault", err)
		}
	}
	if after := d.Stats(); after.Used != before.Used {
		t.Errorf("workspaces were left: %d bytes in use, %d before", after.Used, before.Used)
	}
	// What failed before must not be told of a call that does not fail.
	if res, err := m.Kernel("next").Run(context.Background(), runtime.Int(1)); err != nil {
		t.Errorf("next after errors: %v, %v", res, err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	if after := d.Stats(); after.Allocations >= before.Allocations {
		t.Errorf("the data of a closed module is still there: %d allocations, %d before", after.Allocations, before.Allocations)
	}
}

// TestLoaderCancel cancels a kernel that runs for ever, while the garbage collector works beside it.
func TestLoaderCancel(t *testing.T) {
	d := newDevice(t)
	k := basicModule(t, d).Kernel("spin")
	for range 5 {
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error)
		go func() {
			_, err := k.Run(ctx)
			done <- err
		}()
		goruntime.GC()
		canceled := time.Now()
		cancel()
		if err := <-done; !errors.Is(err, runtime.ErrStopped) || !errors.Is(err, context.Canceled) {
			t.Errorf("spin: %v", err)
		}
		if took := time.Since(canceled); took > 5*time.Second {
			t.Errorf("the kernel ended %v after it was canceled", took)
		}
	}
}

func TestLoaderRefuses(t *testing.T) {
	d := newDevice(t)
	ctx := context.Background()
	good := basic(t)
	damaged := slices.Clone(good)
	damaged[len(damaged)/2] ^= 1
	a := &assembler{}
	a.kernel("escape", func() {
		a.Emit(asm.Inst{Op: asm.MOV, W: 8, Reg: uint8(asm.RAX), InMem: true, Mem: asm.At(asm.RCX, 0)})
		a.ret(StatusDone)
	})
	escape := a.bytes(t)
	w := &assembler{}
	w.kernel("wide", func() {
		w.Emit(asm.Inst{Op: asm.VADDPS, W: asm.Z})
		w.ret(StatusDone)
	})
	cases := map[string][]byte{
		"it is damaged":              damaged,
		"it does not begin with":     []byte("\x00asm\x01\x00\x00\x00"),
		"machine code is refused: 0": escape,
	}
	if !Host().AVX512 {
		cases["not executable on this machine: it needs +avx512f,+avx512bw,+avx512dq,+avx512vl, which this processor lacks"] = w.bytes(t)
	}
	for want, b := range cases {
		if _, err := d.Load(ctx, Format, b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %q", err, want)
		}
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := d.Load(ended, Format, good); !errors.Is(err, runtime.ErrStopped) {
		t.Errorf("with a context that is over: %v", err)
	}
	l := NewLoader(Options{})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Prepare(ctx, good); !errors.Is(err, runtime.ErrClosed) {
		t.Errorf("with a loader that is closed: %v", err)
	}
}

// TestLoaderShares prepares equal objects at the same time: they share their pages, which are given back with the last user; others, and those that are refused, do not.
func TestLoaderShares(t *testing.T) {
	need(t)
	l := NewLoader(Options{})
	ctx := context.Background()
	one, other := basic(t), forking(t)
	got := make([]runtime.Code, 8)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() {
			c, err := l.Prepare(ctx, slices.Clone(one))
			if err != nil {
				t.Error(err)
			}
			got[i] = c
		})
	}
	wg.Wait()
	code := got[0].(*module).code
	for _, c := range got {
		if c.(*module).code != code {
			t.Error("an object was loaded twice")
		}
	}
	c, err := l.Prepare(ctx, other)
	if err != nil || c.(*module).code == code || len(l.modules) != 2 {
		t.Errorf("another object: %v, %d modules", err, len(l.modules))
	}
	c.Release()
	for i, c := range got {
		if closed := code.mem == nil; closed {
			t.Errorf("the pages were given back before user %d was done", i)
		}
		c.Release()
	}
	if code.mem != nil || len(l.modules) != 0 {
		t.Errorf("pages without users are still there, %d modules", len(l.modules))
	}
	for range 2 {
		if _, err := l.Prepare(ctx, one[:20]); err == nil || len(l.modules) != 0 {
			t.Errorf("half an object: %v, %d modules", err, len(l.modules))
		}
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

// TestProcessors loads code for AVX2 and for AVX-512 as processors with some features would.
func TestProcessors(t *testing.T) {
	need(t)
	for name, w := range map[string]asm.Width{"avx2": asm.Y, "avx512": asm.Z} {
		a := &assembler{}
		a.kernel("f", func() {
			a.Emit(asm.Inst{Op: asm.VADDPS, W: w})
			a.ret(StatusDone)
		})
		code := a.bytes(t)
		for has, want := range map[asm.Features]string{
			{}:                         "machine code: not executable on this machine: it needs",
			{AVX2: true}:               "",
			{AVX2: true, AVX512: true}: "",
		} {
			if name == "avx512" && !has.AVX512 {
				want = "avx512f"
			}
			_, err := NewLoader(Options{Processor: &has}).Prepare(context.Background(), code)
			if want == "" && err != nil || want != "" && (!errors.Is(err, runtime.ErrUnsupported) || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s on %v: %v, expected %q", name, has, err, want)
			}
		}
	}
}

// TestChangedObject changes single bytes of the code of an object whose checksum is made to fit: it is refused, or its kernels end in a result or an error.
func TestChangedObject(t *testing.T) {
	d := newDevice(t)
	good := basic(t)
	o, err := Decode(good)
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(string(good), string(o.Blob.Bytes))
	jumps := jumpsBack(o.Blob.Bytes[:o.Blob.Text])
	var loaded, ran int
	for i := 0; i < o.Blob.Text; i += 3 {
		b := slices.Clone(good[:len(good)-4])
		b[at+i] ^= 1 << (i % 8)
		m, err := d.Load(context.Background(), Format, resealed(b))
		if err != nil {
			continue
		}
		loaded++
		if slices.Equal(jumpsBack(b[at:at+o.Blob.Text]), jumps) {
			for _, name := range m.Names() {
				if name == "spin" || name == "hoard" { // the loops: they might never poll now
					continue
				}
				ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
				_, _ = m.Kernel(name).Run(ctx)
				cancel()
				ran++
			}
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d of %d were loaded, %d calls", loaded, o.Blob.Text/3, ran)
	if loaded == 0 || ran == 0 || loaded == o.Blob.Text/3+1 {
		t.Error("nothing was refused, or all")
	}
}

// jumpsBack lists from where to where code jumps backwards.
func jumpsBack(code []byte) (out [][2]int) {
	for at := 0; at < len(code); {
		i, n, err := asm.Decode(code[at:])
		if err != nil {
			return nil
		}
		at += n
		if (i.Op == asm.JCC || i.Op == asm.JMP) && i.Imm < 0 {
			out = append(out, [2]int{at, at + int(i.Imm)})
		}
	}
	return out
}

// TestLoaderStress runs kernels, errors and cancels on devices of their own at once, while garbage is collected.
func TestLoaderStress(t *testing.T) {
	length := time.Second
	if testing.Short() {
		length = 200 * time.Millisecond
	}
	end := time.Now().Add(length)
	var wg sync.WaitGroup
	for n := range 3 {
		d := newDevice(t)
		m := basicModule(t, d)
		x := put(t, d, 1, 2, 3, 4, 5, 6, 7, float32(n))
		z := put(t, d, 0, 0, 0, 0, 0, 0, 0, 0)
		wg.Go(func() {
			ctx := context.Background()
			for time.Now().Before(end) {
				if _, err := m.Kernel("add").Run(ctx, runtime.TensorValue(x), runtime.TensorValue(x), runtime.TensorValue(z)); err != nil {
					t.Error(err)
				}
				h, err := z.Download()
				if err != nil || h.Floats()[7] != float64(2*n) {
					t.Errorf("%v, %v", h.Floats(), err)
				}
				var raised *runtime.KernelError
				if _, err := m.Kernel("wild").Run(ctx); !errors.As(err, &raised) {
					t.Error(err)
				}
				short, cancel := context.WithTimeout(ctx, 100*time.Microsecond)
				if _, err := m.Kernel("spin").Run(short); !errors.Is(err, runtime.ErrStopped) {
					t.Error(err)
				}
				cancel()
			}
		})
	}
	stop := make(chan struct{})
	var gc sync.WaitGroup
	gc.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				goruntime.GC()
			}
		}
	})
	wg.Wait()
	close(stop)
	gc.Wait()
}

// TestFrameWords checks that what the host writes lies in the part that code only reads, and what code writes behind it.
func TestFrameWords(t *testing.T) {
	var f Frame
	f.put(AnswerAt, 7)
	if f.Arg[AnswerAt/8-1] != 7 || ArgsAt != 8 || AnswerAt >= frozen || WordsAt != frozen {
		t.Error("the words of the host are not where they should be")
	}
	binary.LittleEndian.PutUint32(f.Room[EntryAt-frozen:], 1<<32-5)
	f.setBudget(77)
	if f.entry() != -5 || f.word(0) != 0 || binary.LittleEndian.Uint32(f.Room[BudgetAt-frozen:]) != 77 {
		t.Error("the words of the code are not where they should be")
	}
	if BudgetAt+4 > RoomAt || WordsAt+24 > EntryAt || EntryAt+4 > BudgetAt {
		t.Error("words overlap")
	}
}

// BenchmarkLoaderCall measures a packed call with three tensors.
func BenchmarkLoaderCall(b *testing.B) {
	d := newDevice(b)
	k := basicModule(b, d).Kernel("add")
	x := runtime.TensorValue(put(b, d, 1, 2, 3, 4, 5, 6, 7, 8))
	args := []runtime.Value{x, x, x}
	s, err := d.Begin(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	defer s.End()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := k.Call(s, args); err != nil {
			b.Fatal(err)
		}
	}
}
