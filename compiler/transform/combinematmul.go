package transform

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

const ruleCombineMatmul = "combine parallel matmuls"

// CombineParallelMatmul makes one matmul of those that multiply one value by several.
var CombineParallelMatmul = &pass.Pass{
	Name: "CombineParallelMatmul", Kind: pass.Function,
	Doc: "Replaces matmuls of one value with several matrices by one matmul with the matrices beside each other, whose result is split, together with the biases and the activation (relu, gelu, gelu_tanh, silu) that all of them have.",
	Run: pass.EachRelax(BeforeInplace(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		m := c.Step().Input
		k := &combiner{c: c, mu: op.NewExprMutator(m), part: map[*relax.Var]*combined{}, ready: map[*relax.Var][]*combined{}, operand: map[*relax.Var]bool{}, waits: map[*relax.Var]bool{}}
		for _, s := range pureRuns(m, f) {
			k.plan(s)
		}
		if len(k.part) == 0 {
			return f, nil
		}
		k.mu.Binding = k.binding
		out, err := k.mu.Function(f)
		if err != nil {
			return nil, err
		}
		return simplified(c, m, out)
	})),
}

// combiner works in two steps. For each run of pure bindings it plans which results come from which combined matmul, and when that can be
// computed: as soon as its last operand is bound. A result that is bound before waits, so it joins only if nothing uses it until then.
type combiner struct {
	c     *pass.Context
	mu    *relax.ExprMutator
	part  map[*relax.Var]*combined   // by result
	ready map[*relax.Var][]*combined // by the last operand, where results wait for it
	// Operands of combined matmuls, and results that wait: none is both, so that a result waits for one operand at most.
	operand, waits map[*relax.Var]bool
}

// parallel is a matmul with what follows it.
type parallel struct {
	call       *relax.Call
	rhs        relax.Expr
	bias       relax.Expr
	activation string
	results    [3]relax.Binding // of the matmul, with the bias, and with the activation
	width      tir.Expr
	first      int // place of the first use of the result
	after      int // place of the last operand
}

// combined is several parallel matmuls as one.
type combined struct {
	list    []*parallel
	depth   int // how much of them: the matmul, with the bias, with the activation
	axis    int64
	last    int // place from which on all operands are bound
	waiting []relax.Binding
	chunks  *relax.Var
	number  map[*relax.Var]int // of results
}

// run is a list of bindings of pure values, which could be in another order.
type run struct {
	bindings []relax.Binding
	place    map[*relax.Var]int
	users    map[*relax.Var][]int
}

// pureRuns returns the dataflow blocks of f and the runs of pure bindings outside of them.
func pureRuns(m *ir.Module, f *relax.Function) []*run {
	var out []*run
	var open *run
	end := func() {
		if open != nil && len(open.bindings) > 1 {
			out = append(out, open)
		}
		open = nil
	}
	var visit func(s *relax.SeqExpr)
	visit = func(s *relax.SeqExpr) {
		for _, blk := range s.Blocks {
			end()
			for _, b := range blk.Bindings {
				branch, ok := b.BoundValue().(*relax.If)
				if ok {
					end()
					visit(branch.Then)
					visit(branch.Else)
				}
				if _, local := b.BoundValue().(*relax.Function); ok || local || !isPure(m, b.BoundValue()) {
					end()
					continue
				}
				if open == nil {
					open = &run{place: map[*relax.Var]int{}, users: map[*relax.Var][]int{}}
				}
				n := len(open.bindings)
				usedVars(b.BoundValue(), func(v *relax.Var) { open.users[v] = append(open.users[v], n) })
				open.place[b.Bound()] = n
				open.bindings = append(open.bindings, b)
			}
		}
		end()
	}
	visit(f.Body)
	return out
}

// plan finds the matmuls of a run that can be combined.
func (k *combiner) plan(s *run) {
	byLHS := map[*relax.Var][]*parallel{}
	var order []*relax.Var
	for i := range s.bindings {
		p := k.branch(s, i)
		if p == nil {
			continue
		}
		lhs := p.call.Args[0].(*relax.Var)
		if byLHS[lhs] == nil {
			order = append(order, lhs)
		}
		byLHS[lhs] = append(byLHS[lhs], p)
	}
	for _, lhs := range order {
		if len(byLHS[lhs]) < 2 {
			continue
		}
		k.group(s, byLHS[lhs])
	}
}

// activations are those that are computed together.
var activations = []string{"relax.nn.relu", "relax.nn.gelu", "relax.nn.gelu_tanh", "relax.nn.silu"}

// branch returns binding i with what follows it if it is a matmul of variables of known shape.
func (k *combiner) branch(s *run, i int) *parallel {
	call := callsOp(s.bindings[i].BoundValue(), "relax.matmul")
	if call == nil {
		return nil
	}
	lhs, ok := call.Args[0].(*relax.Var)
	t, also := relax.SInfoOf(call.Args[1]).(*relax.TensorStructInfo)
	if !ok || !also {
		return nil
	}
	dims, ok := t.Dims()
	out, known := call.SInfo.(*relax.TensorStructInfo)
	if !ok || !known || len(dims) < 2 || out.NDim < 1 || lhs.SInfo == nil {
		return nil
	}
	p := &parallel{call: call, rhs: call.Args[1], width: dims[len(dims)-1]}
	at := s.bindings[i]
	p.results[0] = at
	if add, b := s.follows(at.Bound(), "relax.add"); add != nil && add.Args[0] == relax.Expr(at.Bound()) && add.Args[1] != add.Args[0] && k.fits(add.Args[1], p) {
		p.bias, p.results[1], at = add.Args[1], b, b
	}
	for _, name := range activations {
		if call, b := s.follows(at.Bound(), name); call != nil && p.activation == "" {
			p.activation, p.results[2] = name, b
		}
	}
	return p
}

// follows returns the first call of an operator on v.
func (s *run) follows(v *relax.Var, name string) (*relax.Call, relax.Binding) {
	for _, i := range s.users[v] {
		if _, plain := s.bindings[i].(*relax.VarBinding); !plain {
			continue
		}
		if call := callsOp(s.bindings[i].BoundValue(), name); call != nil {
			return call, s.bindings[i]
		}
	}
	return nil, nil
}

// fits tells whether a bias has a value for each column of a product.
func (k *combiner) fits(bias relax.Expr, p *parallel) bool {
	t, ok := relax.SInfoOf(bias).(*relax.TensorStructInfo)
	if !ok {
		return false
	}
	dims, ok := t.Dims()
	return ok && len(dims) > 0 && k.equal(dims[len(dims)-1], p.width)
}

func (k *combiner) equal(a, b tir.Expr) bool {
	return k.mu.Builder().Context().Equal(a, b) == relax.True
}

// kind is what matmuls that are combined have in common.
type kind struct {
	rank int
	in   dtype.DType
	out  dtype.DType
}

// group combines matmuls of one value: for each rank of the matrices, if these have the same stacks.
func (k *combiner) group(s *run, list []*parallel) {
	bias, same := list[0].bias != nil, true
	for _, p := range list {
		same = same && (p.bias != nil) == (list[0].bias != nil) && p.activation == list[0].activation
		bias = bias && p.bias != nil
	}
	depth := 0
	switch {
	case same && list[0].activation != "":
		depth = 2
	case bias:
		depth = 1
	}
	kinds := map[kind][]*parallel{}
	var order []kind
	for _, p := range list {
		t := relax.SInfoOf(p.rhs).(*relax.TensorStructInfo)
		key := kind{t.NDim, t.DType, p.call.SInfo.(*relax.TensorStructInfo).DType}
		if kinds[key] == nil {
			order = append(order, key)
		}
		kinds[key] = append(kinds[key], p)
	}
	for _, key := range order {
		k.combine(s, kinds[key], depth)
	}
}

// combine plans one combined matmul. At most one of the widths may be symbolic, and comes last.
func (k *combiner) combine(s *run, list []*parallel, depth int) {
	if len(list) < 2 {
		return
	}
	declined := func(p *parallel, why string) { k.c.Declined(ruleCombineMatmul, p.call, why) }
	for _, p := range list[1:] {
		if !k.sameStack(p.rhs, list[0].rhs) {
			declined(p, "the matrices are stacked in different ways")
			return
		}
	}
	if depth > 0 && list[0].bias != nil {
		for _, p := range list[1:] {
			if !k.sameStack(p.bias, list[0].bias) {
				declined(p, "the biases have different shapes")
				depth = 0
			}
		}
	}
	dynamic := func(p *parallel) bool { _, static := tir.AsInt(p.width); return !static }
	slices.SortStableFunc(list, func(a, b *parallel) int { return boolInt(dynamic(a)) - boolInt(dynamic(b)) })
	if i := slices.IndexFunc(list, dynamic); i >= 0 {
		for _, p := range list[i+1:] {
			declined(p, "only one width can be symbolic")
		}
		list = list[:i+1]
	}
	for _, p := range list {
		k.places(s, p, depth)
	}
	last := -1
	for {
		last = -1
		for _, p := range list {
			last = max(last, p.after)
		}
		rest := slices.DeleteFunc(slices.Clone(list), func(p *parallel) bool {
			out := result(p, depth).Bound()
			switch waits := s.place[out] < last; {
			case s.place[out] == last: // the last operand of another one
				declined(p, "its result is an operand of another")
			case p.first <= last || waits && k.operand[out]:
				declined(p, "its result is used before all operands are there")
			case slices.ContainsFunc(k.operands(p, depth), func(v *relax.Var) bool { return k.waits[v] }):
				declined(p, "an operand comes from another combined matmul, and later")
			default:
				return false
			}
			return true
		})
		if len(rest) == len(list) {
			break
		}
		list = rest
	}
	if len(list) < 2 {
		return
	}
	g := &combined{list: list, depth: depth, last: last, axis: int64(list[0].call.SInfo.(*relax.TensorStructInfo).NDim - 1)}
	for _, p := range list {
		out := result(p, depth).Bound()
		k.part[out], k.waits[out] = g, s.place[out] < last
		for _, v := range k.operands(p, depth) {
			k.operand[v] = true
		}
	}
	if last >= 0 {
		v := s.bindings[last].Bound()
		k.ready[v] = append(k.ready[v], g)
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// result returns the binding that is replaced.
func result(p *parallel, depth int) relax.Binding {
	for ; depth > 0; depth-- {
		if p.results[depth] != nil {
			break
		}
	}
	return p.results[depth]
}

// places notes from which place on the operands of p are bound, and where its result is used first.
func (k *combiner) places(s *run, p *parallel, depth int) {
	p.after = -1
	for _, v := range k.operands(p, depth) {
		if i, ok := s.place[v]; ok {
			p.after = max(p.after, i)
		}
	}
	p.first = len(s.bindings)
	if users := s.users[result(p, depth).Bound()]; len(users) > 0 {
		p.first = users[0]
	}
}

// operands returns the variables that the part of p up to depth uses.
func (k *combiner) operands(p *parallel, depth int) []*relax.Var {
	var out []*relax.Var
	add := func(v *relax.Var) { out = append(out, v) }
	usedVars(p.call.Args[0], add)
	usedVars(p.rhs, add)
	if depth > 0 && p.bias != nil {
		usedVars(p.bias, add)
	}
	return out
}

// sameStack tells whether two tensors have the same extents but for the last two, or for the last of biases.
func (k *combiner) sameStack(a, b relax.Expr) bool {
	x, _ := dimsOf(relax.SInfoOf(a))
	y, _ := dimsOf(relax.SInfoOf(b))
	if len(x) != len(y) || len(x) == 0 {
		return false
	}
	for i := range len(x) - 1 {
		if !k.equal(x[i], y[i]) {
			return false
		}
	}
	return true
}

// binding puts parts of the combined matmul in the place of results.
func (k *combiner) binding(b relax.Binding) {
	g := k.part[b.Bound()]
	switch {
	case g == nil:
		k.mu.VisitBinding(b)
	case g.last >= 0:
		g.waiting = append(g.waiting, b)
		return
	default:
		k.emit(g, b)
	}
	for _, g := range k.ready[b.Bound()] {
		g.last = -1
		for _, w := range g.waiting {
			k.emit(g, w)
		}
	}
}

// emit binds a result to its part of the combined matmul.
func (k *combiner) emit(g *combined, b relax.Binding) {
	if g.chunks == nil {
		ids := make([]ir.OriginID, len(g.list))
		for i, p := range g.list {
			ids[i] = p.call.Origin
		}
		g.number = make(map[*relax.Var]int, len(g.list))
		for i, p := range g.list {
			g.number[result(p, g.depth).Bound()] = i
		}
		old := k.mu.Builder().SetOrigin(k.c.Step().Input.Origins().Merge("CombineParallelMatmul", ids...))
		g.chunks = k.mu.Emit(k.mu.VisitExpr(g.expr()), "")
		k.mu.Builder().SetOrigin(old)
	}
	to := &relax.VarBinding{Base: b.Meta(), Var: b.Bound(), Value: &relax.TupleGetItem{Tuple: g.chunks, Index: g.number[b.Bound()]}}
	k.mu.Reemit(to)
	k.c.Rewrite(ruleCombineMatmul, b, to)
}

// expr returns the combined matmul, split.
func (g *combined) expr() relax.Expr {
	var rhs, bias []relax.Expr
	for _, p := range g.list {
		rhs, bias = append(rhs, p.rhs), append(bias, p.bias)
	}
	t := relax.SInfoOf(rhs[0]).(*relax.TensorStructInfo)
	first := g.list[0]
	var out relax.Expr = op.Matmul(first.call.Args[0], op.Concat(int64(t.NDim-1), rhs...), first.call.SInfo.(*relax.TensorStructInfo).DType)
	if g.depth > 0 && bias[0] != nil {
		b := relax.SInfoOf(bias[0]).(*relax.TensorStructInfo)
		out = op.Add(out, op.Concat(int64(b.NDim-1), bias...))
	}
	if g.depth > 1 {
		out = op.Unary(first.activation[len("relax."):], out)
	}
	var at []int64
	sum := int64(0)
	for _, p := range g.list[:len(g.list)-1] {
		n, _ := tir.AsInt(p.width)
		sum += n
		at = append(at, sum)
	}
	return op.SplitAt(out, g.axis, at...)
}
