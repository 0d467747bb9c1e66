package native

import (
	"fmt"

	"github.com/irscope/irscope/runtime"
)

// device is what the loader keeps on a device: what the running call needs, as only one runs at a time.
type device struct {
	dev     *runtime.Device
	pool    *pool
	session uintptr // address of that of the last call, which may be gone
	main    thread
	others  []*thread // of the loader's pool, once a loop was forked
	forked  forked    // the last loop that they ran, or run
}

// helpers returns the threads of the pool.
func (d *device) helpers(n int) []*thread {
	for len(d.others) < n {
		d.others = append(d.others, &thread{workspaces: d.dev.Workspaces()})
	}
	return d.others
}

// Grow implements runtime.Attachment: machine code has all of the memory from the start.
func (d *device) Grow(uint64) error { return nil }

// Share implements runtime.Sharer with the threads that run loops.
func (d *device) Share(parts int, f func(part int)) {
	d.pool.run(evenly(parts, d.pool.threads), func(_, part int) { f(part) })
}

// Close implements runtime.Attachment.
func (d *device) Close() error { return nil }

// library is an object on a device.
type library struct {
	on      *device
	mod     *module
	data    uint32 // address of the data, 0 where there is none
	names   []string
	kernels map[string]*kernel
}

// Load implements runtime.Code: it puts the data of the object on the device of s.
func (m *module) Load(s *runtime.Session) (runtime.Library, error) {
	dev := s.Device()
	if g := dev.Guard(); g < Guard {
		return nil, fmt.Errorf("machine code: %w: it needs a memory between guards of %d bytes, and this device has guards of %d, as the system reserves no 8 GiB of addresses",
			runtime.ErrUnsupported, Guard, g)
	}
	a, err := s.Attach(m.loader, func() (runtime.Attachment, error) {
		return &device{dev: dev, pool: m.loader.pool, main: thread{workspaces: dev.Workspaces()}}, nil
	})
	if err != nil {
		return nil, err
	}
	l := &library{on: a.(*device), mod: m, kernels: map[string]*kernel{}}
	if n := len(m.object.Data); n > 0 {
		if l.data, err = dev.Alloc(uint64(n)); err != nil {
			return nil, fmt.Errorf("the data of its kernels: %w", err)
		}
		copy(dev.Memory()[l.data:], m.object.Data)
	}
	for _, sym := range m.object.Symbols {
		l.names = append(l.names, sym.Name)
		l.kernels[sym.Name] = &kernel{lib: l, entry: sym.Entry}
	}
	return l, nil
}

// Names implements runtime.Library.
func (l *library) Names() []string { return l.names }

// Entry implements runtime.Library.
func (l *library) Entry(name string) runtime.Entry {
	if k := l.kernels[name]; k != nil {
		return k
	}
	return nil
}

// Close implements runtime.Library.
func (l *library) Close() error {
	if l.data != 0 {
		l.on.dev.Free(l.data)
	}
	return nil
}
