package interp

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/irscope/irscope/runtime/dtype"
)

// ctl says how a statement ended.
type ctl uint8

const (
	ctlNext ctl = iota
	ctlBreak
	ctlContinue
	ctlReturn
)

type (
	intFn   func(*frame) int64
	floatFn func(*frame) float64
	stmtFn  func(*frame) ctl
)

// value is a compiled expression: one of the two is set. A vector expression yields the
// lane that frame.lane names.
type value struct {
	i intFn
	f floatFn
}

// A handle is the number of a region and a byte offset into it. 0 is the null pointer.
const (
	offsetBits = 40
	offsetMask = 1<<offsetBits - 1
)

// region is a piece of memory: bytes, or the DLTensors of tvm_stack_alloca and arguments.
type region struct {
	data []byte
	dls  []dlTensor
	text string // of string constants

	width  int64   // bytes of an element, where the region is the memory of a buffer
	fresh  bool    // it is memory of threads, which holds nothing until one of them writes it
	shadow *shadow // nil until an access is checked
}

// dlTensor describes a tensor argument, with handles for pointers.
type dlTensor struct {
	data, shape, strides int64
	ndim                 int64
	dtype                dtype.DType
	byteOffset           int64
	deviceID, deviceType int64
	tensorShape          []int64 // extents, where the tensor was made from Go
}

// view is the memory behind a pointer, for accesses through buffers.
type view struct {
	p unsafe.Pointer
	n int64 // bytes
}

// machine is the state of one run.
type machine struct {
	ctx     context.Context
	opts    *Options
	steps   int64
	tick    int32
	bytes   int64
	unit    *unit
	regions []*region
	spare   []int64 // numbers of freed regions
	serials uint32  // of threads
	runs    []*launched
}

// frame holds the variables of one activation of a function.
type frame struct {
	m     *machine
	fn    *function
	i     []int64
	f     []float64
	views []view
	lane  int
	vec   []lanes // scratch of vector stores
	retI  int64
	retF  float64
	has   bool // a value was returned
	depth int  // of calls

	thread *thread // nil outside of the threads of a kernel
	pos    []int64 // see thread
}

type lanes struct {
	i []int64
	f []float64
	a []int64
}

const maxCallDepth = 200

// step counts one unit of work. Every 4096 it looks at the budget and the context.
func (m *machine) step(fr *frame) {
	if m.tick--; m.tick < 0 {
		m.checkpoint(fr)
	}
}

func (m *machine) checkpoint(fr *frame) {
	const batch = 4096
	m.tick = batch
	if m.steps -= batch; m.steps < 0 {
		panic(&failure{fr.fn.name, fmt.Sprintf("more than %d steps: raise Options.MaxSteps or reduce the extents", m.opts.MaxSteps), ErrSteps})
	}
	if err := m.ctx.Err(); err != nil {
		panic(&failure{fr.fn.name, "stopped: " + context.Cause(m.ctx).Error(), context.Cause(m.ctx)})
	}
}

func (fr *frame) fail(format string, args ...any) {
	panic(&failure{fn: fr.fn.name, msg: fmt.Sprintf(format, args...)})
}

// alloc makes a region of n bytes, filled with ones, unless the options say zeros: NaN as a float, -1 as an integer.
func (m *machine) alloc(fr *frame, n int64) int64 {
	m.charge(fr, n)
	data := make([]byte, n)
	if !m.opts.Zeroed {
		poison(data)
	}
	return m.add(&region{data: data})
}

// charge counts n bytes.
func (m *machine) charge(fr *frame, n int64) {
	if n < 0 || n > m.opts.MaxBytes-m.bytes {
		panic(&failure{fr.fn.name, fmt.Sprintf("allocating %d bytes exceeds the limit of %d bytes for a run", n, m.opts.MaxBytes), ErrMemory})
	}
	m.bytes += n
}

func poison(data []byte) {
	if len(data) == 0 {
		return
	}
	data[0] = 0xff
	for k := 1; k < len(data); k *= 2 {
		copy(data[k:], data[:k])
	}
}

func (m *machine) add(r *region) int64 {
	if n := len(m.spare); n > 0 {
		h := m.spare[n-1]
		m.spare = m.spare[:n-1]
		m.regions[h] = r
		return h << offsetBits
	}
	m.regions = append(m.regions, r)
	return int64(len(m.regions)-1) << offsetBits
}

func (m *machine) release(h int64) {
	k := h >> offsetBits
	m.bytes -= int64(len(m.regions[k].data))
	if s := m.regions[k].shadow; s != nil {
		m.bytes -= int64(len(s.pages)) * pageBytes
	}
	m.regions[k] = nil
	m.spare = append(m.spare, k)
}

// region returns the region that h points into; it fails for null and dangling pointers.
func (m *machine) region(fr *frame, h int64, what string) *region {
	k := h >> offsetBits
	if k <= 0 || k >= int64(len(m.regions)) || m.regions[k] == nil {
		if h == 0 {
			fr.fail("%s is a null pointer", what)
		}
		fr.fail("%s points to memory that does not exist or was freed", what)
	}
	return m.regions[k]
}

// bytesAt returns n bytes at h.
func (m *machine) bytesAt(fr *frame, h, n int64, what string) []byte {
	r := m.region(fr, h, what)
	off := h & offsetMask
	if n < 0 || n > int64(len(r.data)) || off > int64(len(r.data))-n {
		fr.fail("%s: bytes %d to %d of %d", what, off, off+n, len(r.data))
	}
	return r.data[off : off+n]
}

// bind makes slot the view of the memory at h, and sets the pointer variable itself.
func (fr *frame) bind(v pointer, h int64) {
	fr.i[v.slot] = h
	if v.view < 0 {
		return
	}
	k := h >> offsetBits
	if k <= 0 || k >= int64(len(fr.m.regions)) || fr.m.regions[k] == nil {
		fr.views[v.view] = view{}
		return
	}
	data := fr.m.regions[k].data
	off := h & offsetMask
	if off >= int64(len(data)) {
		fr.views[v.view] = view{}
		return
	}
	fr.views[v.view] = view{unsafe.Pointer(&data[off]), int64(len(data)) - off}
}

// pointer is where a handle variable lives: its slot, and the view of what it points to,
// -1 if no buffer uses it.
type pointer struct{ slot, view int }
