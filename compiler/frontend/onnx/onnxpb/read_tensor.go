package onnxpb

import (
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"
)

// tensorFields are the numbers of the fields that hold elements.
var tensorFields = [...]struct {
	num protowire.Number
	as  typedField
}{{4, floatData}, {5, int32Data}, {6, stringData}, {7, int64Data}, {10, doubleData}, {11, uint64Data}}

func fieldOf(num protowire.Number) typedField {
	for _, f := range tensorFields {
		if f.num == num {
			return f.as
		}
	}
	return noField
}

// tensor reads a TensorProto. Type and dimensions may follow the data, so the data is
// decoded in a second pass over the fields, into a slice of the right length.
func (d *decoder) tensor(b []byte, pos, depth int, out *Tensor) *Error {
	m := d.message(b, pos, depth)
	c := count(b)
	out.Pos = pos
	entries := alloc[Entry](m, c[13], "external data entries")
	var raw []byte
	external := false
	typed, values := noField, 0
	for m.next() {
		switch m.num {
		case 1:
			out.Dims = m.appendInts(out.Dims, "dims")
			if len(out.Dims) > d.lim.Rank {
				m.fail(limitAt(m.at, "%d dimensions; the limit is %d", len(out.Dims), d.lim.Rank))
			}
		case 2:
			out.Type = DataType(m.int32("data_type"))
		case 3:
			m.fail(errAt(m.at, "segment: tensors in segments are not supported"))
		case 4, 5, 6, 7, 10, 11:
			f := fieldOf(m.num)
			n := m.valuesIn(f)
			if n > 0 && typed != noField && typed != f {
				m.fail(errAt(m.at, "has data in both %v and %v", typed, f))
			}
			if n > 0 {
				typed, values = f, values+n
			}
		case 8:
			out.Name = m.str("name")
		case 9:
			raw = m.bytes("raw_data")
		case 12:
			out.DocString = m.str("doc_string")
		case 13:
			entries = append(entries, d.entry(m, "external_data", len(entries)))
		case 14:
			external = m.int32("data_location") == 1
		}
	}
	if m.err != nil {
		return nameTensor(m.err, out)
	}
	if !out.Type.Valid() {
		return nameTensor(errAt(pos, "data_type: unknown %v, expected 1 (float32) to %d (int2)", out.Type, Int2), out)
	}
	n, err := d.elements(out, pos)
	if err != nil {
		return nameTensor(err, out)
	}
	switch {
	case external:
		err = d.externalData(out, pos, n, entries)
	case len(raw) > 0 && typed != noField:
		err = errAt(pos, "has data in both raw_data and %v", typed)
	case typed != noField:
		err = d.typedData(b, pos, out, n, typed, values)
	case out.Type == String:
		if n != 0 {
			err = errAt(pos, "dims %v make %d strings, but string_data holds 0", out.Dims, n)
		}
	default:
		if want := bytesFor(out.Type, n); int64(len(raw)) != want {
			err = errAt(pos, "dims %v of %v make %d bytes, but raw_data holds %d", out.Dims, out.Type, want, len(raw))
		}
		out.Data = raw
	}
	return nameTensor(err, out)
}

// nameTensor puts the tensor's name into the message: initializers are known by it.
func nameTensor(err *Error, t *Tensor) *Error {
	if err != nil && err.Path == "" && t.Name != "" {
		err.Msg = "tensor \"" + t.Name + "\": " + err.Msg
	}
	return err
}

// valuesIn counts the values in the current field, packed or not.
func (m *message) valuesIn(f typedField) int {
	if m.typ != protowire.BytesType || f == stringData {
		return 1
	}
	switch f {
	case floatData:
		return len(m.body) / 4
	case doubleData:
		return len(m.body) / 8
	}
	return varints(m.body)
}

// typedData decodes the typed field into out.Data.
func (d *decoder) typedData(b []byte, pos int, out *Tensor, n int64, typed typedField, values int) *Error {
	if want := out.Type.field(); typed != want {
		return errAt(pos, "elements are %v, which belong in %v or raw_data, but the data is in %v", out.Type, want, typed)
	}
	want := n
	switch bits := out.Type.Bits(); {
	case out.Type == Complex64 || out.Type == Complex128:
		want = 2 * n
	case bits > 0 && bits < 8:
		want = bytesFor(out.Type, n)
	}
	if want != int64(values) {
		return errAt(pos, "dims %v of %v need %d values in %v, but it holds %d", out.Dims, out.Type, want, typed, values)
	}
	m := d.message(b, pos, 0)
	if typed == stringData {
		out.Strings = alloc[[]byte](m, values, "strings")
	} else {
		out.Data = alloc[byte](m, int(bytesFor(out.Type, n)), "bytes of a tensor")
	}
	for m.next() {
		if fieldOf(m.num) != typed {
			continue
		}
		switch {
		case typed == stringData:
			out.Strings = append(out.Strings, m.bytes("string_data"))
		case m.typ == protowire.BytesType:
			m.packed(out, typed)
		default:
			m.single(out, typed, m.u)
		}
	}
	return m.err
}

// single appends one value that stands in a field of its own.
func (m *message) single(out *Tensor, f typedField, v uint64) {
	switch f {
	case floatData:
		if m.want(protowire.Fixed32Type, f.String()) {
			out.Data = binary.LittleEndian.AppendUint32(out.Data, uint32(v))
		}
	case doubleData:
		if m.want(protowire.Fixed64Type, f.String()) {
			out.Data = binary.LittleEndian.AppendUint64(out.Data, v)
		}
	default:
		if m.want(protowire.VarintType, f.String()) {
			m.integer(out, f, v, m.at)
		}
	}
}

// packed appends the values of a packed field.
func (m *message) packed(out *Tensor, f typedField) {
	b := m.body
	switch f {
	case floatData, doubleData:
		size := 4
		if f == doubleData {
			size = 8
		}
		if len(b)%size != 0 {
			m.fail(errAt(m.at, "%v has %d bytes, which is not a multiple of %d", f, len(b), size))
			return
		}
		out.Data = append(out.Data, b...)
	default:
		for len(b) > 0 {
			v, n := protowire.ConsumeVarint(b)
			if n < 0 {
				m.fail(errAt(m.pos-len(b), "%v: %s", f, parseError(n)))
				return
			}
			m.integer(out, f, v, m.pos-len(b))
			b = b[n:]
		}
	}
}

// integer appends one integer in the width of the tensor's type. For types under a byte
// one value holds a byte of packed elements.
func (m *message) integer(out *Tensor, f typedField, v uint64, at int) {
	bits := max(out.Type.Bits(), 8)
	if bits < 64 {
		if s := int64(v); s < -1<<(bits-1) || s >= 1<<bits {
			m.fail(errAt(at, "%v: value %d does not fit %v", f, s, out.Type))
			return
		}
	}
	switch bits {
	case 8:
		out.Data = append(out.Data, byte(v))
	case 16:
		out.Data = binary.LittleEndian.AppendUint16(out.Data, uint16(v))
	case 32:
		out.Data = binary.LittleEndian.AppendUint32(out.Data, uint32(v))
	default:
		out.Data = binary.LittleEndian.AppendUint64(out.Data, v)
	}
}
