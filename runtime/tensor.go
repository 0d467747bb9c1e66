package runtime

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"

	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// Storage is a piece of device memory that tensors are made in. It is counted by
// reference; a tensor holds one reference to its storage.
type Storage struct {
	dev  *Device
	addr uint32
	size uint64
	refs atomic.Int32
}

// NewStorage allocates size bytes with undefined contents.
func (d *Device) NewStorage(size uint64) (*Storage, error) {
	addr, err := d.Alloc(size)
	if err != nil {
		return nil, err
	}
	s := &Storage{dev: d, addr: addr, size: size}
	s.refs.Store(1)
	return s, nil
}

// Size is the number of bytes.
func (s *Storage) Size() uint64 { return s.size }

// Live reports whether anything refers to the storage.
func (s *Storage) Live() bool { return s.refs.Load() > 0 }

// Retain adds a reference.
func (s *Storage) Retain() { s.refs.Add(1) }

// Release drops a reference; the last one frees the memory.
func (s *Storage) Release() {
	if s.refs.Add(-1) == 0 {
		s.dev.Free(s.addr)
	}
}

// Tensor is a compact row-major tensor in the memory of a device, with its DLTensor
// descriptor beside it. It is counted by reference.
type Tensor struct {
	dev     *Device
	storage *Storage
	dt      dtype.DType
	shape   []int64
	data    uint32
	desc    uint32
	bytes   uint64
	refs    atomic.Int32
}

// NewTensor makes a tensor in s, offset bytes from its start. The shape is kept and must
// not be written afterwards.
func (s *Storage) NewTensor(offset int64, shape []int64, dt dtype.DType) (*Tensor, error) {
	size, err := tensor.ByteSize(dt, shape)
	if err != nil {
		return nil, err
	}
	if offset < 0 || uint64(offset) > s.size || uint64(size) > s.size-uint64(offset) {
		return nil, fmt.Errorf("a tensor %v%s of %d bytes at offset %d does not fit a storage of %d bytes",
			dt, tensor.ShapeString(shape), size, offset, s.size)
	}
	return s.describe(s.addr+uint32(offset), shape, dt, uint64(size))
}

func (s *Storage) describe(data uint32, shape []int64, dt dtype.DType, size uint64) (*Tensor, error) {
	d := s.dev
	desc, err := d.allocDescriptor(len(shape))
	if err != nil {
		return nil, err
	}
	d.life.RLock()
	defer d.life.RUnlock()
	if d.mem == nil {
		return nil, fmt.Errorf("making a tensor: device %w", ErrClosed)
	}
	b := d.mem[desc : uint64(desc)+abi.DLTensorSize+8*uint64(len(shape))]
	le := binary.LittleEndian
	le.PutUint32(b[abi.DLTensorData:], data)
	le.PutUint32(b[abi.DLTensorDeviceType:], abi.DLDeviceCPU)
	le.PutUint32(b[abi.DLTensorDeviceID:], abi.DLDeviceID)
	le.PutUint32(b[abi.DLTensorNDim:], uint32(len(shape)))
	b[abi.DLTensorTypeCode], b[abi.DLTensorTypeBits] = byte(dt.Code), dt.Bits
	le.PutUint16(b[abi.DLTensorTypeLanes:], dt.Lanes)
	le.PutUint32(b[abi.DLTensorShape:], desc+abi.DLTensorSize)
	le.PutUint32(b[abi.DLTensorStrides:], 0)
	le.PutUint64(b[abi.DLTensorByteOffset:], 0)
	for i, n := range shape {
		le.PutUint64(b[abi.DLTensorSize+8*i:], uint64(n))
	}
	t := &Tensor{dev: d, storage: s, dt: dt, shape: shape, data: data, desc: desc, bytes: size}
	t.refs.Store(1)
	s.Retain()
	return t, nil
}

// NewTensor allocates a tensor with undefined contents.
func (d *Device) NewTensor(dt dtype.DType, shape []int64) (*Tensor, error) {
	size, err := tensor.ByteSize(dt, shape)
	if err != nil {
		return nil, err
	}
	s, err := d.NewStorage(uint64(size))
	if err != nil {
		return nil, fmt.Errorf("a tensor %v%s: %w", dt, tensor.ShapeString(shape), err)
	}
	defer s.Release()
	return s.NewTensor(0, shape, dt)
}

// Upload copies a host tensor to the device. The caller owns the result.
func (d *Device) Upload(h *tensor.Tensor) (*Tensor, error) {
	t, err := d.NewTensor(h.DType, append([]int64{}, h.Shape...))
	if err != nil {
		return nil, fmt.Errorf("uploading %v: %w", h, err)
	}
	if err := t.Write(h.Data); err != nil {
		t.Release()
		return nil, fmt.Errorf("uploading %v: %w", h, err)
	}
	return t, nil
}

// UploadSplat makes a tensor on the device whose elements all have the bytes of elem.
func (d *Device) UploadSplat(dt dtype.DType, shape []int64, elem []byte) (*Tensor, error) {
	if len(elem) != dt.Bytes() {
		return nil, fmt.Errorf("an element of %v has %d bytes, got %d", dt, dt.Bytes(), len(elem))
	}
	t, err := d.NewTensor(dt, append([]int64{}, shape...))
	if err != nil {
		return nil, err
	}
	b, unlock, err := t.lock()
	if err != nil {
		t.Release()
		return nil, err
	}
	defer unlock()
	for n := copy(b, elem); n < len(b); n *= 2 {
		copy(b[n:], b[:n])
	}
	return t, nil
}

// Device is the device that t lives on.
func (t *Tensor) Device() *Device { return t.dev }

// DType is the element type.
func (t *Tensor) DType() dtype.DType { return t.dt }

// Shape is the shape, which must not be written.
func (t *Tensor) Shape() []int64 { return t.shape }

// ByteSize is the number of bytes of the elements.
func (t *Tensor) ByteSize() uint64 { return t.bytes }

// Storage is where the elements are, Offset bytes from its start.
func (t *Tensor) Storage() *Storage { return t.storage }

// Offset is the number of bytes before t in its storage.
func (t *Tensor) Offset() int64 { return int64(t.data - t.storage.addr) }

// Live reports whether anything refers to t.
func (t *Tensor) Live() bool { return t.refs.Load() > 0 }

// String names the type and shape.
func (t *Tensor) String() string { return t.dt.String() + tensor.ShapeString(t.shape) }

// Retain adds a reference.
func (t *Tensor) Retain() { t.refs.Add(1) }

// Release drops a reference; the last one frees descriptor and storage.
func (t *Tensor) Release() {
	if t.refs.Add(-1) == 0 {
		t.dev.freeDescriptor(t.desc, len(t.shape))
		t.storage.Release()
	}
}

// View makes a tensor of another shape, and possibly type, over the same bytes.
func (t *Tensor) View(shape []int64, dt dtype.DType) (*Tensor, error) {
	size, err := tensor.ByteSize(dt, shape)
	if err != nil {
		return nil, err
	}
	if uint64(size) != t.bytes {
		return nil, fmt.Errorf("cannot view %v as %v%s: the sizes differ", t, dt, tensor.ShapeString(shape))
	}
	return t.storage.describe(t.data, shape, dt, t.bytes)
}

// ViewAt returns a tensor on a part of the memory of t, from so many bytes on.
func (t *Tensor) ViewAt(offset int64, shape []int64, dt dtype.DType) (*Tensor, error) {
	size, err := tensor.ByteSize(dt, shape)
	if err != nil {
		return nil, err
	}
	if offset < 0 || uint64(offset) > t.bytes || uint64(size) > t.bytes-uint64(offset) {
		return nil, fmt.Errorf("cannot view %v from byte %d on as %v%s: it has %d bytes", t, offset, dt, tensor.ShapeString(shape), t.bytes)
	}
	return t.storage.describe(t.data+uint32(offset), shape, dt, uint64(size))
}

// lock returns the bytes of t and keeps the device from closing until unlock.
func (t *Tensor) lock() (b []byte, unlock func(), err error) {
	t.dev.life.RLock()
	if t.dev.mem == nil || t.refs.Load() <= 0 {
		t.dev.life.RUnlock()
		return nil, nil, fmt.Errorf("reading or writing %v: the tensor was released or its device %w", t, ErrClosed)
	}
	return t.dev.mem[t.data : uint64(t.data)+t.bytes], t.dev.life.RUnlock, nil
}

// Write copies data, which has the size of t, to the device.
func (t *Tensor) Write(data []byte) error {
	if uint64(len(data)) != t.bytes {
		return fmt.Errorf("writing %d bytes to %v, which has %d", len(data), t, t.bytes)
	}
	b, unlock, err := t.lock()
	if err != nil {
		return err
	}
	defer unlock()
	t.dev.copyBytes(b, data)
	return nil
}

// Read copies the bytes of t to dst, which has their size.
func (t *Tensor) Read(dst []byte) error {
	if uint64(len(dst)) != t.bytes {
		return fmt.Errorf("reading %v, which has %d bytes, into a buffer of %d bytes", t, t.bytes, len(dst))
	}
	b, unlock, err := t.lock()
	if err != nil {
		return err
	}
	defer unlock()
	t.dev.copyBytes(dst, b)
	return nil
}

// Download copies t to the host.
func (t *Tensor) Download() (*tensor.Tensor, error) {
	b, unlock, err := t.lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	data := make([]byte, len(b))
	t.dev.copyBytes(data, b)
	return tensor.FromBytes(t.dt, t.shape, data)
}

// Bytes is the memory of t itself, for builtins that run within a session on t's device:
// it is valid until the session ends or t is released.
func (t *Tensor) Bytes(s *Session) []byte {
	if s.dev != t.dev {
		return nil
	}
	return t.dev.mem[t.data : uint64(t.data)+t.bytes]
}
