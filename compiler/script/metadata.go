package script

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
)

// Types under which constants stand in the metadata, as TVM calls them.
const (
	metaConstant = "relax.expr.Constant"
	metaTensor   = "ffi.Tensor"
)

// maxMetadata bounds the bytes of the constants that are written out, where options say nothing.
const maxMetadata = 1 << 30

// metadata collects the constants of a text, in the order of their first use.
type metadata struct {
	lists   [2][]*ir.Blob // by kind: constants and tensors
	index   [2]map[string]int
	size    int64
	limit   int64           // of size
	omitted map[string]bool // the digests of those beyond it
}

// key returns the number of a constant among those of its kind.
func (m *metadata) key(kind int, d *ir.Blob) (int, bool) {
	digest := d.Digest()
	if i, ok := m.index[kind][digest]; ok {
		return i, true
	}
	size := d.NumElements() * int64(d.DType().Bytes())
	if size > m.limit-m.size {
		if m.omitted == nil {
			m.omitted = map[string]bool{}
		}
		m.omitted[digest] = true
		return 0, false
	}
	m.size += size
	if m.index[kind] == nil {
		m.index[kind] = map[string]int{}
	}
	i := len(m.lists[kind])
	m.index[kind][digest] = i
	m.lists[kind] = append(m.lists[kind], d)
	return i, true
}

// metaEntry prints the entry of a constant: by its number where the metadata is shown, by the
// start of its digest otherwise.
func (p *printer) metaEntry(kind int, name string, d *ir.Blob) {
	p.str("metadata[")
	p.quote(name)
	p.str("][")
	if p.meta != nil {
		if i, ok := p.meta.key(kind, d); ok {
			p.int(int64(i))
			p.str("]")
			return
		}
	}
	p.str(`"`)
	p.buf = d.AppendDigest(p.buf, constKeyLen)
	p.str(`"]`)
}

// metaTensor prints the entry of a tensor of a PrimFunc.
func (p *printer) metaTensor(d *ir.Blob) {
	if p.meta == nil {
		p.metaEntry(1, "ir.Blob", d)
	} else {
		p.metaEntry(1, metaTensor, d)
	}
}

// jsonNode is a node of the graph in which TVM writes objects: its data holds the numbers of
// other nodes.
type jsonNode struct {
	Type string `json:"type"`
	Data any    `json:"data,omitempty"`
}

// jsonGraph collects nodes.
type jsonGraph struct {
	Root     int               `json:"root_index"`
	Nodes    []jsonNode        `json:"nodes"`
	Metadata map[string]string `json:"metadata"`
}

func (g *jsonGraph) add(kind string, data any) int {
	g.Nodes = append(g.Nodes, jsonNode{kind, data})
	return len(g.Nodes) - 1
}

// prepend puts the block of metadata before the text.
func (m *metadata) prepend(t *Text) {
	block := ""
	if len(m.lists[0])+len(m.lists[1]) > 0 {
		block = m.block()
	}
	if t.Omitted = len(m.omitted); t.Omitted > 0 {
		block += fmt.Sprintf("# %d constants are not in the metadata, which holds at most %d bytes\n", t.Omitted, m.limit)
	}
	t.Source = block + t.Source
	t.Lines = append(make([]ir.Node, strings.Count(block, "\n")), t.Lines...)
}

// block returns the statement that defines the metadata.
func (m *metadata) block() string {
	g := &jsonGraph{Metadata: map[string]string{"tvm_version": "0.23.0"}}
	none := g.add("None", nil)
	root := []int{}
	for kind, name := range []string{metaConstant, metaTensor} {
		if len(m.lists[kind]) == 0 {
			continue
		}
		list := []int{}
		for _, d := range m.lists[kind] {
			i := g.add(metaTensor, ir.EncodeTensor(d, d.DType()))
			if kind == 0 {
				i = g.constant(d, i, none)
			}
			list = append(list, i)
		}
		root = append(root, g.add("ffi.String", name), g.add("ffi.Array", list))
	}
	g.Root = g.add("ffi.Map", root)
	data, err := json.MarshalIndent(g, "", "  ")
	if err != nil {
		panic("script: metadata: " + err.Error()) // it holds strings and numbers alone
	}
	return `metadata = tvm.ir.load_json("""` + strings.ReplaceAll(string(data), `"`, `\"`) + "\"\"\")\n"
}

// constant adds a constant with the struct info of its value.
func (g *jsonGraph) constant(d *ir.Blob, data, none int) int {
	values := []int{}
	for _, n := range d.Shape() {
		values = append(values, g.add("ir.IntImm", map[string]any{"dtype": "int64", "span": none, "value": n}))
	}
	list := g.add("ffi.Array", values)
	info := g.add("relax.ShapeStructInfo", map[string]any{"ndim": len(values), "span": none, "values": list})
	shape := g.add("relax.expr.ShapeExpr", map[string]any{"span": none, "struct_info_": info, "values": list})
	info = g.add("relax.TensorStructInfo", map[string]any{
		"dtype": d.DType().String(), "ndim": len(values), "shape": shape, "span": none, "vdevice": none,
	})
	return g.add(metaConstant, map[string]any{"data": data, "span": none, "struct_info_": info})
}
