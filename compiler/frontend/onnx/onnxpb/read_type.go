package onnxpb

import "unsafe"

func (d *decoder) appendValueInfo(m *message, vs []ValueInfo, field string, depth int) []ValueInfo {
	i := len(vs)
	vs = append(vs, ValueInfo{})
	m.fail(under(d.valueInfo(m.bytes(field), m.bodyPos(), depth+1, &vs[i]), index(field, i)))
	return vs
}

func (d *decoder) valueInfo(b []byte, pos, depth int, out *ValueInfo) *Error {
	m := d.message(b, pos, depth)
	c := count(b)
	out.Pos = pos
	out.Metadata = alloc[Entry](m, c[4], "metadata entries")
	for m.next() {
		switch m.num {
		case 1:
			out.Name = m.str("name")
		case 2:
			t, err := d.typeProto(m.bytes("type"), m.bodyPos(), depth+1)
			out.Type = t
			m.fail(under(err, "type"))
		case 3:
			out.DocString = m.str("doc_string")
		case 4:
			out.Metadata = append(out.Metadata, d.entry(m, "metadata_props", len(out.Metadata)))
		}
	}
	return m.err
}

func (d *decoder) typeProto(b []byte, pos, depth int) (*Type, *Error) {
	m := d.message(b, pos, depth)
	out := new(Type)
	m.fail(d.charge(pos, 1, unsafe.Sizeof(*out)+unsafe.Sizeof(TensorType{}), "types"))
	kinds := 0
	for m.next() {
		var err *Error
		switch m.num {
		case 1:
			out.Tensor, err = d.tensorType(m.bytes("tensor_type"), m.bodyPos(), depth+1)
			m.fail(under(err, "tensor_type"))
		case 4:
			out.Sequence, err = d.elemType(m.bytes("sequence_type"), m.bodyPos(), depth+1)
			m.fail(under(err, "sequence_type"))
		case 5:
			out.Map, err = d.mapType(m.bytes("map_type"), m.bodyPos(), depth+1)
			m.fail(under(err, "map_type"))
		case 6:
			out.Denotation = m.str("denotation")
			continue
		case 8:
			out.SparseTensor, err = d.tensorType(m.bytes("sparse_tensor_type"), m.bodyPos(), depth+1)
			m.fail(under(err, "sparse_tensor_type"))
		case 9:
			out.Optional, err = d.elemType(m.bytes("optional_type"), m.bodyPos(), depth+1)
			m.fail(under(err, "optional_type"))
		default:
			continue
		}
		if kinds++; kinds > 1 {
			m.fail(errAt(m.at, "the type is given twice"))
		}
	}
	if m.err != nil {
		return nil, m.err
	}
	return out, nil
}

// elemType reads TypeProto.Sequence and TypeProto.Optional, whose field 1 is the element's type.
func (d *decoder) elemType(b []byte, pos, depth int) (*Type, *Error) {
	m := d.message(b, pos, depth)
	var out *Type
	for m.next() {
		if m.num == 1 {
			t, err := d.typeProto(m.bytes("elem_type"), m.bodyPos(), depth+1)
			out = t
			m.fail(under(err, "elem_type"))
		}
	}
	if m.err == nil && out == nil {
		return nil, errAt(pos, "elem_type is missing")
	}
	return out, m.err
}

func (d *decoder) mapType(b []byte, pos, depth int) (*MapType, *Error) {
	m := d.message(b, pos, depth)
	out := new(MapType)
	for m.next() {
		switch m.num {
		case 1:
			out.Key = DataType(m.int32("key_type"))
		case 2:
			t, err := d.typeProto(m.bytes("value_type"), m.bodyPos(), depth+1)
			out.Value = t
			m.fail(under(err, "value_type"))
		}
	}
	return out, m.err
}

func (d *decoder) tensorType(b []byte, pos, depth int) (*TensorType, *Error) {
	m := d.message(b, pos, depth)
	out := new(TensorType)
	for m.next() {
		switch m.num {
		case 1:
			out.Elem = DataType(m.int32("elem_type"))
		case 2:
			s, err := d.shape(m.bytes("shape"), m.bodyPos(), depth+1)
			out.Shape, out.HasShape = s, true
			m.fail(under(err, "shape"))
		}
	}
	if m.err == nil && out.Elem != Undefined && !out.Elem.Valid() {
		return nil, errAt(pos, "elem_type: unknown %v, the last one known is %d (int2)", out.Elem, Int2)
	}
	return out, m.err
}

func (d *decoder) shape(b []byte, pos, depth int) ([]Dim, *Error) {
	m := d.message(b, pos, depth)
	c := count(b)
	if c[1] > d.lim.Rank {
		return nil, limitAt(pos, "%d dimensions; the limit is %d", c[1], d.lim.Rank)
	}
	out := alloc[Dim](m, c[1], "dimensions")
	for m.next() {
		if m.num != 1 {
			continue
		}
		s := d.message(m.bytes("dim"), m.bodyPos(), depth+1)
		var dim Dim
		for s.next() {
			switch s.num {
			case 1:
				dim.Value, dim.HasValue = s.int64("dim_value"), true
			case 2:
				dim.Param = s.str("dim_param")
			case 3:
				dim.Denotation = s.str("denotation")
			}
		}
		if s.err == nil && dim.HasValue && dim.Param != "" {
			s.fail(errAt(m.at, "has both dim_value %d and dim_param %q", dim.Value, dim.Param))
		}
		m.fail(under(s.err, index("dim", len(out))))
		out = append(out, dim)
	}
	return out, m.err
}
