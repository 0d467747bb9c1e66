package script

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/irscope/irscope/compiler/ir"
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
		blob, err := ir.DecodeTensor(s)
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
