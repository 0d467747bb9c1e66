package relay

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// number reads a literal: 1 is int32 (int64 where it does not fit), 1i64, 1.5f is float32, 1.5f16, 1.5f64.
func (p *parser) number(negative bool) *ir.Blob {
	span, text := p.here(), p.tok.text
	p.advance()
	v, dt, ok := literal(text, negative)
	if !ok {
		p.fail(span, "%s is not a number of Relay: expected one such as 1, 2i64, 0.5f or 1e-05f64", text)
	}
	return scalar(dt, v)
}

func (p *parser) boolean() *ir.Blob {
	v := p.tok.text == "True"
	p.advance()
	return scalar(dtype.BoolT, v)
}

// literal reads the digits and the suffix of a number; the value is an int64 or a float64.
func literal(text string, negative bool) (v any, dt dtype.DType, ok bool) {
	i := strings.IndexAny(text, "fiu")
	if text == "inff" || text == "nanf" {
		i = 3
	}
	digits, suffix := text, ""
	if i >= 0 {
		digits, suffix = text[:i], text[i:]
	}
	sign := ""
	if negative {
		sign = "-"
	}
	switch suffix {
	case "f", "i":
		suffix += "32"
	}
	if suffix == "" && strings.ContainsAny(digits, ".eE") {
		suffix = "f32"
	}
	if strings.HasPrefix(suffix, "f") {
		dt, err := dtype.Parse("float" + suffix[1:])
		x, err2 := strconv.ParseFloat(sign+digits, 64)
		named := digits == "inf" || digits == "nan"
		return x, dt, err == nil && err2 == nil && dt.IsFloat() && dt.Lanes == 1 && dt.Bits >= 16 && (named || fits(x, dt))
	}
	switch suffix {
	case "":
		x, err := strconv.ParseInt(sign+digits, 10, 64)
		if x != int64(int32(x)) {
			return x, dtype.Int64T, err == nil
		}
		return x, dtype.Int32T, err == nil
	case "i8", "i16", "i32", "i64", "u8", "u16", "u32":
		name := "int"
		if suffix[0] == 'u' {
			name = "uint"
		}
		bits, _ := strconv.Atoi(suffix[1:])
		x, err := strconv.ParseInt(sign+digits, 10, 64)
		if err != nil || suffix[0] == 'i' && bits < 64 && (x < -1<<(bits-1) || x >= 1<<(bits-1)) || suffix[0] == 'u' && (x < 0 || x >= 1<<bits) {
			return nil, dt, false
		}
		return x, dtype.MustParse(name + suffix[1:]), true
	}
	return nil, dt, false
}

// fits reports whether a number is one of a floating-point type, if need be rounded.
func fits(x float64, dt dtype.DType) bool {
	switch dt.Bits {
	case 16:
		return math.Abs(x) <= 65504
	case 32:
		return !math.IsInf(float64(float32(x)), 0)
	}
	return true
}

// scalar returns a tensor without dimensions.
func scalar(dt dtype.DType, v any) *ir.Blob {
	var data []byte
	switch v := v.(type) {
	case bool:
		data = []byte{0}
		if v {
			data[0] = 1
		}
	case int64:
		data = binary.LittleEndian.AppendUint64(nil, uint64(v))[:dt.Bytes()]
	case float64:
		data, _ = ir.EncodeFloat(dt, v)
	}
	b, err := ir.NewBlob(dt, nil, data)
	if err != nil {
		panic("relay: " + err.Error())
	}
	return b
}

// metaRef reads meta[relay.Constant][0].
func (p *parser) metaRef() (table string, index int) {
	span := p.here()
	p.advance()
	p.expect("[")
	table = p.dotted()
	p.expect("]")
	p.expect("[")
	t := p.kind(tNumber, "a number")
	p.expect("]")
	n, err := strconv.Atoi(t.text)
	if err != nil || n < 0 || n > 1<<30 {
		p.fail(span, "%s is not the number of an entry", t.text)
	}
	return table, n
}

// metaText is how a reference to a table is kept as the value of an attribute.
func metaText(table string, index int) string {
	return "meta[" + table + "][" + strconv.Itoa(index) + "]"
}

// attrValue reads the value of an attribute: a number, a bool, a string, None, a reference or a list of values.
func (p *parser) attrValue() ir.Value {
	defer p.enter()()
	span, t := p.here(), p.tok
	negative := p.take("-")
	switch {
	case p.tok.kind == tNumber || p.is("inff") || p.is("nanf"):
		text := p.tok.text
		p.advance()
		v, _, ok := literal(text, negative)
		if !ok {
			p.fail(span, "%s is not a number", text)
		}
		return v
	case negative:
	case t.kind == tString:
		p.advance()
		return t.text
	case p.is("True"), p.is("False"):
		p.advance()
		return t.text == "True"
	case p.is("None"), p.is("nullptr"):
		p.advance()
		return nil
	case p.is("meta"):
		return metaText(p.metaRef())
	case p.is("("), p.is("["):
		p.advance()
		end := map[string]string{"(": ")", "[": "]"}[t.text]
		list := []ir.Value{}
		for !p.take(end) {
			list = append(list, p.attrValue())
			if !p.take(",") && !p.is(end) {
				p.fail(p.here(), "expected , or %s, found %s", end, p.tok)
			}
		}
		return list
	}
	p.fail(span, "expected the value of an attribute, found %s", t)
	return nil
}

// typ reads a type. An extent ? is a symbolic variable where it may be defined, in the type of a parameter; elsewhere
// only the rank of its tensor is kept.
func (p *parser) typ(defines bool) relax.StructInfo {
	defer p.enter()()
	span, t := p.here(), p.tok
	switch {
	case p.is("("):
		p.advance()
		out := &relax.TupleStructInfo{}
		for !p.take(")") {
			out.Fields = append(out.Fields, known(p.typ(defines)))
			if !p.take(",") && !p.is(")") {
				p.fail(p.here(), "expected , or ), found %s", p.tok)
			}
		}
		return out
	case p.is("fn"):
		p.advance()
		out := &relax.FuncStructInfo{Pure: true}
		p.expect("(")
		for !p.take(")") {
			out.Params = append(out.Params, known(p.typ(false)))
			if !p.take(",") && !p.is(")") {
				p.fail(p.here(), "expected , or ), found %s", p.tok)
			}
		}
		p.expect("-")
		p.expect(">")
		out.Ret = known(p.typ(false))
		return out
	case p.is("_"):
		p.advance()
		return nil
	case p.is("Tensor"):
		p.advance()
		return p.tensorType(defines)
	case t.kind == tWord:
		p.advance()
		switch {
		case p.known[t.text]:
			return relax.Object()
		case t.text == "Storage": // what memory.alloc_storage returns
			if p.take("[") {
				p.expect("]")
			}
			return relax.Object()
		case t.text == "ref":
			p.fail(span, "references have no counterpart in this IR")
		}
		return relax.TensorOf(p.elementType(span, t.text))
	}
	p.fail(span, "expected a type, found %s", t)
	return nil
}

func known(s relax.StructInfo) relax.StructInfo {
	if s == nil {
		return relax.Object()
	}
	return s
}

// elementType reads float32, int8x4; a type without a width has 32 bits.
func (p *parser) elementType(span *ir.Span, name string) dtype.DType {
	switch name {
	case "int", "uint", "float":
		name += "32"
	}
	d, err := dtype.Parse(name)
	if err != nil {
		p.fail(span, "%s is not a type: expected Tensor[(...), float32], a tuple, fn or an element type; algebraic data types have no counterpart in this IR", name)
	}
	return d
}

func (p *parser) tensorType(defines bool) relax.StructInfo {
	p.expect("[")
	p.expect("(")
	dims, open := []tir.Expr{}, false
	for !p.take(")") {
		span := p.here()
		switch {
		case p.take("?"):
			open = true
			dims = append(dims, tir.NewVar("any", dtype.Int64T))
		case p.tok.kind == tNumber:
			n, _, ok := literal(p.tok.text, false)
			v, isInt := n.(int64)
			if !ok || !isInt {
				p.fail(span, "%s is not an extent", p.tok.text)
			}
			p.advance()
			dims = append(dims, tir.Int(v))
		default:
			p.fail(span, "expected an extent, found %s", p.tok)
		}
		if !p.take(",") && !p.is(")") {
			p.fail(p.here(), "expected , or ), found %s", p.tok)
		}
	}
	p.expect(",")
	span := p.here()
	dt := p.elementType(span, p.kind(tWord, "an element type").text)
	p.expect("]")
	if _, ok := relax.StaticInts(dims); ok {
		if _, err := ir.CheckedElements(staticDims(dims)); err != nil {
			p.fail(span, "%s", err)
		}
	}
	if open && !defines {
		return relax.TensorOfRank(dt, len(dims))
	}
	return relax.TensorOf(dt, dims...)
}

func staticDims(dims []tir.Expr) []int64 { out, _ := relax.StaticInts(dims); return out }
