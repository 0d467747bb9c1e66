package starpass

import (
	"fmt"
	"reflect"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// The levels of the IR, as scripts name them.
const (
	levelRelax = "relax"
	levelTIR   = "tir"
	levelIR    = "ir"
)

// kind is a type of node as scripts know it.
type kind struct {
	level string
	name  string // TVM's name of the node
	typ   reflect.Type
	// optional are the fields that a constructor may leave out.
	optional []string
}

func kindFor[T ir.Node](level string, optional ...string) *kind {
	t := reflect.TypeFor[T]()
	return &kind{level: level, name: t.Elem().Name(), typ: t, optional: optional}
}

// kinds are the nodes that scripts can build and handle, by type.
var kinds = sync.OnceValue(func() []*kind {
	return []*kind{
		kindFor[*relax.Var](levelRelax, "dataflow"),
		kindFor[*relax.Call](levelRelax, "attrs", "sinfo_args", "sinfo"),
		kindFor[*relax.Tuple](levelRelax),
		kindFor[*relax.TupleGetItem](levelRelax, "sinfo"),
		kindFor[*relax.ShapeExpr](levelRelax),
		kindFor[*relax.Constant](levelRelax, "sharding"),
		kindFor[*relax.PrimValue](levelRelax),
		kindFor[*relax.StringImm](levelRelax),
		kindFor[*relax.DataTypeImm](levelRelax),
		kindFor[*relax.SeqExpr](levelRelax),
		kindFor[*relax.If](levelRelax, "sinfo"),
		kindFor[*relax.Function](levelRelax, "ret", "pure", "attrs"),
		kindFor[*relax.ExternFunc](levelRelax, "sinfo", "attrs"),
		kindFor[*relax.VarBinding](levelRelax),
		kindFor[*relax.MatchCast](levelRelax),
		kindFor[*relax.BindingBlock](levelRelax, "dataflow"),
		kindFor[*relax.ObjectStructInfo](levelRelax),
		kindFor[*relax.PrimStructInfo](levelRelax, "value"),
		kindFor[*relax.ShapeStructInfo](levelRelax, "values", "ndim"),
		kindFor[*relax.TensorStructInfo](levelRelax, "shape", "dtype", "vdevice", "ndim", "sharding"),
		kindFor[*relax.TupleStructInfo](levelRelax),
		kindFor[*relax.FuncStructInfo](levelRelax, "params", "opaque", "pure", "derive"),
		kindFor[*relax.VDevice](levelRelax, "id", "scope"), kindFor[*relax.DeviceMesh](levelRelax, "ranged"), kindFor[*relax.Sharding](levelRelax),
		kindFor[*tir.Var](levelTIR, "size"),
		kindFor[*tir.IntImm](levelTIR),
		kindFor[*tir.FloatImm](levelTIR),
		kindFor[*tir.StringImm](levelTIR),
		kindFor[*tir.Cast](levelTIR),
		kindFor[*tir.Not](levelTIR),
		kindFor[*tir.Select](levelTIR),
		kindFor[*tir.BufferLoad](levelTIR, "predicate"),
		kindFor[*tir.Ramp](levelTIR, "scalable"),
		kindFor[*tir.Broadcast](levelTIR, "scalable"),
		kindFor[*tir.Let](levelTIR),
		kindFor[*tir.Call](levelTIR),
		kindFor[*tir.Shuffle](levelTIR),
		kindFor[*tir.Range](levelTIR),
		kindFor[*tir.IterVar](levelTIR, "thread_tag"),
		kindFor[*tir.LetStmt](levelTIR),
		kindFor[*tir.AttrStmt](levelTIR, "node"),
		kindFor[*tir.AssertStmt](levelTIR),
		kindFor[*tir.BufferStore](levelTIR, "predicate"),
		kindFor[*tir.BufferRealize](levelTIR),
		kindFor[*tir.Allocate](levelTIR, "annotations"),
		kindFor[*tir.AllocateConst](levelTIR, "annotations"),
		kindFor[*tir.DeclBuffer](levelTIR),
		kindFor[*tir.SeqStmt](levelTIR),
		kindFor[*tir.Evaluate](levelTIR),
		kindFor[*tir.IfThenElse](levelTIR, "else"),
		kindFor[*tir.For](levelTIR, "thread", "annotations", "step"),
		kindFor[*tir.While](levelTIR),
		kindFor[*tir.Block](levelTIR, "iter_vars", "reads", "writes", "alloc_buffers", "match_buffers", "annotations", "init"),
		kindFor[*tir.BlockRealize](levelTIR),
		kindFor[*tir.Buffer](levelTIR, "strides", "elem_offset", "data_alignment", "offset_factor", "kind", "axis_separators"),
		kindFor[*tir.BufferRegion](levelTIR),
		kindFor[*tir.MatchBufferRegion](levelTIR),
		kindFor[*tir.PrimFunc](levelTIR, "buffers", "ret_type", "attrs"),
		kindFor[*ir.GlobalVar](levelIR),
	}
})

var kindOfType = sync.OnceValue(func() map[reflect.Type]*kind {
	m := map[reflect.Type]*kind{}
	for _, k := range kinds() {
		m[k.typ] = k
	}
	return m
})

// more maps the names that are no type of their own to the type that stands for them.
var more = map[string]string{"DataflowVar": "Var", "DataflowBlock": "BindingBlock", "SizeVar": "Var"}

// binaryNames are the names of the binary operators of loop-level expressions.
var binaryNames = sync.OnceValue(func() []string {
	var out []string
	for op := tir.OpAdd; op <= tir.OpOr; op++ {
		out = append(out, op.String())
	}
	return out
})

// nodeName returns TVM's name of n's type.
func nodeName(n ir.Node) string {
	switch n := n.(type) {
	case *tir.Binary:
		return n.Op.String()
	case *relax.Var:
		if n.Dataflow {
			return "DataflowVar"
		}
	case *tir.Var:
		if n.Size {
			return "SizeVar"
		}
	case *relax.BindingBlock:
		if n.Dataflow {
			return "DataflowBlock"
		}
	}
	if k := kindOfType()[reflect.TypeOf(n)]; k != nil {
		return k.name
	}
	name := ir.TypeName(n)
	return name[strings.LastIndexByte(name, '.')+1:]
}

// levelOf returns the level that n belongs to.
func levelOf(n ir.Node) string {
	if _, ok := n.(*tir.Binary); ok {
		return levelTIR
	}
	if k := kindOfType()[reflect.TypeOf(n)]; k != nil {
		return k.level
	}
	return strings.SplitN(ir.TypeName(n), ".", 2)[0]
}

// handlerNames are the names that a visitor or mutator may have handlers for: of expressions,
// statements, bindings, blocks and functions, and the definitions of variables.
var handlerNames = sync.OnceValue(func() []string {
	skip := map[string]bool{"VDevice": true, "DeviceMesh": true, "Sharding": true, "Range": true, "IterVar": true, "BufferRegion": true, "MatchBufferRegion": true}
	out := append([]string{"Expr", "VarDef", "DataflowVarDef", "PrimExpr", "Op", "Reduce", "ProducerLoad", "DataflowVar", "SizeVar", "DataflowBlock"}, binaryNames()...)
	for _, k := range kinds() {
		if !skip[k.name] && !strings.HasSuffix(k.name, "StructInfo") {
			out = append(out, k.name)
		}
	}
	sort.Strings(out)
	return slices.Compact(out)
})

// checkHandler returns an error if no node is called name; a level may stand before it.
func checkHandler(name string) error {
	plain := name
	if level, rest, ok := strings.Cut(name, "."); ok && (level == levelRelax || level == levelTIR) {
		plain = rest
	}
	if slices.Contains(handlerNames(), plain) {
		return nil
	}
	msg := fmt.Sprintf("no node is called %q", name)
	if near := nearestOf(plain, handlerNames()); near != "" {
		return fmt.Errorf("%s; did you mean %q?", msg, near)
	}
	return fmt.Errorf("%s; handlers are named after nodes: %s", msg, strings.Join(handlerNames(), ", "))
}
