package onnxpb

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Marshal encodes m. The same model always gives the same bytes: fields come in the
// order of their numbers, lists packed, tensor data as raw_data.
func (m *Model) Marshal() []byte {
	var b []byte
	b = putInt(b, 1, m.IRVersion)
	b = putString(b, 2, m.ProducerName)
	b = putString(b, 3, m.ProducerVersion)
	b = putString(b, 4, m.Domain)
	b = putInt(b, 5, m.ModelVersion)
	b = putString(b, 6, m.DocString)
	if m.Graph != nil {
		b = putMessage(b, 7, m.Graph.marshal())
	}
	b = putOpsets(b, 8, m.OpsetImports)
	b = putEntries(b, 14, m.Metadata)
	for i := range m.Functions {
		b = putMessage(b, 25, m.Functions[i].marshal())
	}
	return b
}

func (g *Graph) marshal() []byte {
	var b []byte
	for i := range g.Nodes {
		b = putMessage(b, 1, g.Nodes[i].marshal())
	}
	b = putString(b, 2, g.Name)
	for i := range g.Initializers {
		b = putMessage(b, 5, g.Initializers[i].Marshal())
	}
	b = putString(b, 10, g.DocString)
	b = putValueInfos(b, 11, g.Inputs)
	b = putValueInfos(b, 12, g.Outputs)
	b = putValueInfos(b, 13, g.ValueInfos)
	return putEntries(b, 16, g.Metadata)
}

func (n *Node) marshal() []byte {
	var b []byte
	b = putStrings(b, 1, n.Inputs)
	b = putStrings(b, 2, n.Outputs)
	b = putString(b, 3, n.Name)
	b = putString(b, 4, n.OpType)
	for i := range n.Attributes {
		b = putMessage(b, 5, n.Attributes[i].marshal())
	}
	b = putString(b, 6, n.DocString)
	b = putString(b, 7, n.Domain)
	b = putString(b, 8, n.Overload)
	return putEntries(b, 9, n.Metadata)
}

func (f *Function) marshal() []byte {
	var b []byte
	b = putString(b, 1, f.Name)
	b = putStrings(b, 4, f.Inputs)
	b = putStrings(b, 5, f.Outputs)
	b = putStrings(b, 6, f.Attributes)
	for i := range f.Nodes {
		b = putMessage(b, 7, f.Nodes[i].marshal())
	}
	b = putString(b, 8, f.DocString)
	b = putOpsets(b, 9, f.OpsetImports)
	b = putString(b, 10, f.Domain)
	for i := range f.AttributeDefaults {
		b = putMessage(b, 11, f.AttributeDefaults[i].marshal())
	}
	b = putValueInfos(b, 12, f.ValueInfos)
	b = putString(b, 13, f.Overload)
	return putEntries(b, 14, f.Metadata)
}

func (a *Attribute) marshal() []byte {
	b := putString(nil, 1, a.Name)
	switch a.Type {
	case AttrFloat:
		b = protowire.AppendTag(b, 2, protowire.Fixed32Type)
		b = protowire.AppendFixed32(b, math.Float32bits(a.F))
	case AttrInt:
		b = protowire.AppendTag(b, 3, protowire.VarintType)
		b = protowire.AppendVarint(b, uint64(a.I))
	case AttrString:
		b = putMessage(b, 4, a.S)
	case AttrTensor:
		b = putMessage(b, 5, a.T.Marshal())
	case AttrGraph:
		b = putMessage(b, 6, a.G.marshal())
	case AttrFloats:
		var p []byte
		for _, f := range a.Floats {
			p = protowire.AppendFixed32(p, math.Float32bits(f))
		}
		b = putPacked(b, 7, p)
	case AttrInts:
		b = putInts(b, 8, a.Ints)
	case AttrStrings:
		for _, s := range a.Strings {
			b = putMessage(b, 9, s)
		}
	case AttrTensors:
		for i := range a.Tensors {
			b = putMessage(b, 10, a.Tensors[i].Marshal())
		}
	case AttrGraphs:
		for _, g := range a.Graphs {
			b = putMessage(b, 11, g.marshal())
		}
	}
	b = putString(b, 13, a.DocString)
	switch a.Type {
	case AttrTypeProto:
		b = putMessage(b, 14, a.TP.marshal())
	case AttrTypeProtos:
		for _, t := range a.TypeProtos {
			b = putMessage(b, 15, t.marshal())
		}
	}
	b = putInt(b, 20, int64(a.Type))
	return putString(b, 21, a.RefAttrName)
}

// Marshal encodes t as a TensorProto, as a file such as input_0.pb holds it.
func (t *Tensor) Marshal() []byte {
	b := putInts(nil, 1, t.Dims)
	b = putInt(b, 2, int64(t.Type))
	for _, s := range t.Strings {
		b = putMessage(b, 6, s)
	}
	b = putString(b, 8, t.Name)
	if len(t.Data) > 0 {
		b = putMessage(b, 9, t.Data)
	}
	return putString(b, 12, t.DocString)
}

func (v *ValueInfo) marshal() []byte {
	b := putString(nil, 1, v.Name)
	if v.Type != nil {
		b = putMessage(b, 2, v.Type.marshal())
	}
	b = putString(b, 3, v.DocString)
	return putEntries(b, 4, v.Metadata)
}

func (t *Type) marshal() []byte {
	var b []byte
	switch {
	case t.Tensor != nil:
		b = putMessage(b, 1, t.Tensor.marshal())
	case t.Sequence != nil:
		b = putMessage(b, 4, putMessage(nil, 1, t.Sequence.marshal()))
	case t.Map != nil:
		m := putInt(nil, 1, int64(t.Map.Key))
		if t.Map.Value != nil {
			m = putMessage(m, 2, t.Map.Value.marshal())
		}
		b = putMessage(b, 5, m)
	case t.SparseTensor != nil:
		b = putMessage(b, 8, t.SparseTensor.marshal())
	case t.Optional != nil:
		b = putMessage(b, 9, putMessage(nil, 1, t.Optional.marshal()))
	}
	return putString(b, 6, t.Denotation)
}

func (t *TensorType) marshal() []byte {
	b := putInt(nil, 1, int64(t.Elem))
	if !t.HasShape {
		return b
	}
	var s []byte
	for _, d := range t.Shape {
		var p []byte
		if d.HasValue {
			p = protowire.AppendTag(p, 1, protowire.VarintType)
			p = protowire.AppendVarint(p, uint64(d.Value))
		}
		p = putString(p, 2, d.Param)
		s = putMessage(s, 1, putString(p, 3, d.Denotation))
	}
	return putMessage(b, 2, s)
}
