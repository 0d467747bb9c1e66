package onnxpb

import "strconv"

func (d *decoder) node(b []byte, pos, depth int, out *Node) *Error {
	m := d.message(b, pos, depth)
	c := count(b)
	out.Pos = pos
	out.Inputs = alloc[string](m, c[1], "input names")
	out.Outputs = alloc[string](m, c[2], "output names")
	out.Attributes = alloc[Attribute](m, c[5], "attributes")
	out.Metadata = alloc[Entry](m, c[9], "metadata entries")
	for m.next() {
		switch m.num {
		case 1:
			out.Inputs = append(out.Inputs, m.str("input"))
		case 2:
			out.Outputs = append(out.Outputs, m.str("output"))
		case 3:
			out.Name = m.str("name")
		case 4:
			out.OpType = m.str("op_type")
		case 5:
			out.Attributes = d.appendAttribute(m, out.Attributes, "attribute", depth)
		case 6:
			out.DocString = m.str("doc_string")
		case 7:
			out.Domain = m.str("domain")
		case 8:
			out.Overload = m.str("overload")
		case 9:
			out.Metadata = append(out.Metadata, d.entry(m, "metadata_props", len(out.Metadata)))
		}
	}
	return m.err
}

// appendAttribute reads the current field of m into a new attribute. Its place in an
// error's path is its name, which is easier to find than its number.
func (d *decoder) appendAttribute(m *message, as []Attribute, field string, depth int) []Attribute {
	i := len(as)
	as = append(as, Attribute{})
	a := &as[i]
	if err := d.attribute(m.bytes(field), m.bodyPos(), depth+1, a); err != nil {
		seg := index(field, i)
		if a.Name != "" {
			seg = field + "[" + strconv.Quote(a.Name) + "]"
		}
		m.fail(under(err, seg))
	}
	return as
}

func (d *decoder) attribute(b []byte, pos, depth int, out *Attribute) *Error {
	m := d.message(b, pos, depth)
	c := count(b)
	out.Pos = pos
	out.Strings = alloc[[]byte](m, c[9], "strings")
	out.Tensors = alloc[Tensor](m, c[10], "tensors")
	out.Graphs = alloc[*Graph](m, c[11], "graphs")
	out.TypeProtos = alloc[*Type](m, c[15], "types")
	// Numbers that are not packed have a field each.
	if c[7] > 1 {
		out.Floats = alloc[float32](m, c[7], "numbers")
	}
	if c[8] > 1 {
		out.Ints = alloc[int64](m, c[8], "numbers")
	}
	for i, name := range [...]string{5: "t", 6: "g", 14: "tp"} {
		if c[i] > 1 && name != "" {
			m.fail(errAt(pos, "%s occurs %d times", name, c[i]))
		}
	}
	seen := AttrUndefined // the kind of the last value field met
	for m.next() {
		switch m.num {
		case 1:
			out.Name = m.str("name")
		case 2:
			out.F, seen = m.float32("f"), AttrFloat
		case 3:
			out.I, seen = m.int64("i"), AttrInt
		case 4:
			out.S, seen = m.bytes("s"), AttrString
		case 5:
			if m.fail(d.charge(m.at, 1, 1<<8, "tensors")); m.err != nil {
				break
			}
			out.T, seen = new(Tensor), AttrTensor
			m.fail(under(d.tensor(m.bytes("t"), m.bodyPos(), depth+1, out.T), "t"))
		case 6:
			g, err := d.graph(m.bytes("g"), m.bodyPos(), depth+1)
			out.G, seen = g, AttrGraph
			m.fail(under(err, "g"))
		case 7:
			out.Floats, seen = m.appendFloats(out.Floats, "floats"), AttrFloats
		case 8:
			out.Ints, seen = m.appendInts(out.Ints, "ints"), AttrInts
		case 9:
			out.Strings, seen = append(out.Strings, m.bytes("strings")), AttrStrings
		case 10:
			i := len(out.Tensors)
			out.Tensors, seen = append(out.Tensors, Tensor{}), AttrTensors
			m.fail(under(d.tensor(m.bytes("tensors"), m.bodyPos(), depth+1, &out.Tensors[i]), index("tensors", i)))
		case 11:
			g, err := d.graph(m.bytes("graphs"), m.bodyPos(), depth+1)
			m.fail(under(err, index("graphs", len(out.Graphs))))
			out.Graphs, seen = append(out.Graphs, g), AttrGraphs
		case 13:
			out.DocString = m.str("doc_string")
		case 14:
			t, err := d.typeProto(m.bytes("tp"), m.bodyPos(), depth+1)
			out.TP, seen = t, AttrTypeProto
			m.fail(under(err, "tp"))
		case 15:
			t, err := d.typeProto(m.bytes("type_protos"), m.bodyPos(), depth+1)
			m.fail(under(err, index("type_protos", len(out.TypeProtos))))
			out.TypeProtos, seen = append(out.TypeProtos, t), AttrTypeProtos
		case 20:
			out.Type = AttrType(m.int32("type"))
		case 21:
			out.RefAttrName = m.str("ref_attr_name")
		case 22, 23:
			m.fail(errAt(m.at, "sparse tensors (SparseTensorProto) are not supported; store the tensor dense"))
		}
	}
	if m.err != nil {
		return m.err
	}
	return out.checkType(pos, seen)
}

// checkType makes sure that an attribute holds what its type says. Files of IR version 1
// give no type: there the value field tells.
func (a *Attribute) checkType(pos int, seen AttrType) *Error {
	if a.RefAttrName != "" {
		return nil
	}
	if a.Type == AttrUndefined {
		if seen == AttrUndefined {
			return errAt(pos, "the attribute has neither a type nor a value")
		}
		a.Type = seen
	}
	bad := false
	switch a.Type {
	case AttrFloat, AttrInt, AttrString, AttrFloats, AttrInts, AttrStrings, AttrTensors, AttrGraphs, AttrTypeProtos:
		// protobuf leaves out zeros and empty lists, so nothing at all is a value too.
		bad = seen != AttrUndefined && seen != a.Type
	case AttrTensor:
		bad = a.T == nil
	case AttrGraph:
		bad = a.G == nil
	case AttrTypeProto:
		bad = a.TP == nil
	case AttrSparseTensor, AttrSparseTensors:
		return errAt(pos, "sparse tensors (SparseTensorProto) are not supported; store the tensor dense")
	default:
		return errAt(pos, "unknown %v, the last one known is %d (type_protos)", a.Type, AttrTypeProtos)
	}
	if bad {
		return errAt(pos, "the type is %v, but the value is of type %v", a.Type, seen)
	}
	return nil
}
