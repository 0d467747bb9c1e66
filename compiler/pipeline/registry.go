package pipeline

import (
	"slices"

	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tirpass"
)

// others are the passes that the default pipeline does not hold.
var others = []*pass.Pass{tirpass.ForceNarrowIndexToInt32}

// aliases are other spellings of pass names on input: API names and newer ones.
var aliases = map[string]string{
	"DecomposeOpsForInference": "DecomposeOps",
	"VMBuiltinLower":           "LowerRuntimeBuiltin",
}

// Registry finds passes by name, by alias, and loop passes also without their prefix.
type Registry struct{ byName map[string]*pass.Pass }

// All returns all passes, each once: those of the default pipeline in its order, what
// sequences among them hold, and the others. The phases of the pipeline are none.
func All() []*pass.Pass {
	var out []*pass.Pass
	var add func(list []*pass.Pass)
	add = func(list []*pass.Pass) {
		for _, p := range list {
			if pipelines[p.Name] == nil && !slices.Contains(out, p) {
				out = append(out, p)
			}
			add(p.Children)
		}
	}
	add(pipelines["default"].Children)
	add(others)
	return out
}

// NewRegistry returns the registry of all passes.
func NewRegistry() *Registry {
	r := &Registry{byName: map[string]*pass.Pass{}}
	for _, p := range All() {
		r.byName[p.Name] = p
	}
	return r
}

// Lookup returns the pass of that name or alias, nil if there is none.
func (r *Registry) Lookup(name string) *pass.Pass { return r.byName[Canonical(name)] }

// Canonical returns the name that a pass given by name or alias has.
func Canonical(name string) string {
	if to, ok := aliases[name]; ok {
		return to
	}
	for _, prefix := range []string{"tirx.", "s_tir."} {
		if len(name) > len(prefix) && name[:len(prefix)] == prefix {
			name = "tir." + name[len(prefix):]
		}
	}
	if name == "tir.StmtSimplify" {
		return "tir.Simplify"
	}
	for _, p := range All() {
		if p.Name == "tir."+name {
			return p.Name
		}
	}
	return name
}

// Nearest returns the name of a pass that is spelled most like name, "" if none is close.
func (r *Registry) Nearest(name string) string {
	best, bestDist := "", len(name)/3+2
	for n := range r.byName {
		d := distance(name, n)
		if t := len(n) - 4; t > 0 && n[:4] == "tir." {
			d = min(d, distance(name, n[4:]))
		}
		if d < bestDist || d == bestDist && best != "" && n < best {
			best, bestDist = n, d
		}
	}
	return best
}

// distance is the Levenshtein distance without regard to case.
func distance(a, b string) int {
	prev := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := range len(a) {
		cur := make([]int, len(b)+1)
		cur[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i]|0x20 == b[j]|0x20 {
				cost = 0
			}
			cur[j+1] = min(prev[j]+cost, prev[j+1]+1, cur[j]+1)
		}
		prev = cur
	}
	return prev[len(b)]
}
