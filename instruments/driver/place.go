package driver

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/patch"
	"github.com/irscope/irscope/instruments/bisect"
	"github.com/irscope/irscope/instruments/request"
)

// place writes down the shortest pipeline as settings have it: an edit of the IR is no step of its own, but stands behind the one that is left before it.
func (j *Job) place(f *bisect.Finding) {
	after := patch.Import
	for i, p := range f.Pipeline {
		k := slices.IndexFunc(j.Settings.Patches, func(x request.Patch) bool { return patch.Prefix+x.After == p.Name })
		if k < 0 {
			f.Steps = append(f.Steps, request.Step{Name: p.Name, Options: bisect.OptionsOf(p)})
			after = p.Name
			if n := countOf(f.Steps, p.Name); n > 1 {
				after += "#" + strconv.Itoa(n-1)
			}
		} else {
			edit := j.Settings.Patches[k]
			edit.After = after
			f.Patches = append(f.Patches, edit)
		}
		switch {
		case i != f.At:
		case k < 0:
			f.Path = fmt.Sprintf("1.%d/%s", len(f.Steps), p.Name)
		default:
			f.Path = fmt.Sprintf("1.%de/%s%s", len(f.Steps), patch.Prefix, after)
		}
	}
	if in := f.Inside; in != nil {
		was, _, _ := strings.Cut(f.Step, "/")
		is, _, _ := strings.Cut(f.Path, "/")
		in.Path = is + strings.TrimPrefix(in.Step, was)
	}
}

func countOf(steps []request.Step, name string) (n int) {
	for _, s := range steps {
		if s.Name == name {
			n++
		}
	}
	return n
}
