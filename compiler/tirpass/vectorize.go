package tirpass

import (
	"fmt"
	"strconv"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// VectorizeLoop turns vectorized loops into vector code.
var VectorizeLoop = &pass.Pass{
	Name: "tir.VectorizeLoop", Kind: pass.PrimFunc, Lowering: true,
	Needs:   []pass.Need{{Form: pass.FlatBuffers, Why: "vectors are contiguous in one dimension"}},
	Doc:     "Replaces vectorized loops by their bodies over vectors: the loop variable becomes a Ramp. What cannot be a vector becomes a serial loop. Where tir.enable_buffer_level_predication or the target asks for it, a bound on the loop becomes a predicate of loads and stores.",
	Options: []pass.Option{{Name: "enable_vectorize", Default: true, Doc: "false makes the loops serial"}},
	Config:  []string{"tir.disable_vectorize", keyPredication},
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		w := &loopVectorizer{Mutator: newMutator(c, c.Budget()), ctx: c, disabled: c.ConfigBool("tir.disable_vectorize") || !c.Arg("enable_vectorize").(bool), predicates: predicates(c, f), someLanes: someLanes(f.Attrs.Str(ir.AttrTarget, ""))}
		w.Stmt = w.visit
		out := f.WithBody(w.visit(f.Body))
		return out, w.err
	}),
}

// loopVectorizer vectorizes loops from the innermost to the outermost, knowing what holds
// around them.
type loopVectorizer struct {
	*arith.Mutator
	ctx        *pass.Context
	disabled   bool
	predicates bool // conditions may become predicates
	someLanes  bool // conditions of constants may
	err        error
}

func (w *loopVectorizer) visit(s tir.Stmt) tir.Stmt {
	s = w.VisitStmt(s)
	loop, ok := s.(*tir.For)
	if !ok || loop.Kind != tir.Vectorized || loop.Step != nil && !tir.IsConst(loop.Step, 1) {
		return s // a step is for CanonicalizeLoop
	}
	out, err := w.loop(loop)
	if err != nil {
		if w.err == nil {
			w.err = err
		}
		return s
	}
	name := "vectorize a loop"
	if w.disabled {
		name = "run a vectorized loop serially"
	}
	w.ctx.Rewrite(name, loop, out)
	return out
}

// maxLanes bounds the lanes of a vector; a longer loop is an error of the schedule.
const maxLanes = 1 << 10

func (w *loopVectorizer) loop(loop *tir.For) (tir.Stmt, error) {
	serial := *loop
	serial.Kind = tir.Serial
	lanes, ok := tir.AsInt(loop.Extent)
	if w.disabled {
		return &serial, nil
	}
	if !ok {
		return nil, fmt.Errorf("vectorized loop %s has the extent %v, which is not a constant: split it by a constant first", loop.LoopVar.Name, exprName(loop.Extent))
	}
	if lanes <= 0 {
		return tir.NoOp(), nil
	}
	if lanes == 1 {
		return tir.SubstStmt(loop.Body, map[*tir.Var]tir.Expr{loop.LoopVar: loop.Min}), nil
	}
	if lanes > maxLanes {
		return nil, fmt.Errorf("vectorized loop %s has %d iterations, more than %d lanes", loop.LoopVar.Name, lanes, maxLanes)
	}
	v := &vectorizer{ctx: w.ctx, predicates: w.predicates, someLanes: w.someLanes, an: w.An, at: loop.Base, loop: loop.LoopVar, lanes: int(lanes), lets: map[*tir.Var]tir.Expr{}, vecBufs: map[*tir.Var]*vecAlloc{}}
	v.ramp = &tir.Ramp{Start: loop.Min, Stride: tir.Const(loop.LoopVar.DType(), 1), Lanes: v.lanes}
	return v.stmt(loop.Body), nil
}

func exprName(e tir.Expr) string {
	if v, ok := e.(*tir.Var); ok {
		return v.Name
	}
	if n, ok := tir.AsInt(e); ok {
		return strconv.FormatInt(n, 10)
	}
	return fmt.Sprintf("of type %T", e)
}

// vectorizer maps the body of one loop. An expression that does not depend on the loop
// variable stays a scalar; others get v.lanes lanes. A statement that cannot be a vector
// becomes a serial loop of its own around it.
type vectorizer struct {
	ctx        *pass.Context
	predicates bool
	someLanes  bool
	an         *arith.Analyzer
	at         ir.Base // of the loop
	loop       *tir.Var
	lanes      int
	ramp       tir.Expr
	lets       map[*tir.Var]tir.Expr
	vecBufs    map[*tir.Var]*vecAlloc
	scalar     bool   // set where an expression cannot be a vector
	why        string // it was set last
	inLet      int    // statements around that bind a vector to a variable
	escaped    bool   // set where such a variable is used by a statement that runs lane by lane
}

// refuse notes that what is worked on cannot be a vector, and why.
func (v *vectorizer) refuse(why string) {
	v.scalar, v.why = true, why
}

func (v *vectorizer) stmt(s tir.Stmt) tir.Stmt {
	v.scalar, v.why = false, ""
	out := v.try(s)
	if v.scalar {
		v.scalar = false
		return v.serial(s)
	}
	return out
}

// serial runs s for each lane. If s uses a variable that was bound to a vector, so must the
// statement that binds it.
func (v *vectorizer) serial(s tir.Stmt) tir.Stmt {
	if v.inLet > 0 && v.usesLets(s) {
		v.escaped = true
		return s
	}
	i := tir.NewVar(v.loop.Name+"_s", v.loop.DType())
	lane := tir.Add(v.ramp.(*tir.Ramp).Start, i)
	if v.why == "" {
		v.why = "the statement has no vector form"
	}
	v.ctx.Declined("vectorize", s, v.why)
	v.why = ""
	sub := map[*tir.Var]tir.Expr{v.loop: lane}
	body := tir.SubstStmt(s, sub)
	return &tir.For{Base: v.at, LoopVar: i, Min: tir.Const(i.DType(), 0), Extent: tir.Const(i.DType(), int64(v.lanes)), Body: v.laneOf(body, i)}
}

// usesLets reports whether s uses a variable that was bound to a vector around it.
func (v *vectorizer) usesLets(s tir.Stmt) bool {
	return ir.Any(s, func(n ir.Node) bool {
		x, ok := n.(*tir.Var)
		return ok && v.lets[x] != nil
	})
}
