package patch

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/script"
)

// Prefix stands before the step in the name of the pass that applies a patch.
const Prefix = "edit."

// Import is the After of a patch of the module as it was imported.
const Import = "import"

// Code is that of the diagnostics about patches.
const Code = "edit"

// Patch replaces functions of the module behind one step of a pipeline.
type Patch struct {
	// After names the step: "FuseOps", or "FuseOps#1" for the second step of that name in the
	// order of the pipeline. "import" is before the first.
	After string
	// Text holds the functions that were edited or added, as TVMScript without a class. It
	// may refer to the functions, devices and constants of the module.
	Text string
	// Removed names functions that are taken out.
	Removed []string
	// Before holds the hashes of the edited functions as they were when they were edited, ""
	// for those that were added. It may lack functions; what is known of them is then not
	// compared.
	Before map[string]string
}

// Name returns the name of the pass that applies the patch.
func (p *Patch) Name() string { return Prefix + p.After }

// Same tells whether two patches say the same.
func (p *Patch) Same(q *Patch) bool {
	return p.After == q.After && p.Text == q.Text && slices.Equal(p.Removed, q.Removed) && maps.Equal(p.Before, q.Before)
}

// Hash returns the hash of a function as it prints: that of its text in events.
func Hash(name string, fn ir.Function) string {
	sum := sha256.Sum256([]byte(printed(name, fn)))
	return hex.EncodeToString(sum[:20])
}

func printed(name string, fn ir.Function) string {
	return script.Function(name, fn, script.Options{}).Source
}

// MissingStepError says that a pipeline lacks the step of a patch.
type MissingStepError struct {
	After string
	// Steps is the number of steps of that name that there are.
	Steps int
}

// Error says which step is missing.
func (e *MissingStepError) Error() string {
	name, _, _ := strings.Cut(e.After, "#")
	if e.Steps > 0 {
		return fmt.Sprintf("the pipeline has no step %s: %s is in it %d times, and #0 is the first", e.After, name, e.Steps)
	}
	return fmt.Sprintf("the pipeline has no step %s", e.After)
}

// Insert puts a pass behind the step that After names and returns the pipeline with it; the
// steps of the pipeline keep their places. A missing step is a *MissingStepError.
func Insert(pl *pass.Pass, after string, p *pass.Pass) (*pass.Pass, error) {
	aside := *p
	aside.Aside = true
	if pl.Kind != pass.Sequential {
		pl = pass.NewSequential(pl.Name, pl)
	}
	if after == Import {
		return with(pl, 0, &aside), nil
	}
	name, number, counted := strings.Cut(after, "#")
	k := 0
	if counted {
		var err error
		if k, err = strconv.Atoi(number); err != nil || k < 0 || strconv.Itoa(k) != number {
			return nil, fmt.Errorf("%.80q is not a step: expected the name of a pass, and # with a number from 0 if it is not the first of that name", after)
		}
	}
	in := inserter{name: name, left: k, pass: &aside}
	out := in.sequence(pl)
	if !in.done {
		return nil, &MissingStepError{After: after, Steps: k - in.left}
	}
	return out, nil
}

// inserter looks for a step in the order in which plans list steps.
type inserter struct {
	name string
	left int // steps of the name before the one that is wanted
	pass *pass.Pass
	done bool
}

// sequence returns a sequence with the pass in it, or the sequence itself.
func (in *inserter) sequence(p *pass.Pass) *pass.Pass {
	if in.found(p) { // the pipeline as a whole: behind all that it holds
		return with(p, len(p.Children), in.pass)
	}
	return in.inside(p)
}

func (in *inserter) inside(p *pass.Pass) *pass.Pass {
	for i, c := range p.Children {
		if c.Aside && strings.HasPrefix(c.Name, Prefix) {
			continue
		}
		if in.found(c) {
			return with(p, i+1, in.pass)
		}
		if d := in.inside(c); d != c {
			out := *p
			out.Children = slices.Clone(p.Children)
			out.Children[i] = d
			return &out
		}
	}
	return p
}

func (in *inserter) found(p *pass.Pass) bool {
	if in.done || p.Name != in.name {
		return false
	}
	in.left--
	in.done = in.left < 0
	return in.done
}

// with returns a sequence with another child at i.
func with(p *pass.Pass, i int, child *pass.Pass) *pass.Pass {
	out := *p
	out.Children = slices.Insert(slices.Clone(p.Children), i, child)
	return &out
}
