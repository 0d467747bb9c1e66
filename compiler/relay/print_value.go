package relay

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"

	"github.com/x448/float16"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// typeText is the type that a struct info is, "" where Relay has none: for an object, a tensor of unknown rank or element type, and
// in the type of a parameter for one of which the rank alone is known, since ? would define an extent there.
func typeText(s relax.StructInfo, param bool) string {
	switch s := s.(type) {
	case *relax.TensorStructInfo:
		if s.DType.IsVoid() || s.NDim < 0 {
			return ""
		}
		if s.NDim == 0 {
			return s.DType.String()
		}
		shape, known := s.Dims()
		if !known && param {
			return ""
		}
		dims := make([]string, s.NDim)
		for i := range dims {
			dims[i] = "?"
			if known {
				if n, ok := tir.AsInt(shape[i]); ok {
					dims[i] = strconv.FormatInt(n, 10)
				} else if _, isVar := shape[i].(*tir.Var); !isVar && param {
					return ""
				}
			}
		}
		return "Tensor[(" + strings.Join(dims, ", ") + "), " + s.DType.String() + "]"
	case *relax.TupleStructInfo:
		parts := make([]string, len(s.Fields))
		for i, f := range s.Fields {
			if parts[i] = partText(f, param); parts[i] == "" {
				return ""
			}
		}
		if len(parts) == 1 {
			return "(" + parts[0] + ",)"
		}
		return "(" + strings.Join(parts, ", ") + ")"
	case *relax.FuncStructInfo:
		if s.Opaque {
			return ""
		}
		parts := make([]string, len(s.Params))
		for i, f := range s.Params {
			if parts[i] = partText(f, false); parts[i] == "" {
				return ""
			}
		}
		ret := partText(s.Ret, false)
		if ret == "" {
			return ""
		}
		return "fn (" + strings.Join(parts, ", ") + ") -> " + ret
	}
	return ""
}

// partText is the type of a part of another, of which nothing may be known.
func partText(s relax.StructInfo, param bool) string {
	if _, ok := s.(*relax.ObjectStructInfo); ok {
		return "_"
	}
	return typeText(s, param)
}

// scalarText is a tensor without dimensions as a literal, "" for other tensors and those of types without one.
func scalarText(d *ir.Blob) string {
	if len(d.Shape()) > 0 {
		return ""
	}
	raw, le := d.Elem(0), binary.LittleEndian
	switch d.DType() {
	case dtype.BoolT:
		if raw[0] != 0 {
			return "True"
		}
		return "False"
	case dtype.Int32T:
		return strconv.Itoa(int(int32(le.Uint32(raw))))
	case dtype.Int64T:
		return strconv.FormatInt(int64(le.Uint64(raw)), 10) + "i64"
	case dtype.MustParse("int16"):
		return strconv.Itoa(int(int16(le.Uint16(raw)))) + "i16"
	case dtype.Float32T:
		x := float64(math.Float32frombits(le.Uint32(raw)))
		switch {
		case math.IsInf(x, 1):
			return "inff"
		case math.IsInf(x, -1):
			return "-inff"
		case math.IsNaN(x):
			return ""
		}
		return strconv.FormatFloat(x, 'g', -1, 32) + "f"
	case dtype.Float64T:
		return finite(math.Float64frombits(le.Uint64(raw)), "f64")
	case dtype.Float16T:
		return finite(float64(float16.Frombits(le.Uint16(raw)).Float32()), "f16")
	}
	return ""
}

func finite(x float64, suffix string) string {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64) + suffix
}

// isPairs reports whether the list of an attribute is one of pairs.
func isPairs(name string) bool { return name == "pad_width" || name == "paddings" || name == "crops" }

// attrText prints the value of an attribute.
func (p *printer) attrText(name string, v ir.Value) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		if v {
			return "True"
		}
		return "False"
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(v, 'g', -1, 64), "+")) + "f"
		}
		return strconv.FormatFloat(v, 'g', -1, 64) + "f"
	case string:
		if strings.HasPrefix(v, "meta[") {
			return v
		}
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(v) + `"`
	case dtype.DType:
		if v.IsVoid() {
			return `""`
		}
		return `"` + v.String() + `"`
	case []ir.Value:
		parts := make([]string, len(v))
		for i, x := range v {
			parts[i] = p.attrText("", x)
		}
		if isPairs(name) && len(parts)%2 == 0 {
			for i := range len(parts) / 2 {
				parts[i] = "[" + parts[2*i] + ", " + parts[2*i+1] + "]"
			}
			parts = parts[:len(parts)/2]
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	p.fail("attribute %s is a %T, which Relay's text cannot say", name, v)
	return ""
}
