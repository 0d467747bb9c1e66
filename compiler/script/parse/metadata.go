package parse

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/runtime/dtype"
)

// tensorMagic starts a tensor in the serialized form of TVM.
const tensorMagic = 0xDD5E40F096B4A13F

// loadMetadata reads the tensors of a JSON metadata block, numbered in the order in which
// they stand there.
func (b *builder) loadMetadata(n *node) {
	text := b.strOf(n, "the metadata")
	var doc struct {
		Tensors []string `json:"b64ndarrays"`
		Nodes   []struct {
			Type string          `json:"type"`
			Data json.RawMessage `json:"data"`
		} `json:"nodes"`
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		b.fail(n, "", "the metadata is not in the form of JSON: %v", err)
	}
	for _, x := range doc.Nodes {
		var s string
		if x.Type == "ffi.Tensor" && json.Unmarshal(x.Data, &s) == nil {
			doc.Tensors = append(doc.Tensors, s)
		}
	}
	if b.metadata == nil {
		b.metadata = map[string]*ir.Blob{}
	}
	for i, s := range doc.Tensors {
		blob, err := decodeTensor(s)
		if err != nil {
			b.fail(n, "", "tensor %d of the metadata: %v", i, err)
		}
		b.metadata[strconv.Itoa(i)] = blob
	}
}

// decodeTensor reads a tensor in TVM's serialized form: a header of magic number and 8
// reserved bytes, device, rank, element type, extents, size in bytes and the data.
func decodeTensor(text string) (*ir.Blob, error) {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, err
	}
	short := errors.New("it ends too early")
	if len(raw) < 32 {
		return nil, short
	}
	if binary.LittleEndian.Uint64(raw) != tensorMagic {
		return nil, errors.New("it does not start as a tensor does")
	}
	rank := int(binary.LittleEndian.Uint32(raw[24:]))
	d := dtype.DType{Code: dtype.Code(raw[28]), Bits: raw[29], Lanes: binary.LittleEndian.Uint16(raw[30:])}
	if d.Code == dtype.UInt && d.Bits == 1 {
		d = dtype.BoolT
	}
	raw = raw[32:]
	if rank < 0 || rank > 64 || len(raw) < 8*rank+8 {
		return nil, short
	}
	shape := make([]int64, rank)
	for i := range shape {
		shape[i] = int64(binary.LittleEndian.Uint64(raw[8*i:]))
	}
	raw = raw[8*rank:]
	if size := binary.LittleEndian.Uint64(raw); size != uint64(len(raw)-8) {
		return nil, fmt.Errorf("it holds %d bytes, but says %d", len(raw)-8, size)
	}
	return ir.NewBlob(d, shape, raw[8:])
}
