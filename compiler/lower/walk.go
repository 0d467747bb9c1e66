package lower

import (
	"context"
	"fmt"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Walker translates the statements and expressions of a function: it says which values are computed where, and a Generator by which instructions.
type Walker struct {
	*Builder
	Vars  map[*tir.Var]Value
	Plain bool // the function returns a result, not a status

	gen          Generator
	ctx          context.Context
	target, name string
	steps        int
	slots        map[*tir.Var]*slots
	promoted     map[*tir.Var]Value // type and mask of the sums that are kept in variables
	twice        map[*tir.IfThenElse]*maxima
	squares      *squares              // nil where maxima are not those of numbers
	picks        bool                  // lanes of vectors are picked
	joint        map[*tir.Binary]Value // what statements under way combine of lanes, where it is computed already
	near         []*rows               // what the statements under way read
	loops        []loopFrame
	loads        map[*tir.Buffer]string // what accesses are called in errors
	stores       map[*tir.Buffer]string
	bound        []tir.Expr // index, and extent, of the bound that the next assertion checks
}

// NewWalker returns a walker of an empty function. target and name are for errors; see NewBuilder for newReg and regType.
func NewWalker(ctx context.Context, target, name string, m *Machine, gen Generator, newReg func(name string, t Type) Reg, regType func(Reg) Type) *Walker {
	w := &Walker{
		Vars: map[*tir.Var]Value{}, gen: gen, ctx: ctx, target: target, name: name,
		slots: map[*tir.Var]*slots{}, promoted: map[*tir.Var]Value{}, loads: map[*tir.Buffer]string{}, stores: map[*tir.Buffer]string{},
	}
	w.Builder = NewBuilder(m, w, newReg, regType)
	return w
}

// Function translates the body of p, whose parameters are in Vars. callee reports whether a call goes to a function of the module.
func (w *Walker) Function(p *tir.PrimFunc, callee func(*tir.Call) bool) {
	w.NoAlias = p.Attrs.Bool("tir.noalias", false)
	body := unroll(p.Body, &w.memory.from)
	if w.NoAlias && w.Machine.MaxOfNumbers != nil {
		body, w.twice = numbers(body, w.native, w.Machine.Vectors, &w.memory.from)
	}
	w.Effects = Scan(body, ScanOptions{Step: w.step, Callee: callee, Quiet: w.Machine.Quiet})
	if cost := w.Effects.Cost; cost > TurnCost {
		w.gen.Poll(cost)
	}
	w.picks = w.picksLanes(body)
	w.straight(body)
}

// Error says what a function asks for that a target cannot do.
type Error struct {
	Target string
	Func   string // function
	Node   string // kind of node, with the name of its buffer or operator
	Msg    string
}

// Error names the target, the function and the node.
func (e *Error) Error() string {
	return "target " + e.Target + ": function " + e.Func + ": " + e.Reason()
}

// Reason is the error without the target and the function.
func (e *Error) Reason() string { return e.Node + ": " + e.Msg }

// Errorf is an error about what in this function.
func (w *Walker) Errorf(what, format string, args ...any) *Error {
	return &Error{Target: w.target, Func: w.name, Node: what, Msg: fmt.Sprintf(format, args...)}
}

// Fail stops the translation; Recover turns the panic into the error that it carries.
func (w *Walker) Fail(what, format string, args ...any) { panic(w.Errorf(what, format, args...)) }

// stopped is the panic that ends the translation once the context is done, whatever the cause of that is.
type stopped struct{ err error }

// step looks at the context once in a while.
func (w *Walker) step() {
	w.steps++
	if w.steps&1023 == 0 {
		if err := context.Cause(w.ctx); err != nil {
			panic(stopped{fmt.Errorf("target %s: %w", w.target, err)})
		}
	}
}

// Recover turns the panic that ended a translation into an error. It is deferred by whoever calls a Walker.
func Recover(err *error) {
	switch p := recover().(type) {
	case nil:
	case *Error:
		*err = p
	case stopped:
		*err = p.err
	default:
		panic(p)
	}
}

// ValType is the type of a scalar of type d.
func (w *Walker) ValType(d dtype.DType, what string) Type {
	t, ok := w.Machine.TypeOf(d)
	if !ok {
		w.Fail(what, "arithmetic on %s is not supported", d)
	}
	return t
}

// Scalar, Lanes and BindLet serve the Builder.

// Scalar translates a scalar expression.
func (w *Walker) Scalar(e tir.Expr) *Node { return w.Expr(e).Scalar() }

// Lanes translates a vector expression, lane by lane.
func (w *Walker) Lanes(e tir.Expr) []*Node { return w.Scalars(w.Expr(e)) }

// BindLet gives a variable its value, and nodes without a name that of the variable.
func (w *Walker) BindLet(v *tir.Var, e tir.Expr) {
	w.Bind(v, e)
	x := w.Expr(e)
	for _, p := range x.Parts {
		if p.Name == "" {
			p.Name = v.Name
		}
	}
	w.Vars[v] = x
}

// Expr translates an expression.
func (w *Walker) Expr(e tir.Expr) Value {
	w.step()
	switch e := e.(type) {
	case *tir.Var:
		if v, ok := w.Vars[e]; ok {
			return v
		}
		w.Fail(KindName(e), "the variable is not defined here")
	case *tir.IntImm:
		return One(e.Type, w.IntConst(e.Type, e.Value, KindName(e)))
	case *tir.FloatImm:
		return One(e.Type, w.FloatConst(e.Type, e.Value, KindName(e)))
	case *tir.StringImm:
		return One(dtype.HandleT, w.gen.String(e.Value))
	case *tir.Cast:
		return w.Cast(w.Expr(e.Value), e.Type, "Cast")
	case *tir.Binary:
		return w.binary(e)
	case *tir.Not:
		return w.not(w.Expr(e.A))
	case *tir.Select:
		return w.choose(e)
	case *tir.BufferLoad:
		return w.bufferLoad(e)
	case *tir.Ramp:
		return w.ramp(e)
	case *tir.Broadcast:
		return w.broadcast(e)
	case *tir.Let:
		w.BindLet(e.Var, e.Value)
		return w.Expr(e.Body)
	case *tir.Call:
		return w.call(e)
	case *tir.Shuffle:
		return w.shuffle(e)
	case *tir.Reduce, *tir.ProducerLoad:
		w.Fail(KindName(e), "belongs to tensor expressions: turn them into a function with create_prim_func first")
	default:
		panic(fmt.Sprintf("lower: unknown expression %T", e))
	}
	return Value{}
}

// ScalarExpr translates an expression that must be a scalar.
func (w *Walker) ScalarExpr(e tir.Expr, what string) *Node {
	v := w.Expr(e)
	if v.Lanes() != 1 {
		w.Fail(what, "expected a scalar, got %s", v.DType)
	}
	return v.Scalar()
}
