package ir

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/bits"
	"sync"

	"github.com/irscope/irscope/runtime/dtype"
)

// Blob is the value of a tensor constant: immutable, shared and never copied by a pass.
// A splat stores one element only.
type Blob struct {
	dtype dtype.DType
	shape []int64
	data  []byte // little-endian, row-major; one element for a splat
	splat bool

	once   sync.Once
	digest [sha256.Size]byte
}

// MaxElements bounds the elements of a tensor that the compiler accepts.
const MaxElements = 1 << 40

// CheckedElements returns the product of shape, or an error for negative extents and
// products above MaxElements.
func CheckedElements(shape []int64) (int64, error) {
	n := uint64(1)
	for _, d := range shape {
		if d < 0 {
			return 0, fmt.Errorf("shape %v has a negative extent", shape)
		}
		hi, lo := bits.Mul64(n, uint64(d))
		if hi != 0 || lo > MaxElements {
			return 0, fmt.Errorf("shape %v has more than %d elements", shape, int64(MaxElements))
		}
		n = lo
	}
	return int64(n), nil
}

// NewBlob returns a constant over data, which it keeps and which must not change any more.
// The length of data must be that of the elements; types below a byte take one byte each.
func NewBlob(dt dtype.DType, shape []int64, data []byte) (*Blob, error) {
	n, err := CheckedElements(shape)
	if err != nil {
		return nil, err
	}
	if want := n * int64(dt.Bytes()); int64(len(data)) != want {
		return nil, fmt.Errorf("constant of shape %v and type %s needs %d bytes, got %d", shape, dt, want, len(data))
	}
	return &Blob{dtype: dt, shape: shape, data: data}, nil
}

// NewSplat returns a constant all of whose elements are elem.
func NewSplat(dt dtype.DType, shape []int64, elem []byte) (*Blob, error) {
	if _, err := CheckedElements(shape); err != nil {
		return nil, err
	}
	if len(elem) != dt.Bytes() {
		return nil, fmt.Errorf("splat of type %s needs %d bytes, got %d", dt, dt.Bytes(), len(elem))
	}
	return &Blob{dtype: dt, shape: shape, data: elem, splat: true}, nil
}

// Float32Blob returns a float32 constant; it panics if vals does not fill shape.
func Float32Blob(shape []int64, vals ...float32) *Blob {
	data := make([]byte, 4*len(vals))
	for i, v := range vals {
		binary.LittleEndian.PutUint32(data[4*i:], math.Float32bits(v))
	}
	return mustBlob(NewBlob(dtype.Float32T, shape, data))
}

// Int64Blob returns an int64 constant; it panics if vals does not fill shape.
func Int64Blob(shape []int64, vals ...int64) *Blob {
	data := make([]byte, 8*len(vals))
	for i, v := range vals {
		binary.LittleEndian.PutUint64(data[8*i:], uint64(v))
	}
	return mustBlob(NewBlob(dtype.Int64T, shape, data))
}

func mustBlob(b *Blob, err error) *Blob {
	if err != nil {
		panic("ir: " + err.Error())
	}
	return b
}

// DType returns the element type.
func (b *Blob) DType() dtype.DType { return b.dtype }

// Shape returns the extents; the caller must not change them.
func (b *Blob) Shape() []int64 { return b.shape }

// NumElements is the product of the shape.
func (b *Blob) NumElements() int64 {
	n := int64(1)
	for _, d := range b.shape {
		n *= d
	}
	return n
}

// IsSplat reports whether only one element is stored.
func (b *Blob) IsSplat() bool { return b.splat }

// Elem returns the bytes of element i in row-major order.
func (b *Blob) Elem(i int64) []byte {
	w := int64(b.dtype.Bytes())
	if b.splat {
		return b.data
	}
	return b.data[i*w : (i+1)*w]
}

// Stored returns the stored bytes: all elements, or one for a splat. The caller must not
// change them.
func (b *Blob) Stored() []byte { return b.data }

// Bytes returns all elements, a fresh copy for a splat. The caller must not change them.
func (b *Blob) Bytes() []byte {
	if !b.splat {
		return b.data
	}
	return bytes.Repeat(b.data, int(b.NumElements()))
}

// WithShape returns the same elements under another shape with as many elements.
func (b *Blob) WithShape(shape []int64) (*Blob, error) {
	n, err := CheckedElements(shape)
	if err != nil {
		return nil, err
	}
	if n != b.NumElements() {
		return nil, fmt.Errorf("cannot view a constant of shape %v as %v", b.shape, shape)
	}
	return &Blob{dtype: b.dtype, shape: shape, data: b.data, splat: b.splat}, nil
}

// Digest returns the SHA-256 of type, shape and stored elements in hexadecimal, computed
// once. A splat and its spelled-out form have different digests.
func (b *Blob) Digest() string {
	return string(b.AppendDigest(make([]byte, 0, 2*sha256.Size), 2*sha256.Size))
}

// AppendDigest appends the first n digits of Digest to out; n is even.
func (b *Blob) AppendDigest(out []byte, n int) []byte {
	b.once.Do(func() {
		h := sha256.New()
		fmt.Fprintf(h, "%s %v %v\n", b.dtype, b.shape, b.splat)
		h.Write(b.data)
		h.Sum(b.digest[:0])
	})
	return hex.AppendEncode(out, b.digest[:n/2])
}

// Equal reports whether b and c have the same type, shape and bits.
func (b *Blob) Equal(c *Blob) bool {
	if b == c {
		return true
	}
	if b == nil || c == nil || b.dtype != c.dtype || fmt.Sprint(b.shape) != fmt.Sprint(c.shape) {
		return false
	}
	if b.splat == c.splat {
		return bytes.Equal(b.data, c.data)
	}
	if c.splat {
		b, c = c, b
	}
	for i := int64(0); i < c.NumElements(); i++ {
		if !bytes.Equal(b.data, c.Elem(i)) {
			return false
		}
	}
	return true
}
