package parse

import (
	"fmt"
	"strconv"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// describe names a value in an error.
func describe(v any) string {
	switch x := v.(type) {
	case nil:
		return "None"
	case bool:
		return map[bool]string{true: "True", false: "False"}[x]
	case int64:
		return strconv.FormatInt(x, 10)
	case uint64:
		return strconv.FormatUint(x, 10)
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	case string:
		return strconv.Quote(x)
	case *list:
		if x.tuple {
			return fmt.Sprintf("a tuple of %d values", len(x.items))
		}
		return fmt.Sprintf("a list of %d values", len(x.items))
	case *dict:
		return "a dictionary"
	case namespace:
		return x.path
	case *tir.Buffer:
		return "the buffer " + x.Name
	case *tir.Var:
		return "the variable " + x.Name
	case *relax.Var:
		return "the variable " + x.Name
	case *tir.BufferRegion:
		return "a region of a buffer"
	case tir.Expr:
		return "an expression of type " + x.DType().String()
	case relax.StructInfo:
		return "struct info"
	case *ir.GlobalVar:
		return "the function " + x.Name
	case relax.Expr:
		return "a graph-level value"
	case moduleRef:
		return "the module"
	case tensorField:
		return "the " + x.name + " of a tensor"
	case *frame:
		return "a statement"
	case method:
		return "the method " + x.sig.name
	case fresh:
		return "a new variable"
	case metaVar:
		return describe(x.v)
	case device:
		return "a device"
	case *macro:
		return "the macro " + x.s.Name
	case *matchCast:
		return "R.match_cast(...)"
	case constantRef:
		return "a constant"
	case *tir.IterVar:
		return "the variable " + x.Var.Name
	case *tir.Range:
		return "a range"
	case dtype.DType:
		return "the element type " + x.String()
	}
	return fmt.Sprintf("%T", v)
}
