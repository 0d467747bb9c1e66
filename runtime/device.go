package runtime

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/runtime/memory"
)

// MaxDeviceBytes is the largest linear memory: what 32-bit addresses reach.
const MaxDeviceBytes = 4 << 30

// descriptorSlot is the room for a DLTensor and the shape of up to 11 dimensions.
const descriptorSlot = 128

// DeviceOptions configures a Device; the zero value is fine.
type DeviceOptions struct {
	// MaxBytes is the limit of the linear memory; 0 means MaxDeviceBytes. Only what is
	// used takes physical memory.
	MaxBytes uint64
}

// Stats is the memory of a device in bytes; Limit and Grown are addresses.
type Stats = memory.Stats

// Device is one linear memory with the heap, the tensors and the kernel modules in it.
// Its methods may be called by many goroutines; sessions take turns.
type Device struct {
	engine   *Engine
	ctx      context.Context // for calls into wazero: carries no values and never ends
	res      *memory.Reservation
	mem      []byte // the whole reservation: it never moves, so no lock guards the slice
	wmem     api.Memory
	memMod   api.Module
	host     api.Module
	hostCode wazero.CompiledModule
	stop     atomic.Bool   // the run was cancelled; kernels learn it by abi.ImportStopped
	turn     chan struct{} // holds a token while no session runs

	mu      sync.Mutex // guards what follows
	heap    *memory.Heap
	slots   []uint32 // free descriptor slots
	modules map[*Module]struct{}
	closed  bool

	life sync.RWMutex // held for reading by whoever touches mem outside of a session

	// What follows belongs to the running session.
	workspaces []uint32
	running    *Module // that of the kernel
	raised     raised
	halted     bool // the running kernel was told to stop
	stack      [4]uint64
}

// NewDevice makes a device with an empty memory.
func (e *Engine) NewDevice(opts DeviceOptions) (*Device, error) {
	limit := opts.MaxBytes
	if limit == 0 || limit > MaxDeviceBytes {
		limit = MaxDeviceBytes
	}
	limit = limit / abi.PageSize * abi.PageSize
	if limit <= abi.ReservedBytes {
		return nil, fmt.Errorf("making a device of %d bytes: at least %d are needed", opts.MaxBytes, abi.ReservedBytes+abi.PageSize)
	}
	res, err := memory.Reserve(limit)
	if err != nil {
		return nil, fmt.Errorf("making a device: %w", err)
	}
	d := &Device{
		engine: e, ctx: context.Background(), res: res, mem: res.Bytes(),
		turn: make(chan struct{}, 1), modules: map[*Module]struct{}{},
	}
	d.turn <- struct{}{}
	limit = uint64(len(d.mem)) / abi.PageSize * abi.PageSize
	d.heap = memory.NewHeap(abi.ReservedBytes, limit, d.growTo)
	if err := d.instantiateMemory(limit); err != nil {
		return nil, errors.Join(fmt.Errorf("making a device: %w", err), d.Close())
	}
	e.mu.Lock()
	closed := e.closed
	if !closed {
		e.devices[d] = struct{}{}
	}
	e.mu.Unlock()
	if closed {
		return nil, errors.Join(fmt.Errorf("making a device: engine %w", ErrClosed), d.Close())
	}
	return d, nil
}

func (d *Device) instantiateMemory(limit uint64) error {
	code, err := d.engine.acquire(d.ctx, memoryModule(abi.MemoryMinPages, limit/abi.PageSize))
	if err != nil {
		return err
	}
	defer d.engine.release(code)
	ctx := experimental.WithMemoryAllocator(d.ctx, experimental.MemoryAllocatorFunc(
		func(_, _ uint64) experimental.LinearMemory { return linear{d} }))
	if d.memMod, err = d.engine.rt.InstantiateModule(ctx, code.mod, anonymous()); err != nil {
		return fmt.Errorf("instantiating the linear memory: %w", err)
	}
	d.wmem = d.memMod.ExportedMemory(abi.ImportMemory)
	return d.hostImports(d.ctx)
}

// linear lets wazero use the reservation as memory. Free does nothing, as wazero calls
// it when any module that imports the memory is closed.
type linear struct{ d *Device }

func (l linear) Reallocate(size uint64) []byte {
	if size > uint64(len(l.d.mem)) {
		return nil
	}
	return l.d.mem[:size]
}

func (l linear) Free() {}

// growStep bounds one growth: once a module was closed wazero grows by appending a
// temporary slice of that size (in place, as the capacity is that of the reservation).
const growStep = 16 << 20

// growTo extends the WebAssembly memory to end; the heap calls it.
func (d *Device) growTo(end uint64) error {
	for {
		have := uint64(d.wmem.Size())
		if have == 0 { // wazero reports a full 4 GiB as 0
			return nil
		}
		if have >= end {
			return nil
		}
		pages := (min(end-have, growStep) + abi.PageSize - 1) / abi.PageSize
		if _, ok := d.wmem.Grow(uint32(pages)); !ok {
			return fmt.Errorf("linear memory of %d bytes refuses to grow by %d pages", have, pages)
		}
	}
}

// Close waits for the running session, unloads all modules and returns all memory to
// the system. Tensors of the device are dead afterwards; releasing them is still allowed.
// A second Close does nothing.
func (d *Device) Close() error {
	<-d.turn // and never given back: no session starts any more
	defer func() { d.turn <- struct{}{} }()
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return nil
	}
	d.closed = true
	modules := d.modules
	d.modules = nil
	d.mu.Unlock()
	d.life.Lock()
	defer d.life.Unlock()
	var errs []error
	for m := range modules {
		errs = append(errs, m.unload())
	}
	for _, m := range []api.Module{d.host, d.memMod} {
		if m != nil {
			errs = append(errs, m.Close(d.ctx))
		}
	}
	if d.hostCode != nil {
		errs = append(errs, d.hostCode.Close(d.ctx))
	}
	errs = append(errs, d.res.Close())
	d.mem = nil
	d.engine.mu.Lock()
	delete(d.engine.devices, d)
	d.engine.mu.Unlock()
	return errors.Join(errs...)
}

// Stats reports the memory in use.
func (d *Device) Stats() Stats {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.heap.Stats()
}

// ResetPeak makes the memory in use now the new peak.
func (d *Device) ResetPeak() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.heap.ResetPeak()
}

// Trim gives the pages of free memory back to the system.
func (d *Device) Trim() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.closed {
		d.heap.EachFree(d.res.Discard)
	}
}
