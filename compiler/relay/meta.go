package relay

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/runtime/dtype"
)

// constantTable is the table that holds the tensors of a text.
const constantTable = "relay.Constant"

// jsonNode is a node of TVM's older serialized form, in which all attributes are strings.
type jsonNode struct {
	Type  string            `json:"type_key"`
	Attrs map[string]string `json:"attrs,omitempty"`
	Keys  []string          `json:"keys,omitempty"`
	Data  []int             `json:"data,omitempty"`
}

type jsonGraph struct {
	Root    int               `json:"root"`
	Nodes   []jsonNode        `json:"nodes"`
	Tensors []string          `json:"b64ndarrays"`
	Attrs   map[string]string `json:"attrs"`
}

// readMeta returns the constants of a metadata section by their numbers.
func readMeta(text string) ([]*ir.Blob, error) {
	var g jsonGraph
	if err := json.Unmarshal([]byte(text), &g); err != nil {
		return nil, fmt.Errorf("the metadata is not JSON: %w", err)
	}
	at := func(i int) (jsonNode, error) {
		if i < 0 || i >= len(g.Nodes) {
			return jsonNode{}, fmt.Errorf("the metadata has no node %d", i)
		}
		return g.Nodes[i], nil
	}
	root, err := at(g.Root)
	if err != nil {
		return nil, err
	}
	for i, k := range root.Keys {
		if k != constantTable || i >= len(root.Data) {
			continue
		}
		list, err := at(root.Data[i])
		if err != nil {
			return nil, err
		}
		out := make([]*ir.Blob, len(list.Data))
		for j, d := range list.Data {
			n, err := at(d)
			if err != nil {
				return nil, err
			}
			t, err := strconv.Atoi(n.Attrs["data"])
			if err != nil || t < 0 || t >= len(g.Tensors) {
				return nil, fmt.Errorf("constant %d of the metadata has no data", j)
			}
			if out[j], err = ir.DecodeTensor(g.Tensors[t]); err != nil {
				return nil, fmt.Errorf("constant %d of the metadata: %w", j, err)
			}
		}
		return out, nil
	}
	return nil, nil
}

// metaSection is the text behind #[metadata] for constants in order.
func metaSection(constants []*ir.Blob) string {
	g := jsonGraph{Root: 1, Attrs: map[string]string{"tvm_version": "0.18.0"}}
	first := 3
	list := jsonNode{Type: "Array"}
	for i := range constants {
		list.Data = append(list.Data, first+i)
	}
	device := strconv.Itoa(first + len(constants))
	g.Nodes = []jsonNode{{}, {Type: "Map", Keys: []string{constantTable}, Data: []int{2}}, list}
	for i, c := range constants {
		g.Nodes = append(g.Nodes, jsonNode{Type: constantTable, Attrs: map[string]string{
			"_checked_type_": "0", "data": strconv.Itoa(i), "span": "0", "virtual_device_": device,
		}})
		t := c.DType()
		if t.IsBool() {
			t = dtype.DType{Code: dtype.UInt, Bits: 1, Lanes: 1}
		}
		g.Tensors = append(g.Tensors, ir.EncodeTensor(c, t))
	}
	g.Nodes = append(g.Nodes, jsonNode{Type: "VirtualDevice", Attrs: map[string]string{
		"device_type_int": "-1", "memory_scope": strconv.Itoa(first + len(constants) + 1), "target": "0", "virtual_device_id": "-1",
	}}, jsonNode{Type: "runtime.String"})
	data, err := json.MarshalIndent(g, "", "  ")
	if err != nil {
		panic("relay: metadata: " + err.Error()) // it holds strings and numbers alone
	}
	return string(data) + "\n"
}
