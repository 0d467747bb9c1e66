package native

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unsafe"

	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/runtime/hostmath"
)

// kernel is a symbol of a library. A call without errors needs no memory from Go.
type kernel struct {
	lib    *library
	entry  int
	budget uint32 // at the end of the last call
	loops  []*timedLoop
}

// Call implements runtime.Entry. It enters the code, and again after each request, until the code says that the call has ended.
func (k *kernel) Call(s *runtime.Session, args []runtime.Value) (runtime.Value, error) {
	if err := s.PutArgs(args); err != nil {
		return runtime.Value{}, err
	}
	d := k.lib.on
	if at := uintptr(unsafe.Pointer(s)); d.session != at {
		if d.session = at; d.others != nil {
			k.lib.mod.loader.pool.rouse() // it forked before, and will again
		}
	}
	f := &d.main.frame
	f.put(ArgsAt, abi.ArgsAddr)
	f.put(CountAt, uint64(len(args)))
	f.put(ResultAt, abi.ResultAddr)
	f.put(DataAt, uint64(k.lib.data))
	f.put(StackAt, abi.StackAddr)
	f.put(AnswerAt, 0)
	d.main.begin(k.budget)
	_, err := k.run(s, &d.main, k.entry, false)
	k.budget = d.main.pace.Budget
	d.main.workspaces.FreeAll()
	if err != nil {
		return runtime.Value{}, err
	}
	return s.Result()
}

// run enters the code at an entry and serves its requests, to the end of the call, or of a chunk: it returns the entry that the chunk left.
func (k *kernel) run(s *runtime.Session, t *thread, entry int, chunk bool) (next int, err error) {
	m := k.lib.mod
	memory := k.lib.on.dev.Memory()
	f := &t.frame
	var failed *runtime.KernelError // the last request that did
	for ; ; entry = f.entry() {
		status, err := m.code.Call(entry, f, memory)
		if err != nil {
			return 0, stopped(err, memory)
		}
		switch int32(status) {
		case StatusDone:
			if chunk {
				return 0, errors.New("the kernel ended in a chunk of a loop")
			}
			return 0, nil
		case StatusRaised:
			return 0, runtime.Raised(m.object.Messages, uint32(f.word(0)), int64(f.word(1)), int64(f.word(2)))
		case StatusFailed:
			if failed == nil {
				return 0, errors.New("the kernel says that a request failed, but none did")
			}
			return 0, failed
		case StatusPoll:
			f.put(AnswerAt, 0)
			t.polled()
		case StatusAlloc:
			addr, err := t.workspaces.Alloc(f.word(0))
			if err != nil {
				failed = err
			}
			f.put(AnswerAt, uint64(addr))
		case StatusFree:
			f.put(AnswerAt, 0)
			if err := t.workspaces.Free(uint32(f.word(0))); err != nil {
				failed = err
				f.put(AnswerAt, 1<<32-1)
			}
		case StatusMath:
			fn := hostmath.ByNumber(uint32(f.word(0)))
			if fn == nil {
				return 0, fmt.Errorf("the kernel asks for the function number %#x, which does not exist", uint32(f.word(0)))
			}
			f.put(AnswerAt, fn(f.word(1), f.word(2)))
		case StatusFork:
			if chunk {
				return 0, errors.New("the kernel forks in a chunk of a loop")
			}
			next, err := k.fork(s)
			if err != nil {
				return 0, err
			}
			f.setEntry(next)
		case StatusJoin:
			if !chunk {
				return 0, errors.New("the kernel joins without a fork")
			}
			return f.entry(), nil
		default:
			return 0, fmt.Errorf("the kernel returned the status %d, which does not exist", int32(status))
		}
		if err := s.Err(); err != nil { // after each request: code that makes them for ever ends, too
			return 0, err
		}
	}
}

// stopped makes the error of a kernel of one that stopped it: a fault is told as what the kernel did, in terms of the device's memory.
func stopped(err error, memory []byte) error {
	var f *Fault
	if !errors.As(err, &f) {
		return err
	}
	text := f.Reason
	if f.Address != 0 {
		at := int64(f.Address) - int64(uintptr(unsafe.Pointer(unsafe.SliceData(memory))))
		text = fmt.Sprintf("access outside of the memory of the device, which has %d bytes, at byte %d", len(memory), at)
	}
	return &runtime.KernelError{Kind: "RuntimeError", Message: text, Cause: err}
}

// put writes a word that code only reads, at an offset in the frame.
func (f *Frame) put(at int, v uint64) { f.Arg[at/8-1] = v }

// word is an operand of a status.
func (f *Frame) word(i int) uint64 { return binary.LittleEndian.Uint64(f.Room[WordsAt-frozen+8*i:]) }

// entry is the number of the entry at which code wants to go on; Call checks it.
func (f *Frame) entry() int { return int(int32(binary.LittleEndian.Uint32(f.Room[EntryAt-frozen:]))) }

func (f *Frame) setEntry(n int) { binary.LittleEndian.PutUint32(f.Room[EntryAt-frozen:], uint32(n)) }
