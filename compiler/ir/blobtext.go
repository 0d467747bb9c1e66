package ir

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/irscope/irscope/runtime/dtype"
)

// tensorMagic starts a tensor in TVM's serialized form.
const tensorMagic = 0xDD5E40F096B4A13F

// EncodeTensor writes a tensor in the form that DecodeTensor reads, of the processor's memory. As is its element type in the text:
// that of older TVMs calls truth values integers of one bit.
func EncodeTensor(d *Blob, as dtype.DType) string {
	data, le := d.Bytes(), binary.LittleEndian
	b := make([]byte, 0, 48+8*len(d.Shape())+len(data))
	b = le.AppendUint64(le.AppendUint64(b, tensorMagic), 0)
	b = le.AppendUint32(le.AppendUint32(b, 1), 0)
	b = le.AppendUint32(b, uint32(len(d.Shape())))
	b = le.AppendUint16(append(b, byte(as.Code), as.Bits), as.Lanes)
	for _, n := range d.Shape() {
		b = le.AppendUint64(b, uint64(n))
	}
	return base64.StdEncoding.EncodeToString(append(le.AppendUint64(b, uint64(len(data))), data...))
}

// DecodeTensor reads a tensor in the form in which TVM's texts hold it: base64 of a magic number, 8 reserved bytes, the device, rank,
// element type, extents, size in bytes, and the data, little-endian.
func DecodeTensor(text string) (*Blob, error) {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, err
	}
	le, short := binary.LittleEndian, errors.New("it ends too early")
	if len(raw) < 32 {
		return nil, short
	}
	if le.Uint64(raw) != tensorMagic {
		return nil, errors.New("it does not begin like a tensor")
	}
	rank := int(le.Uint32(raw[24:]))
	d := dtype.DType{Code: dtype.Code(raw[28]), Bits: raw[29], Lanes: le.Uint16(raw[30:])}
	if d.Code == dtype.UInt && d.Bits == 1 {
		d = dtype.BoolT
	}
	raw = raw[32:]
	if rank < 0 || rank > 64 || len(raw) < 8*rank+8 {
		return nil, short
	}
	shape := make([]int64, rank)
	for i := range shape {
		shape[i] = int64(le.Uint64(raw[8*i:]))
	}
	raw = raw[8*rank:]
	if size := le.Uint64(raw); size != uint64(len(raw)-8) {
		return nil, fmt.Errorf("it holds %d bytes, but says %d", len(raw)-8, size)
	}
	return NewBlob(d, shape, raw[8:])
}
