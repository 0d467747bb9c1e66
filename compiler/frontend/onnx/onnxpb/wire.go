package onnxpb

import (
	"math"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// decoder is the state of one read: budgets and where external data lies.
type decoder struct {
	lim      Limits
	mem      int64 // bytes that may still be allocated
	nodes    int   // nodes that may still be read
	external int64 // bytes that may still be read from external files
	opts     Options
}

func newDecoder(fileBytes int, o Options) *decoder {
	lim := o.Limits.withDefaults(fileBytes)
	return &decoder{lim: lim, mem: lim.Memory, nodes: lim.Nodes, external: lim.ExternalBytes, opts: o}
}

// charge takes n objects of size bytes from the memory budget.
func (d *decoder) charge(pos int, n int, size uintptr, what string) *Error {
	cost := int64(n) * int64(size)
	if cost > d.mem {
		return limitAt(pos, "%d %s need more than the %d bytes that a file of this length may take", n, what, d.lim.Memory)
	}
	d.mem -= cost
	return nil
}

// message is a cursor over the fields of one message. Its error is sticky: once set,
// next returns false and the accessors return zero values.
type message struct {
	d    *decoder
	b    []byte // rest of the message
	pos  int    // offset in the file of b[0]
	err  *Error
	num  protowire.Number
	typ  protowire.Type
	at   int    // offset in the file of the current field's tag
	u    uint64 // value of a varint, fixed32 or fixed64 field
	body []byte // value of a length-delimited field
}

func (d *decoder) message(b []byte, pos, depth int) *message {
	m := &message{d: d, b: b, pos: pos}
	if depth > d.lim.Depth {
		m.err = limitAt(pos, "messages are nested more than %d deep", d.lim.Depth)
	}
	return m
}

// next moves to the next field; it returns false at the end and at an error.
func (m *message) next() bool {
	if m.err != nil || len(m.b) == 0 {
		return false
	}
	m.at = m.pos
	num, typ, n := protowire.ConsumeTag(m.b)
	if n < 0 {
		return m.fail(errAt(m.at, "field tag: %v", parseError(n)))
	}
	m.num, m.typ = num, typ
	m.advance(n)
	m.u, m.body = 0, nil
	switch typ {
	case protowire.VarintType:
		m.u, n = protowire.ConsumeVarint(m.b)
	case protowire.Fixed32Type:
		var v uint32
		v, n = protowire.ConsumeFixed32(m.b)
		m.u = uint64(v)
	case protowire.Fixed64Type:
		m.u, n = protowire.ConsumeFixed64(m.b)
	case protowire.BytesType:
		m.body, n = protowire.ConsumeBytes(m.b)
	default:
		// A group: only unknown fields can be one, so it is skipped.
		n = protowire.ConsumeFieldValue(num, typ, m.b)
	}
	if n < 0 {
		return m.fail(errAt(m.at, "field %d: %v", num, parseError(n)))
	}
	m.advance(n)
	return true
}

func (m *message) advance(n int) { m.b, m.pos = m.b[n:], m.pos+n }

// bodyPos is the offset in the file of the current field's bytes.
func (m *message) bodyPos() int { return m.pos - len(m.body) }

func (m *message) fail(err *Error) bool {
	if m.err == nil && err != nil {
		m.err = err
	}
	return false
}

func parseError(n int) string {
	if err := protowire.ParseError(n); err != nil {
		if err.Error() == "unexpected EOF" {
			return "the file or the enclosing message ends before its value does"
		}
		return err.Error()
	}
	return "malformed"
}

func (m *message) want(typ protowire.Type, field string) bool {
	if m.err != nil {
		return false
	}
	if m.typ != typ {
		return m.fail(errAt(m.at, "%s has wire type %d, expected %d", field, m.typ, typ))
	}
	return true
}

func (m *message) bytes(field string) []byte {
	if !m.want(protowire.BytesType, field) {
		return nil
	}
	return m.body
}

// str copies a string field; it must be valid UTF-8.
func (m *message) str(field string) string {
	b := m.bytes(field)
	switch {
	case len(b) == 0:
		return ""
	case len(b) > m.d.lim.StringBytes:
		m.fail(limitAt(m.at, "%s has %d bytes; the limit is %d", field, len(b), m.d.lim.StringBytes))
		return ""
	case !utf8.Valid(b):
		m.fail(errAt(m.at, "%s is not UTF-8 text", field))
		return ""
	}
	if m.fail(m.d.charge(m.at, len(b), 1, "bytes of text")); m.err != nil {
		return ""
	}
	return string(b)
}

func (m *message) int64(field string) int64 {
	if !m.want(protowire.VarintType, field) {
		return 0
	}
	return int64(m.u)
}

func (m *message) int32(field string) int32 { return int32(m.int64(field)) }

func (m *message) float32(field string) float32 {
	if !m.want(protowire.Fixed32Type, field) {
		return 0
	}
	return math.Float32frombits(uint32(m.u))
}

// maxField is one more than the largest field number that is counted.
const maxField = 32

// counts is how often each field occurs in a message.
type counts [maxField]int

// count counts the fields of a message without looking into them. It stops at the
// first malformed field, which the decoding pass then reports.
func count(b []byte) (c counts) {
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return c
		}
		b = b[n:]
		if n = protowire.ConsumeFieldValue(num, typ, b); n < 0 {
			return c
		}
		b = b[n:]
		if num < maxField {
			c[num]++
		}
	}
	return c
}
