package fromir

import (
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Texts are cut at these lengths in bytes, so that a graph stays in proportion to the IR.
const (
	maxLabel  = 200
	maxDetail = 2000
	maxFields = 4 // of a tuple
)

// cut shortens s to about limit bytes.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}

// info writes struct info in short, e.g. "(1, 64, n) f32"; "" for a value that holds nothing.
func info(s relax.StructInfo) string {
	switch s := s.(type) {
	case nil:
		return ""
	case *relax.TensorStructInfo:
		shape := "(?)"
		if d, ok := s.Dims(); ok {
			shape = dims(d)
		} else if s.NDim >= 0 {
			shape = "(" + strings.TrimSuffix(strings.Repeat("?, ", min(s.NDim, 16)), ", ") + ")"
		}
		if s.DType.IsVoid() {
			return shape
		}
		return shape + " " + short(s.DType)
	case *relax.ShapeStructInfo:
		if s.Values == nil && s.NDim != 0 {
			return "shape"
		}
		return "shape " + dims(s.Values)
	case *relax.PrimStructInfo:
		if s.Value != nil {
			return short(s.DType) + " " + scalar(s.Value)
		}
		return short(s.DType)
	case *relax.TupleStructInfo:
		if len(s.Fields) == 0 {
			return ""
		}
		var parts []string
		for i, f := range s.Fields {
			if i == maxFields {
				parts = append(parts, "+"+strconv.Itoa(len(s.Fields)-i))
				break
			}
			parts = append(parts, info(f))
		}
		return "[" + strings.Join(parts, "; ") + "]"
	case *relax.FuncStructInfo:
		return "function"
	}
	return "object"
}

func dims(list []tir.Expr) string {
	parts := make([]string, 0, len(list))
	for i, e := range list {
		if i == 16 {
			parts = append(parts, "+"+strconv.Itoa(len(list)-i))
			break
		}
		parts = append(parts, scalar(e))
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// scalar writes a scalar expression.
func scalar(e tir.Expr) string {
	switch e := e.(type) {
	case nil:
		return "?"
	case *tir.IntImm:
		return strconv.FormatInt(e.Value, 10)
	case *tir.Var:
		return e.Name
	}
	return cut(script.Node(e, script.Options{IntDType: e.DType()}), maxLabel)
}

var shortNames = strings.NewReplacer("bfloat", "bf", "float", "f", "uint", "u", "int", "i")

// short writes an element type as f32, i64, u8, bf16, bool.
func short(d dtype.DType) string { return shortNames.Replace(d.String()) }

// constant writes a constant: the value of a scalar, else "const (16, 3) f32".
func constant(c *relax.Constant) string {
	shape := c.Data.Shape()
	if len(shape) == 0 {
		s := strings.TrimPrefix(script.Node(c, script.Options{}), "R.const(")
		if i := strings.LastIndex(s, ","); i > 0 {
			if s = s[:i]; c.Data.DType() != dtype.Float64T {
				s = single(s)
			}
			return s
		}
	}
	return "const " + dims(relax.Ints(shape)) + " " + short(c.Data.DType())
}

// single writes a number with a point in as few digits as name the same float32, where it is one; others stay.
func single(text string) string {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !strings.ContainsAny(text, ".e") || float64(float32(v)) != v {
		return text
	}
	if text = strconv.FormatFloat(v, 'g', -1, 32); !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

// value writes the value of an attribute.
func value(v ir.Value) string {
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
		return strconv.FormatFloat(v, 'g', -1, 64)
	case string:
		return strconv.Quote(v)
	case dtype.DType:
		return v.String()
	case []ir.Value:
		parts := make([]string, len(v))
		for i, x := range v {
			parts[i] = value(x)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case *ir.Attrs:
		return "{" + attrs(v, ": ", ", ") + "}"
	case ir.Node:
		return script.Node(v, script.Options{})
	}
	return "?"
}

func attrs(a *ir.Attrs, is, sep string) string {
	var b strings.Builder
	for i := range a.Len() {
		if i > 0 {
			b.WriteString(sep)
		}
		k, v := a.At(i)
		b.WriteString(k + is + value(v))
	}
	return b.String()
}
