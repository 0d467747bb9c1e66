package interp

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// unit compiles a function with all that it calls.
type unit struct {
	opts  *Options
	funcs map[string]*function
	sites []site // of checked accesses
}

// function is a compiled PrimFunc.
type function struct {
	name   string
	fn     *tir.PrimFunc
	nInt   int
	nFloat int
	nView  int
	nVec   int
	params []slot
	match  stmtFn // binds and checks the extents of argument buffers
	body   stmtFn
}

// slot is where a variable lives.
type slot struct {
	n       int
	float   bool
	lanes   int
	dtype   dtype.DType
	pointer pointer
}

// compiler translates one function.
type compiler struct {
	unit     *unit
	fn       *function
	slots    map[*tir.Var]slot
	data     map[*tir.Var]bool // pointers that buffers read through
	loops    map[*tir.Var]*tir.For
	textures map[*tir.Var][]tir.Expr // by their pointers: layers, rows, pixels of a row, channels
	block    string                  // name of the enclosing block, for errors
	update   *tir.SeqStmt            // what runs with no other thread in between

	at      tir.Stmt // what is compiled, for errors
	kernel  *kernel  // nil outside of kernels
	axes    []axis   // of the launches around
	owned   []*tir.Var
	tags    map[*tir.Var]string // of variables that stand for threads
	reducer *tir.CommReducer
}

func (u *unit) compile(name string, fn *tir.PrimFunc) *function {
	f := &function{name: name, fn: fn}
	u.funcs[name] = f
	c := &compiler{unit: u, fn: f, slots: map[*tir.Var]slot{}, data: map[*tir.Var]bool{}, loops: map[*tir.Var]*tir.For{}, tags: map[*tir.Var]string{}, textures: map[*tir.Var][]tir.Expr{}}
	c.findData(fn)
	for _, p := range fn.Params {
		f.params = append(f.params, c.define(p))
	}
	for _, b := range fn.Buffers {
		if b != nil {
			c.noteTexture(b)
		}
	}
	f.match = c.matchParams()
	f.body = c.stmt(tir.InitEmptyReductions(fn.Body))
	return f
}

func (c *compiler) fail(format string, args ...any) {
	where := c.fn.name
	if c.block != "" {
		where += ": block " + c.block
	}
	panic(&failure{fn: where, msg: fmt.Sprintf(format, args...)})
}

// findData notes the data pointers of all buffers of the function.
func (c *compiler) findData(fn *tir.PrimFunc) {
	note := func(b *tir.Buffer) {
		if b != nil {
			c.data[b.Data] = true
		}
	}
	for _, b := range fn.Buffers {
		note(b)
	}
	seen := map[tir.Expr]bool{}
	ir.Walk(fn.Body, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.Buffer:
			note(n)
		case tir.Expr:
			if seen[n] {
				return false
			}
			seen[n] = true
			if call, ok := n.(*tir.Call); ok {
				for _, v := range moved(call) {
					c.data[v] = true
				}
			}
		}
		return true
	})
}

// define gives v a slot. Defining a variable again, as two branches may, keeps its slot.
func (c *compiler) define(v *tir.Var) slot {
	if s, ok := c.slots[v]; ok {
		return s
	}
	d := v.DType()
	s := slot{lanes: max(1, int(d.Lanes)), dtype: d, float: d.IsFloat()}
	if s.float {
		s.n = c.fn.nFloat
		c.fn.nFloat += s.lanes
	} else {
		s.n = c.fn.nInt
		c.fn.nInt += s.lanes
	}
	s.pointer = pointer{s.n, -1}
	if c.data[v] {
		s.pointer.view = c.fn.nView
		c.fn.nView++
	}
	c.slots[v] = s
	return s
}

// lookup returns the slot of a variable in use.
func (c *compiler) lookup(v *tir.Var) slot {
	s, ok := c.slots[v]
	if !ok {
		c.fail("variable %s is used but not defined here", v.Name)
	}
	return s
}

// call returns the compiled function of that name, compiling it at its first use.
func (c *compiler) call(name string) *function {
	if f, ok := c.unit.funcs[name]; ok {
		return f
	}
	if c.unit.opts.Lookup == nil {
		c.fail("calls function %s of the module, but the interpreter was given no module (Options.Lookup)", name)
	}
	fn := c.unit.opts.Lookup(name)
	if fn == nil {
		c.fail("calls function %s, which the module does not have", name)
	}
	return c.unit.compile(name, fn)
}

// assign stores the value of e in slot s when the result runs.
func (c *compiler) assign(s slot, e tir.Expr) func(*frame) {
	v := c.expr(e)
	n := s.n
	switch {
	case s.float && s.lanes == 1:
		return func(fr *frame) { fr.f[n] = v.f(fr) }
	case s.float:
		return func(fr *frame) {
			save := fr.lane
			for k := range s.lanes {
				fr.lane = k
				fr.f[n+k] = v.f(fr)
			}
			fr.lane = save
		}
	case s.dtype.IsHandle():
		return func(fr *frame) { fr.bind(s.pointer, v.i(fr)) }
	case s.lanes == 1:
		return func(fr *frame) { fr.i[n] = v.i(fr) }
	}
	return func(fr *frame) {
		save := fr.lane
		for k := range s.lanes {
			fr.lane = k
			fr.i[n+k] = v.i(fr)
		}
		fr.lane = save
	}
}
