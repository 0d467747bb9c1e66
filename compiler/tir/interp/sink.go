package interp

import "github.com/irscope/irscope/compiler/tir"

// inThreads puts allocations that are between the launches of one kernel into the innermost of those launches: memory of a kernel that is
// no shared memory belongs to each thread, wherever in the kernel it is allocated, and a thread is there only inside of all launches.
func inThreads(s tir.Stmt) tir.Stmt {
	a, ok := s.(*tir.AttrStmt)
	if !ok || a.BoundThread() == nil {
		return s
	}
	var between []tir.Stmt
	body := a.Body
	for {
		switch x := body.(type) {
		case *tir.Allocate:
			between, body = append(between, x), x.Body
			continue
		case *tir.DeclBuffer:
			between, body = append(between, x), x.Body
			continue
		}
		break
	}
	next, ok := body.(*tir.AttrStmt)
	if !ok || next.BoundThread() == nil {
		return s
	}
	inner := next.Body
	for i := len(between) - 1; i >= 0; i-- {
		switch x := between[i].(type) {
		case *tir.Allocate:
			inner = x.WithBody(inner)
		case *tir.DeclBuffer:
			inner = x.WithBody(inner)
		}
	}
	return a.WithBody(inThreads(next.WithBody(inner)))
}
