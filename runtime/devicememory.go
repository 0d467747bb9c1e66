package runtime

import (
	"fmt"

	"github.com/irscope/irscope/runtime/abi"
)

// Alloc takes size bytes from the heap, aligned to abi.DataAlign and with undefined contents, for the
// data segments and workspaces of a loader's kernels; Free gives them back.
func (d *Device) Alloc(size uint64) (uint32, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return 0, fmt.Errorf("allocating %d bytes: device %w", size, ErrClosed)
	}
	addr, err := d.heap.Alloc(size)
	return uint32(addr), err
}

// Free returns an allocation to the heap.
func (d *Device) Free(addr uint32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.closed {
		d.heap.Free(uint64(addr))
	}
}

// allocDescriptor takes room for the descriptor of a tensor of ndim dimensions.
func (d *Device) allocDescriptor(ndim int) (uint32, error) {
	size := abi.DLTensorSize + 8*ndim
	if size > descriptorSlot {
		return d.Alloc(uint64(size))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return 0, fmt.Errorf("describing a tensor: device %w", ErrClosed)
	}
	if len(d.slots) == 0 {
		const page = 16 << 10
		base, err := d.heap.Alloc(page)
		if err != nil {
			return 0, err
		}
		for at := page - descriptorSlot; at >= 0; at -= descriptorSlot {
			d.slots = append(d.slots, uint32(base)+uint32(at))
		}
	}
	slot := d.slots[len(d.slots)-1]
	d.slots = d.slots[:len(d.slots)-1]
	return slot, nil
}

func (d *Device) freeDescriptor(addr uint32, ndim int) {
	if abi.DLTensorSize+8*ndim > descriptorSlot {
		d.Free(addr)
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.closed {
		d.slots = append(d.slots, addr)
	}
}

// Memory is the whole memory of the device from address 0 up to the limit, for loaders. It does
// not move while the device is open.
func (d *Device) Memory() []byte { return d.mem }

// Guard is the least distance in bytes from the memory, and from 4 GiB behind its start, to anything else of the process: accesses that lie nearer, and not in the
// memory, fault. It is 0 on systems that give no such guards; loaders of machine code need them.
func (d *Device) Guard() uint64 { return d.res.Guard() }
