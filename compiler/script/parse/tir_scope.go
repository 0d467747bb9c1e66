package parse

import (
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// scopeRows are the statements and scopes of PrimFuncs, but for blocks and loops.
var scopeRows = []row{
	{"T.func_attr(attrs: attrs)", func(c *call) any {
		c.tf.attrs = c.funcAttrs(c.tf.attrs, ir.OlderName)
		return done
	}},
	{"T.Return(value: expr)", func(c *call) any {
		v := c.exprAt(0)
		return &frame{stmt: &tir.Evaluate{Base: c.base(), Value: &tir.Call{Base: c.base(), Type: v.DType(), Op: tir.OpRet, Args: []tir.Expr{v}}}}
	}},
	{"T.evaluate(value: expr)", func(c *call) any {
		return &frame{stmt: &tir.Evaluate{Base: c.base(), Value: c.exprAt(0)}}
	}},
	{"T.buffer_store(buffer: buffer, value: value, indices: exprs, predicate: expr = None)", func(c *call) any {
		return c.store(argument[*tir.Buffer](c, 0), 2, 1, 3)
	}},
	{"T.attr(node: value, attr_key: str, value: expr)", (*call).attrStmt},
	{"T.launch_thread(thread: value, extent: expr)", (*call).launchThread},
	{"T.allocate(extents: exprs, dtype: dtype, scope: str = 'global', condition: expr = None, annotations: attrs = None)", func(c *call) any {
		s := &tir.Allocate{Base: c.base(), Type: c.typeAt(1), Extents: c.exprsAt(0), Condition: c.conditionAt(3), Annotations: c.notesAt(4)}
		s.Var = &tir.Var{Base: s.Base, Type: &ir.PointerType{Elem: &ir.PrimType{DType: s.Type}, Scope: c.scopeAt(2)}}
		return &frame{def: fresh{s.Var}, wrap: func(body tir.Stmt) tir.Stmt { s.Body = body; return s }}
	}},
	{"T.allocate_const(data: node, dtype: dtype, extents: exprs, annotations: attrs = None)", (*call).allocateConst},
	{"T.realize(buffer_slice: region, storage_scope: str = '', condition: expr = None)", func(c *call) any {
		r, scope := argument[*tir.BufferRegion](c, 0), c.strAt(1)
		s := &tir.BufferRealize{Base: c.base(), Buffer: r.Buffer, Bounds: r.Region, Condition: c.conditionAt(2)}
		return &frame{wrap: func(body tir.Stmt) tir.Stmt {
			s.Body = body
			if scope != "" && scope != r.Buffer.Scope() {
				return &tir.AttrStmt{Base: s.Base, Node: r.Buffer, Key: "realize_scope", Value: &tir.StringImm{Value: scope}, Body: s}
			}
			return s
		}}
	}},
	{"T.Assert(condition: expr, message: expr)", func(c *call) any {
		base, cond, msg := c.base(), c.exprAt(0), c.exprAt(1)
		return &frame{wrap: func(body tir.Stmt) tir.Stmt { return &tir.AssertStmt{Base: base, Cond: cond, Message: msg, Body: body} }}
	}},
	{"T.LetStmt|T.let|T.Bind|T.bind(value: node, type_annotation: node = None, var: node = None)", (*call).letStmt},
}

// refusedRows are constructs of TVM that are known, and are no part of texts.
var refusedRows = []row{
	{"T.While|T.If|T.Then|T.Else|R.If|R.Then|R.Else(*args: node, **)", refuse("write the statement in Python's form")},
	{"R.emit_te(*args: node, **)", refuse("write the function that it makes as @T.prim_func and call it with R.call_tir")},
	{"R.rewriter(*args: node, **)", refuse("a pattern rewriter is not a module: read the pattern and the replacement on their own")},
	{"R.SeqExpr|R.emit_var_binding|R.func_name|R.arg(*args: node, **)", refuse("")},
}

// refuse builds nothing but an error.
func refuse(help string) func(*call) any {
	return func(c *call) any {
		c.fail(c.n, help, "%s cannot be read from text", c.sig.name)
		return nil
	}
}

// store builds a store to a buffer; the numbers are those of arguments.
func (c *call) store(buf *tir.Buffer, indices, value, predicate int) *frame {
	s := &tir.BufferStore{Base: c.base(), Buffer: buf, Indices: c.exprsAt(indices), Predicate: c.exprAt(predicate)}
	s.Value = c.exprOf(c.vals[value], buf.DType, c.at[value])
	c.checkRank(buf, len(s.Indices), c.n)
	return &frame{stmt: s}
}

func (c *call) attrStmt() any {
	s := &tir.AttrStmt{Base: c.base(), Key: c.strAt(1), Value: placeholder(c.strAt(1), c.exprAt(2))}
	if env := c.envThread(c.vals[0]); env != nil && env.Dom == nil && s.Key == threadKey(env.ThreadTag) { // T.launch_thread written out
		s.Node = c.threadOf(env, s.Value)
		return &frame{wrap: func(body tir.Stmt) tir.Stmt { s.Body = body; return s }}
	}
	if x := c.vals[0]; x != nil && x != int64(0) && !isZero(x) {
		s.Node = c.attrNode(x)
	}
	return &frame{wrap: func(body tir.Stmt) tir.Stmt { s.Body = body; return s }}
}

// attrNode is the node for x, to which an attribute is attached.
func (c *call) attrNode(x any) ir.Node {
	switch x := x.(type) {
	case fresh:
		return x.v
	case ir.Node:
		return x
	case int64:
		return &tir.IntImm{Base: c.span(c.at[0]), Type: c.intType, Value: x}
	case string:
		return &tir.StringImm{Base: c.span(c.at[0]), Value: x}
	case *dict:
		return &tir.StringImm{Base: c.span(c.at[0]), Value: dictText(x)}
	case *list:
		out := &tir.Array{Base: c.span(c.at[0]), Items: make([]ir.Node, len(x.items))}
		for i, item := range x.items {
			out.Items[i] = c.attrNode(item)
		}
		return out
	}
	c.fail(c.at[0], "it is a buffer, a variable, a string, an integer, or a list of these", "an attribute cannot be attached to %s", describe(x))
	return nil
}

// isZero reports whether x is the number 0, which says in text that an attribute is attached to nothing.
func isZero(x any) bool {
	e, ok := x.(*tir.IntImm)
	return ok && e.Value == 0
}

// threadOf is a thread of T.env_thread with its extent.
func (c *call) threadOf(env *tir.IterVar, ext tir.Expr) *tir.IterVar {
	iv := &tir.IterVar{Base: c.base(), Kind: tir.ThreadIndex, ThreadTag: env.ThreadTag, Var: env.Var, Dom: &tir.Range{Min: tir.Const(ext.DType(), 0), Extent: ext}}
	c.tf.loops[iv.Var] = iv.Dom
	return iv
}

func (c *call) launchThread() any {
	ext := c.exprAt(1)
	env := c.envThread(c.vals[0])
	switch x := c.vals[0].(type) {
	case string:
		env = &tir.IterVar{ThreadTag: x, Var: c.newVar(ext.DType(), "", false)}
	case fresh, *tir.IterVar:
		if env == nil {
			c.fail(c.at[0], "", "expected a thread, got a variable")
		}
	default:
		c.fail(c.at[0], `it is a name such as "threadIdx.x", or a variable of T.env_thread`, "expected a thread, got %s", describe(x))
	}
	iv := c.threadOf(env, ext)
	s := &tir.AttrStmt{Base: iv.Base, Node: iv, Key: threadKey(iv.ThreadTag), Value: ext}
	return &frame{def: fresh{iv.Var}, wrap: func(body tir.Stmt) tir.Stmt { s.Body = body; return s }}
}

// envThread returns the thread that x, of T.env_thread, is; nil if it is none.
func (c *call) envThread(x any) *tir.IterVar {
	switch x := x.(type) {
	case *tir.IterVar:
		if x.ThreadTag != "" {
			return x
		}
	case fresh:
		if c.tf != nil {
			return c.tf.threads[x.v]
		}
	}
	return nil
}

// threadKey is the key of the attribute that gives a thread its extent.
func threadKey(tag string) string {
	if tag == "vthread" || strings.HasPrefix(tag, "vthread.") {
		return "virtual_thread"
	}
	return "thread_extent"
}

func (c *call) allocateConst() any {
	s := &tir.AllocateConst{Base: c.base(), Type: c.typeAt(1), Extents: c.exprsAt(2), Annotations: c.notesAt(3)}
	shape := make([]int64, len(s.Extents))
	for i, e := range s.Extents {
		v, ok := tir.AsInt(e)
		if !ok {
			c.fail(c.at[2], "", "the extents of a constant must be numbers")
		}
		shape[i] = v
	}
	if key, ok := c.metadataKey(c.at[0]); ok {
		s.Data = c.blob(key, s.Type, shape, c.at[0])
	} else {
		data, _, err := denseData(c.eval(c.at[0]), s.Type)
		if err == nil {
			s.Data, err = ir.NewBlob(s.Type, shape, data)
		}
		if err != nil {
			c.fail(c.at[0], "", "%v", err)
		}
	}
	s.Var = &tir.Var{Base: s.Base, Type: &ir.PointerType{Elem: &ir.PrimType{DType: s.Type}}}
	return &frame{def: fresh{s.Var}, wrap: func(body tir.Stmt) tir.Stmt { s.Body = body; return s }}
}

// letStmt builds T.LetStmt, whose variable may be given, and be new.
func (c *call) letStmt() any {
	value, ann := c.nodeAt(0), c.nodeAt(1)
	var v *tir.Var
	if n := c.nodeAt(2); n != nil {
		v, _ = c.newOrKnown(n, func() dtype.DType { return c.expr(value).DType() })
	}
	switch {
	case v != nil:
	case ann != nil:
		v = &tir.Var{Base: c.base(), Type: c.typeOf(ann), Size: c.isSize(ann)}
	default:
		v = c.newVar(c.expr(value).DType(), "", false)
	}
	s := &tir.LetStmt{Base: c.base(), Var: v, Value: c.exprOf(c.eval(value), v.DType(), value)}
	return &frame{def: v, wrap: func(body tir.Stmt) tir.Stmt { s.Body = body; return s }}
}

// newOrKnown returns the variable that n names or evaluates to; a name that is not known is one of a
// new variable of the given type. The value is that of n where it is no variable.
func (b *builder) newOrKnown(n *syntax.Node, typ func() dtype.DType) (*tir.Var, any) {
	if n.Kind == syntax.Name {
		if _, known := b.env.lookup(n.Text); !known {
			b.env.define(n.Text, b.variable(n, typ()))
		}
	}
	switch x := b.eval(n).(type) {
	case *tir.Var:
		return x, x
	case fresh:
		return x.v, x
	default:
		return nil, x
	}
}

// variable returns a variable with the name that n is.
func (b *builder) variable(n *syntax.Node, d dtype.DType) *tir.Var {
	return b.nodes.variable(b.span(n), n.Text, d, false)
}
