package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/runtime/artifact"
	"github.com/irscope/irscope/runtime/tensor"
)

// specialized is what a report says about code for the sizes of one execution.
type specialized struct {
	Sizes   map[string]int64 `json:"sizes"`
	Compile time.Duration    `json:"compile_ns,omitempty"`
	Error   string           `json:"error,omitempty"`
}

// specialize returns the program to run on inputs: where their sizes settle symbolic dimensions, one that is compiled for these.
// Where that fails, and with edits or scripts of users, which are written for the module with its symbols, it is the
// program for all sizes.
func (c *compiled) specialize(ctx context.Context, w io.Writer, cf *compileFlags, ins []*tensor.Tensor) (*artifact.Artifact, error) {
	sizes, err := c.Artifact.Function(entry).Sizes(ins)
	if err != nil || len(sizes) == 0 || len(cf.patches)+len(cf.programs) > 0 {
		return c.Artifact, err
	}
	c.rep.Specialized = &specialized{Sizes: sizes}
	start := time.Now()
	res, err := compiler.Specialize(ctx, c.req, entry, sizes)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		list = append(list, fmt.Sprintf("%s=%d", name, sizes[name]))
	}
	if err != nil {
		c.rep.Specialized.Error = err.Error()
		fmt.Fprintf(w, "not compiled for %s, the code for all sizes runs: %v\n", strings.Join(list, ", "), err)
		return c.Artifact, nil
	}
	c.rep.Specialized.Compile = time.Since(start)
	fmt.Fprintf(w, "compiled again for %s in %s (--specialize=false runs the code for all sizes)\n", strings.Join(list, ", "), short(c.rep.Specialized.Compile))
	return res.Artifact, nil
}
