package tirpass

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// RemapThreadAxis makes kernels use other axes of the threads.
var RemapThreadAxis = &pass.Pass{
	Name: "tir.RemapThreadAxis", Kind: pass.PrimFunc,
	Doc: "Makes lowered kernels use other axes of the threads, e.g. threadIdx.y where they used threadIdx.x, also in the parameters of their launch.",
	Options: []pass.Option{{
		Name: "thread_map", Default: ir.NewAttrs(),
		Doc: `the axis that takes the place of another: {"threadIdx.x": "threadIdx.y", "threadIdx.y": "threadIdx.x"}`,
	}},
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		r := &threadRemap{c: c, to: map[string]string{}, from: map[string]string{}}
		if err := r.read(c.Arg("thread_map").(*ir.Attrs)); err != nil {
			return nil, fmt.Errorf("option thread_map: %w", err)
		}
		r.m.Stmt = r.stmt
		body := r.stmt(f.Body)
		if r.err != nil {
			return nil, r.err
		}
		return r.launch(f).WithBody(body), nil
	}),
}

// threadRemap keeps the variables of threads: those of an axis stand for the other axis from then on.
type threadRemap struct {
	c    *pass.Context
	m    tir.Mapper
	to   map[string]string // the axes that are replaced
	from map[string]string // which axes of the kernel around became which
	in   int               // how many attributes of threads are around
	err  error
}

func (r *threadRemap) read(given *ir.Attrs) error {
	for i := range given.Len() {
		tag, v := given.At(i)
		to, ok := v.(string)
		if !ok || to == "" || tag == "" {
			return fmt.Errorf("%s: expected the name of an axis, such as threadIdx.y, got %v", tag, v)
		}
		for _, x := range []string{tag, to} {
			if !slices.Contains(threadAxes, x) {
				return fmt.Errorf("%s is no axis of threads: they are %v", x, threadAxes)
			}
		}
		r.to[tag] = to
	}
	return nil
}

// threadAxes are the axes of blocks and of their threads.
var threadAxes = []string{"blockIdx.x", "blockIdx.y", "blockIdx.z", "threadIdx.x", "threadIdx.y", "threadIdx.z"}

func (r *threadRemap) stmt(s tir.Stmt) tir.Stmt {
	switch s := s.(type) {
	case *tir.AttrStmt:
		iv := s.BoundThread()
		if iv == nil || s.Key != tir.KeyThreadExtent {
			break
		}
		if r.in == 0 {
			clear(r.from)
		}
		to := r.axis(iv.ThreadTag)
		r.in++
		body := r.stmt(s.Body)
		if r.in--; to == iv.ThreadTag {
			return s.WithBody(body)
		}
		now := *iv
		now.ThreadTag = to
		out := s.WithNode(&now).WithBody(body)
		r.c.Rewrite("use another axis of the threads", s, out)
		return out
	case *tir.For:
		if s.Thread != nil && r.to[s.Thread.ThreadTag] != "" {
			r.c.Declined("use another axis of the threads", s, "it is a loop that is bound to threads, not lowered yet")
		}
	}
	return r.m.MapStmt(s)
}

// axis returns the axis that takes the place of tag. Two axes of a kernel must not become one.
func (r *threadRemap) axis(tag string) string {
	to := tag
	if other, ok := r.to[tag]; ok {
		to = other
	}
	if old, ok := r.from[to]; ok && old != tag && r.err == nil {
		r.err = fmt.Errorf("option thread_map: both %s and %s would be %s: map the other one as well", old, tag, to)
	}
	r.from[to] = tag
	return to
}

// launch returns f with other axes among the parameters of its launch.
func (r *threadRemap) launch(f *tir.PrimFunc) *tir.PrimFunc {
	v, _ := f.Attrs.Get(attrLaunchParams)
	list, ok := v.([]ir.Value)
	if !ok {
		return f
	}
	out, changed := slices.Clone(list), false
	for i, x := range list {
		if tag, ok := x.(string); ok && r.to[tag] != "" && r.to[tag] != tag {
			out[i], changed = r.to[tag], true
		}
	}
	if !changed {
		return f
	}
	return f.WithFuncAttrs(f.Attrs.With(attrLaunchParams, out)).(*tir.PrimFunc)
}
