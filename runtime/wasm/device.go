package wasm

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/abi"
)

// device is what the loader keeps on a device: its memory as WebAssembly sees it, and the host
// functions, which all kernels there share.
type device struct {
	loader   *Loader
	dev      *runtime.Device
	ctx      context.Context // for calls into wazero: carries no values and never ends
	mem      []byte
	memMod   api.Module
	host     api.Module
	hostCode wazero.CompiledModule

	mu   sync.Mutex // guards the growth of wmem, which instantiation reads and writes
	wmem api.Memory

	// What follows belongs to the running session.
	session    *runtime.Session
	workspaces runtime.Workspaces
	running    *library             // that of the kernel
	raised     *runtime.KernelError // what the kernel or one of its imports recorded
	pace       runtime.Pace         // of the kernel
	halted     bool                 // the running kernel was told to stop
	stack      [4]uint64
}

// device returns what l keeps on the device of s.
func (l *Loader) device(s *runtime.Session) (*device, error) {
	a, err := s.Attach(l, func() (runtime.Attachment, error) {
		d := &device{loader: l, dev: s.Device(), ctx: context.Background(), mem: s.Device().Memory(), workspaces: s.Device().Workspaces()}
		if err := d.instantiateMemory(); err != nil {
			return nil, errors.Join(err, d.Close())
		}
		return d, nil
	})
	if err != nil {
		return nil, err
	}
	return a.(*device), nil
}

func (d *device) instantiateMemory() error {
	code, err := d.loader.acquire(d.ctx, memoryModule(abi.MemoryMinPages, uint64(len(d.mem))/abi.PageSize))
	if err != nil {
		return err
	}
	defer code.Release()
	ctx := experimental.WithMemoryAllocator(d.ctx, experimental.MemoryAllocatorFunc(
		func(_, _ uint64) experimental.LinearMemory { return linear{d} }))
	if d.memMod, err = d.loader.rt.InstantiateModule(ctx, code.mod, anonymous()); err != nil {
		return fmt.Errorf("instantiating the linear memory: %w", err)
	}
	d.wmem = d.memMod.ExportedMemory(abi.ImportMemory)
	return d.hostImports(d.ctx)
}

// linear lets wazero use the memory of the device. Free does nothing, as wazero calls
// it when any module that imports the memory is closed.
type linear struct{ d *device }

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

// Grow implements runtime.Attachment: it extends the WebAssembly memory to end.
func (d *device) Grow(end uint64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
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
			return fmt.Errorf("linear memory of %d bytes cannot grow by %d pages", have, pages)
		}
	}
}

// Close implements runtime.Attachment.
func (d *device) Close() error {
	var errs []error
	for _, m := range []api.Module{d.host, d.memMod} {
		if m != nil {
			errs = append(errs, m.Close(d.ctx))
		}
	}
	if d.hostCode != nil {
		errs = append(errs, d.hostCode.Close(d.ctx))
	}
	return errors.Join(errs...)
}
