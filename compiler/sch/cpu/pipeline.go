package cpu

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
)

// chunkTurns is how many turns of a pipeline a thread takes at a time, where there are as many, and leastChunkTurns the least: in front of each chunk, and behind it, some stages run by themselves.
const chunkTurns, leastChunkTurns = 16, 8

// rowStep is a statement in the loop over rows.
type rowStep struct {
	loop   *sch.Loop // over the row, nil where it is none
	blocks []*tir.Block
	stage  int64
	known  bool // the stage is
	behind bool // it follows from what the loop of its stage computes
}

// pipeline has the loop over rows run its passes as stages: while one computes on a row, the one before computes on the next row, and the one behind it on the row before. tir.InjectSoftwarePipeline
// writes that; the loops of all stages over a row become one there. (B. R. Rau, "Iterative Modulo Scheduling", 1994, has the terms; TVM pipelines copies and products on GPUs by it.)
func (r *rules) pipeline() error {
	if !r.pipelines() {
		return nil
	}
	rows, err := r.rowLoop()
	if err != nil || rows == nil {
		return err
	}
	steps, err := r.rowSteps(rows)
	if err != nil {
		return err
	}
	if steps, err = r.joinSteps(rows, steps); err != nil {
		return err
	}
	turns, _ := tir.AsInt(r.extent(rows))
	stages := stagesOf(steps)
	if stages < 2 || turns < 2*stages || !r.alike(steps, stages) || !r.independent(rows) {
		return nil
	}
	at := steps[0].blocks[0].Body
	if rows, err = r.chunkRows(rows, turns); err != nil || rows == nil {
		return err
	}
	stage, order := make([]ir.Value, len(steps)), make([]ir.Value, len(steps))
	for i, place := range placesOf(steps) {
		stage[i], order[i] = tir.Int32(steps[i].stage), tir.Int32(int64(place))
	}
	for _, a := range []struct {
		key string
		v   ir.Value
	}{{"software_pipeline_stage", stage}, {"software_pipeline_order", order}, {"software_pipeline_merge", tir.Bool(true)}} {
		if err := r.act("Annotate", rows, a.key, a.v); err != nil {
			return err
		}
	}
	r.piped = true
	r.applied(rulePipeline, at)
	if r.watch != nil {
		r.watch.Took(rulePipeline, at, fmt.Sprintf("the %d passes over a row are stages: while one computes, others read and write rows beside it; %s of each are in the %s of the first cache",
			stages, bytes(float64(r.staged.row*r.staged.size)), bytes(float64(r.machine.L1))))
	}
	return nil
}

// rowLoop is the loop over rows that all the function consists of, nil where there is none.
func (r *rules) rowLoop() (*sch.Loop, error) {
	l, ok := r.root().Body.(*tir.For)
	if !ok || l.Kind != tir.Serial && l.Kind != tir.Parallel {
		return nil, nil
	}
	if _, several := l.Body.(*tir.SeqStmt); !several {
		return nil, nil
	}
	blocks, err := r.blocksBy("GetChildBlocks", r.top)
	if err != nil {
		return nil, err
	}
	loops, err := r.loops(blocks[0])
	if err != nil {
		return nil, err
	}
	return loops[0], nil
}

// rowSteps are the statements in the loop over rows.
func (r *rules) rowSteps(rows *sch.Loop) ([]*rowStep, error) {
	loops := map[*tir.For]*sch.Loop{}
	blocks, err := r.blocksBy("GetChildBlocks", rows)
	if err != nil {
		return nil, err
	}
	for _, b := range blocks {
		list, err := r.loops(b)
		if err != nil {
			return nil, err
		}
		if len(list) > 1 {
			loops[r.loop(list[1])] = list[1]
		}
	}
	var out []*rowStep
	for _, x := range r.loop(rows).Body.(*tir.SeqStmt).Seq {
		s := &rowStep{blocks: leavesOf(x)}
		if l, ok := x.(*tir.For); ok && l.Kind == tir.Serial {
			s.loop = loops[l]
		}
		out = append(out, s)
	}
	return out, nil
}

// inPlace keeps what the last pass over rows makes its results of where these will be: fewer rows are then in the first cache.
func (r *rules) inPlace() error {
	if !r.pipelines() {
		return nil
	}
	rows, err := r.rowLoop()
	if err != nil || rows == nil {
		return err
	}
	blocks, err := r.blocksBy("GetChildBlocks", rows)
	if err != nil {
		return err
	}
	last := blocks[len(blocks)-1]
	for i, x := range r.at(last).Reads {
		if n, _ := volumes(r.at(last)); n == r.staged.rows*r.staged.row && r.allocates(x.Buffer) && r.act("StoreInPlace", last, int64(i)) == nil {
			return nil
		}
	}
	return nil
}

// joinSteps merges loops over a row of which one reads what the other has just written there, as the sum of a softmax does.
func (r *rules) joinSteps(rows *sch.Loop, steps []*rowStep) ([]*rowStep, error) {
	for i := 0; i < len(steps); i++ {
		a := steps[i]
		k := slices.IndexFunc(steps[i+1:], func(b *rowStep) bool { return b.loop != nil })
		if a.loop == nil || k < 0 || !depends(steps[i+1+k], a) {
			continue
		}
		if r.act("Merge", []*sch.Loop{a.loop, steps[i+1+k].loop}) != nil { // other extents, or something between them
			continue
		}
		var err error
		if steps, err = r.rowSteps(rows); err != nil {
			return nil, err
		}
		i-- // the next loop may follow, too
	}
	return steps, nil
}

// depends reports whether a step must come behind another.
func depends(b, a *rowStep) bool {
	touches := func(x, y *tir.Block) bool {
		for _, w := range x.Writes {
			for _, list := range [][]*tir.BufferRegion{y.Reads, y.Writes} {
				if slices.ContainsFunc(list, func(z *tir.BufferRegion) bool { return z.Buffer == w.Buffer }) {
					return true
				}
			}
		}
		return false
	}
	for _, x := range a.blocks {
		for _, y := range b.blocks {
			if touches(x, y) || touches(y, x) {
				return true
			}
		}
	}
	return false
}

// stagesOf sets the stages of steps, and returns how many there are. A loop over a row that needs what another computed begins a stage; what needs no loop belongs to the stage of what it follows from,
// or to that which needs it.
func stagesOf(steps []*rowStep) int64 {
	n := int64(0)
	for i, b := range steps {
		var first []*rowStep // steps whose stages are those of what needs them
		for _, a := range steps[:i] {
			if !depends(b, a) {
				continue
			}
			if !a.known {
				first = append(first, a)
				continue
			}
			stage := a.stage
			if b.loop != nil && (a.loop != nil || a.behind) {
				stage++
			}
			b.stage, b.known = max(b.stage, stage), true
			b.behind = b.behind || b.loop == nil && (a.loop != nil || a.behind)
		}
		b.known = b.known || b.loop != nil
		for _, a := range first {
			if b.known {
				a.stage, a.known = b.stage, true
			}
		}
		n = max(n, b.stage+1)
	}
	return n
}

// alike reports whether each stage has one loop over a row, all of as many turns, and all steps belong to one.
func (r *rules) alike(steps []*rowStep, stages int64) bool {
	loops := make([]int64, stages)
	for _, s := range steps {
		if !s.known {
			return false
		}
		if s.loop == nil {
			continue
		}
		if loops[s.stage]++; !tir.IsConst(r.extent(s.loop), r.staged.row/r.staged.lanes) {
			return false
		}
	}
	return !slices.ContainsFunc(loops, func(n int64) bool { return n != 1 })
}

// independent reports whether the turns of a loop over rows are the rows of results: those of merged nests have nothing to do with each other then (sch.Merge looks).
func (r *rules) independent(rows *sch.Loop) bool {
	v, ok := r.loop(rows).LoopVar, true
	ir.Walk(r.loop(rows).Body, func(n ir.Node) bool {
		if x, is := n.(*tir.BlockRealize); is {
			for k, iv := range x.Block.IterVars {
				ok = ok && (iv.Kind == tir.DataPar || !uses(x.Values[k], v))
			}
		}
		_, expr := n.(tir.Expr)
		return ok && !expr
	})
	return ok
}

// placesOf is the order of steps in a turn: first what loops need, then the loops, of which one comes from all stages, then what follows from them.
func placesOf(steps []*rowStep) []int {
	phase := func(s *rowStep) int {
		switch {
		case s.loop != nil:
			return 1
		case s.behind:
			return 2
		}
		return 0
	}
	by := make([]int, len(steps))
	for i := range by {
		by[i] = i
	}
	slices.SortStableFunc(by, func(a, b int) int {
		return cmp.Or(phase(steps[a])-phase(steps[b]), int(steps[a].stage-steps[b].stage))
	})
	places := make([]int, len(steps))
	for place, i := range by {
		places[i] = place
	}
	return places
}

// chunkRows takes the rows that threads share in chunks, each of which is a pipeline. It returns the loop over a chunk, or over all rows where nothing is shared; nil if there are too few rows for
// chunks.
func (r *rules) chunkRows(rows *sch.Loop, turns int64) (*sch.Loop, error) {
	if r.loop(rows).Kind != tir.Parallel {
		return rows, nil
	}
	chunk := int64(0)
	for c := turns / (2 * r.machine.Threads); c >= leastChunkTurns; c-- { // so many that each thread has two
		if turns%c == 0 && (chunk == 0 || c >= chunkTurns) {
			chunk = c
		}
	}
	if chunk == 0 {
		return nil, nil
	}
	two, err := r.split(rows, chunk)
	if err != nil {
		return nil, err
	}
	return two[1], nil
}
