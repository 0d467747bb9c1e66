package bisect

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/patch"
	"github.com/irscope/irscope/compiler/script"
)

// Notation writes passes as --passes and pipeline.Parse read them, with their options.
func Notation(list []*pass.Pass) string {
	out := make([]string, len(list))
	for i, p := range list {
		out[i] = p.Name
		if set := OptionsOf(p); len(set) > 0 {
			data, err := json.Marshal(set)
			if err != nil {
				panic(fmt.Sprintf("bisect: options of a pass do not print: %v", err)) // they came from JSON, or could have
			}
			out[i] += string(data)
		}
	}
	return strings.Join(out, ",")
}

// hashOption is the option of passes of users that holds the hash of their script: nobody sets it.
const hashOption = "source"

func passesOf(steps []step) []*pass.Pass {
	out := make([]*pass.Pass, len(steps))
	for i, s := range steps {
		out[i] = s.pass
	}
	return out
}

// OptionsOf returns the options of a pass that are set, as JSON has them; nil for none, and for an edit of the IR, which nobody can give as options.
func OptionsOf(p *pass.Pass) map[string]any {
	if strings.HasPrefix(p.Name, patch.Prefix) {
		return nil
	}
	args := p.Args
	if p.Foreign {
		args = args.Without(hashOption)
	}
	if args.Len() == 0 {
		return nil
	}
	return plain(args).(map[string]any)
}

// plain returns a value of an option as encoding/json takes it.
func plain(v ir.Value) any {
	switch v := v.(type) {
	case nil, bool, int64, float64, string:
		return v
	case []ir.Value:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = plain(x)
		}
		return out
	case *ir.Attrs:
		out := map[string]any{}
		for i := range v.Len() {
			key, x := v.At(i)
			out[key] = plain(x)
		}
		return out
	}
	return fmt.Sprint(v)
}

// text prints a module, for patterns and reports.
func text(m *ir.Module) string { return script.Module(m, script.Options{}).Source }

// sizeOf says how large a module is, for progress.
func sizeOf(m *ir.Module) string {
	n := strings.Count(strings.TrimSpace(text(m)), "\n") + 1
	if n == 1 {
		return "1 line"
	}
	return fmt.Sprintf("%d lines", n)
}

// contains reports whether an error's text has a part.
func contains(err error, part string) bool { return strings.Contains(err.Error(), part) }

// orText returns s, or a default for "".
func orText(s, def string) string {
	if s == "" {
		return def
	}
	return s
}
