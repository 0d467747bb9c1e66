//go:build linux && amd64

package x86_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/hostmath"
	"github.com/irscope/irscope/runtime/native"
	"github.com/irscope/irscope/runtime/native/asm"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target"
	"github.com/irscope/irscope/target/codegen"
	"github.com/irscope/irscope/target/x86"
)

// machines are those that the tests generate code for. What this processor lacks is verified and not run. For the last, all loops are forked that may be.
var machines = map[string]x86.Machine{"avx2": x86.NewMachine(false, 0), "avx512": x86.NewMachine(true, 0), "avx512 of 256 bits": x86.NewMachine(true, 256), "forked": forked(), "vnni": vnni(0), "vnni of 256 bits": vnni(256)}

func vnni(bits int64) x86.Machine {
	m := x86.NewMachine(true, bits)
	m.Features.VNNI = true
	return m
}

func forked() x86.Machine {
	m := x86.NewMachine(false, 0)
	m.LeastFork = 1
	return m
}

// primFunc makes a function over buffers and scalar variables, given in the order of its parameters.
func primFunc(name string, params []any, body ...tir.Stmt) *tir.PrimFunc {
	f := &tir.PrimFunc{RetType: ir.VoidType(), Body: tir.Seq(body...), Attrs: ir.NewAttrs(ir.AttrGlobalSymbol, name, "tir.noalias", true)}
	for _, p := range params {
		switch p := p.(type) {
		case *tir.Buffer:
			f.Params = append(f.Params, tir.NewVar(p.Name+"_handle", dtype.HandleT))
			f.Buffers = append(f.Buffers, p)
		case *tir.Var:
			f.Params = append(f.Params, p)
			f.Buffers = append(f.Buffers, nil)
		}
	}
	return f
}

// flat is a buffer of n elements.
func flat(name string, d dtype.DType, n int64) *tir.Buffer {
	return tir.NewBuffer(name, d, []tir.Expr{tir.Int32(n)}, "")
}

// local allocates b around body.
func local(b *tir.Buffer, body ...tir.Stmt) tir.Stmt {
	return &tir.Allocate{Var: b.Data, Type: b.DType, Extents: b.Shape, Condition: tir.Bool(true), Body: &tir.DeclBuffer{Buffer: b, Body: tir.Seq(body...)}}
}

func forLoop(v *tir.Var, n tir.Expr, body ...tir.Stmt) tir.Stmt {
	return &tir.For{LoopVar: v, Min: tir.Const(v.DType(), 0), Extent: n, Body: tir.Seq(body...)}
}

func i32var(name string) *tir.Var { return tir.NewVar(name, dtype.Int32T) }

func ramp(start tir.Expr, stride int64, lanes int) tir.Expr {
	return &tir.Ramp{Start: start, Stride: tir.Const(start.DType(), stride), Lanes: lanes}
}

func broadcast(x tir.Expr, lanes int) tir.Expr { return &tir.Broadcast{Value: x, Lanes: lanes} }

// random returns a tensor with elements of both signs.
func random(d dtype.DType, seed uint64, shape ...int64) *tensor.Tensor {
	t := tensor.MustNew(d, shape...)
	t.Random(seed)
	return t
}

// avx2 is a target with instructions for fma.
func avx2(tb testing.TB) target.Target {
	tb.Helper()
	tg, err := target.Parse("x86 -mattr=+avx2")
	if err == nil {
		tg, err = tg.Explicit(nil)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return tg
}

// pack lowers a function to the packed convention and the definitions of elementary functions.
func pack(tb testing.TB, f *tir.PrimFunc) []codegen.Func {
	tb.Helper()
	return packed(tb, f, tirpass.LowerMath)
}

// packed lowers a function to the packed convention and runs more passes.
func packed(tb testing.TB, f *tir.PrimFunc, more ...*pass.Pass) []codegen.Func {
	tb.Helper()
	return packedFor(tb, avx2(tb), f, more...)
}

// packedFor is packed for a target.
func packedFor(tb testing.TB, tgt target.Target, f *tir.PrimFunc, more ...*pass.Pass) []codegen.Func {
	tb.Helper()
	c, err := pass.NewContext(context.Background(), pass.WithTarget(tgt))
	if err != nil {
		tb.Fatal(err)
	}
	m := ir.NewModule().With(ir.GlobalSymbol(f), f)
	for _, p := range append([]*pass.Pass{tirpass.MakePackedAPI, tirpass.LowerTVMBuiltin}, more...) {
		if m, err = p.Run(c, m); err != nil {
			tb.Fatal(err)
		}
	}
	return codegen.Funcs(m)
}

// build generates and verifies code; a refusal is an error.
func build(funcs []codegen.Func, m x86.Machine) (*codegen.Library, *native.Object, error) {
	lib, err := x86.BuildFor(context.Background(), funcs, m)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range lib.Refused {
		return nil, nil, fmt.Errorf("%s is refused: %s", r.Name, r.Reason)
	}
	obj, err := native.Decode(lib.Bytes)
	if err != nil {
		return lib, nil, err
	}
	needs, err := asm.Verify(&obj.Blob, native.Box)
	if err == nil && !m.Features.Has(needs) {
		err = fmt.Errorf("the code needs %v, the machine has %v", needs, m.Features)
	}
	return lib, obj, err
}

// host is the memory of a device, and what kernels ask for.
type host struct {
	mem     []byte
	next    uint64 // free memory
	got     int    // workspaces in use
	asked   int    // workspaces that there were
	polls   int
	forks   int
	anyZero bool // the passes that made the code do not keep the sign of zeros
	broke   bool // no poll leaves anything of the budget
	whole   bool // the turns of a forked loop run in one chunk, as on one thread
}

// newHost reserves memory with guards.
func newHost(tb testing.TB) *host {
	tb.Helper()
	if err := native.Available(); err != nil {
		tb.Skip(err)
	}
	const size, huge = 64 << 20, 2 << 20
	all, err := unix.Mmap(-1, 0, 2*native.Guard+4<<30+huge, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = unix.Munmap(all) })
	from := native.Guard + int(-(uintptr(unsafe.Pointer(&all[0]))+native.Guard)&(huge-1))
	h := &host{mem: all[from : from+size], next: abi.ReservedBytes}
	if err := unix.Mprotect(h.mem, unix.PROT_READ|unix.PROT_WRITE); err != nil {
		tb.Fatal(err)
	}
	_ = unix.Madvise(h.mem, unix.MADV_HUGEPAGE) // as the memory of a device
	return h
}

func (h *host) alloc(n int) uint64 {
	at := h.next
	h.next += uint64(n+abi.DataAlign) &^ (abi.DataAlign - 1)
	return at
}

// call is a kernel that is ready to run.
type call struct {
	h      *host
	code   *native.Code
	obj    *native.Object
	frame  *native.Frame
	places []uint64
	args   []any
}

func (f *call) word(at int) *uint64 { return &f.frame.Arg[at/8-1] }

// prepare loads an object and puts arguments where kernels find them.
func prepare(obj *native.Object, h *host, args []any) (*call, error) {
	code, err := native.Load(&obj.Blob)
	if err != nil {
		return nil, err
	}
	h.next = abi.ReservedBytes
	f := &call{h: h, code: code, obj: obj, frame: &native.Frame{}, args: args}
	le := binary.LittleEndian
	for i, a := range args {
		cell := h.mem[abi.ArgsAddr+i*abi.CellSize:]
		place := uint64(0)
		switch a := a.(type) {
		case *tensor.Tensor:
			place = h.alloc(len(a.Data))
			copy(h.mem[place:], a.Data)
			shape := h.alloc(8 * len(a.Shape))
			for k, n := range a.Shape {
				le.PutUint64(h.mem[shape+8*uint64(k):], uint64(n))
			}
			desc := h.alloc(abi.DLTensorSize)
			d := h.mem[desc : desc+abi.DLTensorSize]
			clear(d)
			le.PutUint32(d[abi.DLTensorData:], uint32(place))
			le.PutUint32(d[abi.DLTensorDeviceType:], abi.DLDeviceCPU)
			le.PutUint32(d[abi.DLTensorNDim:], uint32(len(a.Shape)))
			d[abi.DLTensorTypeCode], d[abi.DLTensorTypeBits] = byte(a.DType.Code), a.DType.Bits
			le.PutUint16(d[abi.DLTensorTypeLanes:], a.DType.Lanes)
			le.PutUint32(d[abi.DLTensorShape:], uint32(shape))
			le.PutUint32(cell, abi.TypeDLTensorPtr)
			le.PutUint64(cell[abi.CellValue:], desc)
		case int64:
			le.PutUint32(cell, abi.TypeInt)
			le.PutUint64(cell[abi.CellValue:], uint64(a))
		case float64:
			le.PutUint32(cell, abi.TypeFloat)
			le.PutUint64(cell[abi.CellValue:], math.Float64bits(a))
		}
		f.places = append(f.places, place)
	}
	data := h.alloc(len(obj.Data))
	copy(h.mem[data:], obj.Data)
	*f.word(native.ArgsAt), *f.word(native.CountAt), *f.word(native.ResultAt) = abi.ArgsAddr, uint64(len(args)), abi.ResultAddr
	*f.word(native.DataAt), *f.word(native.StackAt) = data, abi.StackAddr
	for i := range f.frame.Room { // what is there is undefined
		f.frame.Room[i] = 0xa5
	}
	if f.setRoom(native.BudgetAt, abi.PollBudget); h.broke {
		f.setRoom(native.BudgetAt, 0)
	}
	return f, nil
}

func (f *call) room(at int) []byte { return f.frame.Room[at-native.WordsAt:] }

func (f *call) setRoom(at int, v uint32) { binary.LittleEndian.PutUint32(f.room(at), v) }

// run enters the only kernel and serves its requests.
func (f *call) run() error {
	_, err := f.from(f.obj.Symbols[0].Entry)
	return err
}

// fork runs the turns of a loop one by one from the last to the first, each with a frame of its own and local arrays that hold nothing of others: where results are those
// of the loop in its order all the same, its turns are independent.
func (f *call) fork() (next int, err error) {
	le := binary.LittleEndian
	body, from, till := int(le.Uint32(f.room(native.EntryAt))), int32(le.Uint32(f.room(native.WordsAt))), int32(le.Uint32(f.room(native.WordsAt+8)))
	local := le.Uint64(f.room(native.WordsAt+16)) >> 32
	if from >= till || local > native.LocalBytes {
		return 0, fmt.Errorf("a fork of the turns from %d to %d with %d bytes", from, till, local)
	}
	f.h.forks++
	area := f.h.mem[abi.StackAddr+abi.StackBytes-native.LocalBytes : abi.StackAddr+abi.StackBytes]
	step := max(1, (till-from)/1000)
	if f.h.whole {
		step = till - from
	}
	for i := till; i > from; i -= step {
		c := *f
		if !f.h.whole { // as the host does for one chunk, whole loops have the frame of the fork
			c.frame = &native.Frame{}
			*c.frame = *f.frame
			for k := range area {
				area[k] = 0x5a
			}
		}
		*c.word(native.FromAt), *c.word(native.TillAt) = uint64(uint32(max(from, i-step))), uint64(uint32(i))
		*c.word(native.LocalAt) = abi.StackAddr + abi.StackBytes - native.LocalBytes
		if next, err = c.from(body); err != nil {
			return 0, err
		}
	}
	return next, nil
}

// from enters at an entry, and returns the entry that a chunk left.
func (f *call) from(entry int) (next int, err error) {
	for {
		status, err := f.code.Call(entry, f.frame, f.h.mem)
		if err != nil {
			return 0, err
		}
		answer := uint64(0)
		word := binary.LittleEndian.Uint64(f.room(native.WordsAt))
		switch int32(status) {
		case native.StatusDone:
			return 0, nil
		case native.StatusRaised:
			msg := f.obj.Messages[word]
			return 0, fmt.Errorf("%s", msg.Format(int64(binary.LittleEndian.Uint64(f.room(native.WordsAt+8))), int64(binary.LittleEndian.Uint64(f.room(native.WordsAt+16)))))
		case native.StatusPoll:
			f.setRoom(native.BudgetAt, abi.PollBudget)
			f.h.polls++
			if f.h.broke {
				f.setRoom(native.BudgetAt, 0)
			}
		case native.StatusMath:
			answer = hostmath.ByNumber(uint32(word))(binary.LittleEndian.Uint64(f.room(native.WordsAt+8)), binary.LittleEndian.Uint64(f.room(native.WordsAt+16)))
		case native.StatusAlloc:
			answer = f.h.alloc(int(word))
			f.h.got++
			f.h.asked++
		case native.StatusFork:
			next, err := f.fork()
			if err != nil {
				return 0, err
			}
			f.setRoom(native.EntryAt, uint32(next))
		case native.StatusJoin:
			return int(binary.LittleEndian.Uint32(f.room(native.EntryAt))), nil
		case native.StatusFree:
			f.h.got--
		default:
			return 0, fmt.Errorf("status %d", int32(status))
		}
		*f.word(native.AnswerAt) = answer
		entry = int(binary.LittleEndian.Uint32(f.room(native.EntryAt)))
	}
}

// results copies tensors back.
func (f *call) results() []any {
	out := make([]any, len(f.args))
	for i, a := range f.args {
		out[i] = a
		if t, ok := a.(*tensor.Tensor); ok {
			c := t.Clone()
			copy(c.Data, f.h.mem[f.places[i]:])
			out[i] = c
		}
	}
	return out
}

// execute runs an object on arguments and returns what they are then.
func execute(obj *native.Object, h *host, args []any) ([]any, error) {
	f, err := prepare(obj, h, args)
	if err != nil {
		return nil, err
	}
	defer f.code.Close()
	if err := f.run(); err != nil {
		return nil, err
	}
	if h.got != 0 {
		return nil, fmt.Errorf("%d workspaces were not given back", h.got)
	}
	return f.results(), nil
}

func cloneArgs(args []any) []any {
	out := make([]any, len(args))
	for i, a := range args {
		if t, ok := a.(*tensor.Tensor); ok {
			a = t.Clone()
		}
		out[i] = a
	}
	return out
}

// different describes the first element in which tensors differ in their bits, where both are not NaN, nor both zeros if any zero will do.
func different(got, want []any, anyZero bool) string {
	for k := range want {
		w, ok := want[k].(*tensor.Tensor)
		if !ok {
			continue
		}
		g := got[k].(*tensor.Tensor)
		for i := range w.Len() {
			if w.DType.IsFloat() {
				x, y := g.Float(i), w.Float(i)
				if math.Float64bits(x) == math.Float64bits(y) || x != x && y != y || anyZero && x == y {
					continue
				}
			} else if g.Int(i) == w.Int(i) {
				continue
			}
			return fmt.Sprintf("argument %d, element %d: got %s, want %s", k, i, g.Format(i, 9), w.Format(i, 9))
		}
	}
	return ""
}

// wrong says how the code for f, lowered to funcs, differs from the interpreter on f; it is empty where it does not.
func wrong(h *host, f *tir.PrimFunc, funcs []codegen.Func, args []any) (string, *codegen.Library) {
	want := cloneArgs(args)
	if err := interp.Run(context.Background(), f, want, nil); err != nil {
		return "interpreter: " + err.Error(), nil
	}
	for name, m := range machines {
		lib, obj, err := build(funcs, m)
		if err != nil {
			return name + ": " + err.Error(), lib
		}
		if !native.Host().Has(m.Features) {
			continue
		}
		got, err := execute(obj, h, args)
		if err != nil {
			return name + ": " + err.Error(), lib
		}
		if d := different(got, want, h.anyZero); d != "" {
			return name + ": " + d, lib
		}
	}
	return "", nil
}

// check compares the code for f with the interpreter, bit for bit.
func check(t *testing.T, f *tir.PrimFunc, args ...any) {
	t.Helper()
	checkLowered(t, f, pack(t, f), args...)
}

// checkLowered is check for a function that is lowered already.
func checkLowered(t *testing.T, f *tir.PrimFunc, funcs []codegen.Func, args ...any) {
	t.Helper()
	if s, lib := wrong(newHost(t), f, funcs, args); s != "" {
		t.Error(s)
		if lib != nil && len(lib.Kernels) > 0 {
			t.Log(lib.Kernels[0].Text())
		}
	}
}
