package script

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/runtime/dtype"
)

// metaNode is a node of a JSON metadata block. Its data holds the numbers of other nodes.
type metaNode struct {
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}

// ReadMetadata returns the tensors of a JSON metadata block, as ShowMeta writes it: those that the
// root lists by their type and number there ("relax.expr.Constant/0"), and all of them by their order.
func ReadMetadata(text string) (map[string]*ir.Blob, error) {
	var doc struct {
		Root    int        `json:"root_index"`
		Tensors []string   `json:"b64ndarrays"`
		Nodes   []metaNode `json:"nodes"`
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		return nil, fmt.Errorf("the metadata is not JSON: %w", err)
	}
	out, byNode := map[string]*ir.Blob{}, map[int]*ir.Blob{}
	for i := range doc.Nodes {
		var s string
		if x := &doc.Nodes[i]; x.Type == metaTensor && json.Unmarshal(x.Data, &s) == nil {
			byNode[i] = nil
			doc.Tensors = append(doc.Tensors, s)
		}
	}
	first := len(doc.Tensors) - len(byNode)
	for i, s := range doc.Tensors {
		blob, err := decodeTensor(s)
		if err != nil {
			return nil, fmt.Errorf("tensor %d of the metadata: %w", i, err)
		}
		out[strconv.Itoa(i)] = blob
	}
	for k, i := range slices.Sorted(maps.Keys(byNode)) {
		byNode[i] = out[strconv.Itoa(first+k)]
	}
	maps.Copy(out, rootTensors(doc.Nodes, doc.Root, byNode))
	return out, nil
}

// rootTensors returns the tensors that the root of a metadata block lists, each by its type
// and number ("relax.expr.Constant/0"). A constant leads to its tensor.
func rootTensors(nodes []metaNode, root int, tensors map[int]*ir.Blob) map[string]*ir.Blob {
	out := map[string]*ir.Blob{}
	read := func(i int, kind string, to any) bool {
		return i >= 0 && i < len(nodes) && nodes[i].Type == kind && json.Unmarshal(nodes[i].Data, to) == nil
	}
	var entries, list []int
	var kind string
	if !read(root, "ffi.Map", &entries) {
		return nil
	}
	for k := 0; k+1 < len(entries); k += 2 {
		if !read(entries[k], "ffi.String", &kind) || !read(entries[k+1], "ffi.Array", &list) {
			continue
		}
		for i, at := range list {
			var constant struct {
				Data *int `json:"data"`
			}
			if read(at, kind, &constant) && constant.Data != nil {
				at = *constant.Data
			}
			if t := tensors[at]; t != nil {
				out[kind+"/"+strconv.Itoa(i)] = t
			}
		}
	}
	return out
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
		return nil, errors.New("it does not begin like a tensor")
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
