package parse

import (
	"sort"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// loopFunc is a PrimFunc under construction.
type loopFunc struct {
	fn       *tir.PrimFunc
	attrs    *ir.Attrs
	allocs   []*tir.Buffer // of the implicit root block
	cur      *stmtList
	frame    int          // mark of the innermost scope
	blocks   []*blockHead // that are open, innermost last
	loops    map[*tir.Var]*tir.Range
	threads  map[*tir.Var]*tir.IterVar // of T.env_thread
	byData   map[*tir.Var]*tir.Buffer
	declared map[*tir.Var]bool // by a statement such as i = T.int32(), and not bound since
	blocked  bool              // there is a block
	newer    bool              // see newerText
	pending  []*blockHead      // outermost blocks whose regions are not filled in yet
}

// typeNote returns the type that the printer noted under name above a function.
func (b *builder) typeNote(s *syntax.Stmt, name string, usual dtype.DType) dtype.DType {
	end := s.Top
	for i := b.firstComment(s.Top) - 1; i >= 0; i-- {
		c := &b.comments[i]
		line := c.At + int32(strings.IndexByte(b.src[c.At:], '\n'))
		if strings.TrimSpace(b.src[line:end]) != "" {
			break
		}
		end = c.At
		if rest, ok := strings.CutPrefix(c.Text, name+":"); ok {
			if d, err := dtype.Parse(strings.TrimSpace(rest)); err == nil {
				return d
			}
		}
	}
	return usual
}

// rootComment returns the name of the root block that the printer noted in the body of s.
func (b *builder) rootComment(s *syntax.Stmt) (string, bool) {
	if len(s.Body) == 0 {
		return "", false
	}
	_, col := b.d.Position(s.Body[0].At)
	for i := b.firstComment(s.End); i < len(b.comments) && b.comments[i].At < s.Last; i++ {
		c := &b.comments[i]
		if _, at := b.d.Position(c.At); at != col || !strings.HasPrefix(c.Text, "with ") {
			continue
		}
		name := c.Text[strings.IndexByte(c.Text, '(')+1:]
		if i := strings.LastIndexByte(name, ')'); i >= 0 {
			name = strings.TrimSpace(name[:i])
		}
		if len(name) >= 2 {
			return syntax.Unescape(name[1 : len(name)-1]), true
		}
	}
	return "", false
}

// firstComment returns the number of the first comment from an offset on.
func (b *builder) firstComment(at int32) int {
	return sort.Search(len(b.comments), func(i int) bool { return b.comments[i].At >= at })
}

// primFunc builds a PrimFunc.
func (b *builder) primFunc(s *syntax.Stmt) *tir.PrimFunc {
	mark := b.env.mark()
	defer func(tf *loopFunc, types [3]dtype.DType, g bool) {
		b.env.release(mark)
		b.tf, b.graph = tf, g
		b.intType, b.floatType, b.bufferType = types[0], types[1], types[2]
	}(b.tf, [3]dtype.DType{b.intType, b.floatType, b.bufferType}, b.graph)
	b.graph = false
	if d := b.typeNote(s, "int_dtype", dtype.Int32T); d.IsInt() {
		b.intType = d
	}
	if d := b.typeNote(s, "float_dtype", dtype.Float32T); d.IsFloat() {
		b.floatType = d
	}
	b.bufferType = b.typeNote(s, "buffer_dtype", dtype.Float32T)
	f := &tir.PrimFunc{Base: b.stmtBase(s), RetType: ir.VoidType()}
	b.tf = &loopFunc{
		fn: f, loops: map[*tir.Var]*tir.Range{}, threads: map[*tir.Var]*tir.IterVar{}, byData: map[*tir.Var]*tir.Buffer{},
		declared: map[*tir.Var]bool{}, newer: b.newerText(s),
	}
	b.sizeParams(s, dtype.Int32T)
	for i := range s.Params {
		b.guard(s, func() { b.primParam(&s.Params[i]) })
	}
	if s.Ann != nil {
		b.guard(s, func() { f.RetType = b.typeOf(s.Ann) })
	}
	body := b.tirBody(s.Body)
	f.Body = b.rooted(s, body)
	b.gather(f)
	attrs := b.tf.attrs
	b.checkPrivate(s, attrs)
	if !b.private(s) && !attrs.Has(ir.AttrGlobalSymbol) {
		attrs = attrs.With(ir.AttrGlobalSymbol, s.Name)
	}
	f.Attrs = attrs
	return f
}

// private reports whether the decorator of a function says private=True.
func (b *builder) private(s *syntax.Stmt) bool { return b.roleFlag(s, "private", false) }

// checkPrivate reports a private function with a symbol.
func (b *builder) checkPrivate(s *syntax.Stmt, attrs *ir.Attrs) {
	if b.private(s) && attrs.Has(ir.AttrGlobalSymbol) {
		b.d.Add(s.At, s.End, s.Name+" is private, but has the attribute global_symbol", "leave out one of them")
	}
}

// roleFlag returns a flag of the decorator of a function, def where it is not given.
func (b *builder) roleFlag(s *syntax.Stmt, name string, def bool) bool {
	if s.RoleCall == nil {
		return def
	}
	for _, kw := range s.RoleCall.Keywords() {
		if kw.Name == name {
			return b.src[kw.Value.At:kw.Value.End] == "True"
		}
	}
	return def
}

// primParam adds a parameter to the function. What fails stands for nothing, so that its uses are not
// reported as well.
func (b *builder) primParam(p *syntax.Param) {
	base, f := b.input(p), b.tf.fn
	defer func(n int) {
		if len(f.Params) == n {
			b.env.define(p.Name, poison{})
		}
	}(len(f.Params))
	if p.Ann == nil {
		b.failAt(p.At, p.End, `write a buffer such as T.Buffer((16,), "float32"), T.handle, or a scalar type such as T.int32`, "parameter %s has no annotation", p.Name)
	}
	buf := b.bufferAnnotation(p.Ann)
	v := newOf(&b.nodes.vars, tir.Var{Base: base, Name: p.Name})
	if buf == nil {
		v.Type = b.typeOf(p.Ann)
		b.env.define(p.Name, v)
	} else {
		buf.Name, buf.Data.Name, buf.Base = p.Name, p.Name, base
		v.Name, v.Type = p.Name+"_handle", newOf(&b.nodes.types, ir.PrimType{DType: dtype.HandleT})
		b.tf.byData[buf.Data] = buf
		b.env.define(p.Name, buf)
	}
	f.Params = append(f.Params, v)
	f.Buffers = append(f.Buffers, buf)
}

// bufferAnnotation returns the buffer that an annotation describes, nil if it describes none.
func (b *builder) bufferAnnotation(n *syntax.Node) *tir.Buffer {
	if n.Kind != syntax.Call && n.Kind != syntax.Index {
		return nil
	}
	if path, ok := b.path(n.Kids[0]); !ok || path != "T.Buffer" && path != "T.buffer" {
		return nil
	}
	buf, _ := b.eval(n).(*tir.Buffer)
	return buf
}

// typeOf evaluates a type annotation.
func (b *builder) typeOf(n *syntax.Node) ir.Type {
	switch n.Kind {
	case syntax.Const:
		if n.Text == "None" {
			return ir.VoidType()
		}
	case syntax.Index:
		if path, ok := b.path(n.Kids[0]); ok && path == "T.let" {
			return b.typeOf(n.Kids[1])
		}
	case syntax.String:
		if d, err := dtype.Parse(n.Text); err == nil {
			return &ir.PrimType{Base: b.span(n), DType: d}
		}
	}
	switch v := b.eval(n).(type) {
	case namespace:
		if d, ok := dtypeName(strings.TrimPrefix(v.path, "T.")); ok {
			return &ir.PrimType{Base: b.span(n), DType: d}
		}
		if d, ok := map[string]dtype.DType{"int": dtype.Int32T, "float": dtype.Float32T, "bool": dtype.BoolT}[v.path]; ok {
			return &ir.PrimType{DType: d}
		}
		if v.path == "T.void" {
			return ir.VoidType()
		}
		if strings.HasPrefix(v.path, "T.") {
			b.fail(n, did(v.path, typeNames, "", typeHelp), "unknown type %s", v.path)
		}
	case ir.Type:
		return v
	case fresh:
		return v.v.Type
	case *tir.Var:
		return v.Type
	case nil:
		return ir.VoidType()
	}
	b.fail(n, typeHelp, "expected a type")
	return nil
}

const typeHelp = "types are T.int32, T.float32, T.handle and the like"

// typeNames are types for hints.
var typeNames = strings.Fields("T.int32 T.int64 T.float32 T.float16 T.bool T.handle T.Buffer T.uint8 T.int8")

// rooted completes the body of a function: what is allocated outside of blocks, and blocks
// that stand side by side or have iteration variables, get a root block around them.
func (b *builder) rooted(s *syntax.Stmt, body tir.Stmt) tir.Stmt {
	name, noted := b.rootComment(s)
	realize, single := body.(*tir.BlockRealize)
	insert := noted || len(b.tf.allocs) > 0
	switch {
	case insert:
	case single:
		insert = len(realize.Block.IterVars) > 0
	default:
		insert = b.tf.blocked
	}
	if !insert {
		return body
	}
	for _, h := range b.tf.pending {
		b.complete(h)
	}
	if !noted {
		name = "root"
	}
	base := b.stmtBase(s)
	return &tir.BlockRealize{Base: base, Predicate: tir.Bool(true), Block: &tir.Block{
		Base: base, Name: name, AllocBuffers: b.tf.allocs, Body: body,
	}}
}
