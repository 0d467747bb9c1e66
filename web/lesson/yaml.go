package lesson

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/irscope/irscope/instruments/request"
)

// field reads the value of a key.
type field func(*yaml.Node)

// block is a text of YAML in a lesson.
type block struct {
	p    *parsing
	line int // lines of the file before its first
}

func (b block) at(n *yaml.Node) pos { return pos{b.line + n.Line, n.Column} }

func (b block) fail(n *yaml.Node, format string, args ...any) { b.p.fail(b.at(n), format, args...) }

// read reads a mapping with some keys. It reports what is no YAML, unknown keys, doubled ones, and aliases, which a lesson has no use for.
func (b block) read(text string, fields map[string]field) {
	var doc yaml.Node
	if err := yaml.Load([]byte(text), &doc); err != nil {
		var e *yaml.LoadError
		if !errors.As(err, &e) {
			b.p.fail(pos{b.line + 1, 1}, "%v", err)
			return
		}
		b.p.fail(pos{b.line + max(e.Mark.Line, 1), max(e.Mark.Column, 1)}, "%s", strings.TrimSpace(e.ContextMsg+" "+e.Message))
		return
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		b.p.fail(pos{b.line + 1, 1}, "want keys with values, such as title: Passes")
		return
	}
	known := make([]string, 0, len(fields))
	for key := range fields {
		known = append(known, key)
	}
	slices.Sort(known)
	b.each(doc.Content[0], func(key string, k, v *yaml.Node) {
		if f, ok := fields[key]; ok {
			f(v)
			return
		}
		b.fail(k, "there is no key %.60q; there are %s", key, strings.Join(known, ", "))
	})
}

// each goes through a mapping.
func (b block) each(n *yaml.Node, f func(key string, k, v *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		b.fail(n, "want keys with values")
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if seen[k.Value] {
			b.fail(k, "the key %.60q is there twice", k.Value)
			continue
		}
		seen[k.Value] = true
		f(k.Value, k, v)
	}
}

// text reads a text of one line.
func (b block) text(to *string, most int) field {
	return func(n *yaml.Node) {
		s, ok := b.scalar(n)
		switch {
		case !ok:
		case strings.TrimSpace(s) == "":
			b.fail(n, "want a text, got nothing")
		case len(s) > most:
			b.fail(n, "the text has %d bytes; the limit is %d", len(s), most)
		default:
			*to = strings.Join(strings.Fields(s), " ")
		}
	}
}

// scalar returns a value that holds no others.
func (b block) scalar(n *yaml.Node) (string, bool) {
	if n.Kind != yaml.ScalarNode {
		b.fail(n, "want one value")
		return "", false
	}
	return n.Value, true
}

// number reads a number in a range.
func (b block) number(to *int, low, high int) field {
	return func(n *yaml.Node) {
		s, ok := b.scalar(n)
		if !ok {
			return
		}
		x, err := strconv.Atoi(s)
		if err != nil || x < low || x > high {
			b.fail(n, "got %.40q, want a number from %d to %d", s, low, high)
			return
		}
		*to = x
	}
}

// list reads a list of texts, and calls f for each.
func (b block) list(f func(s string, n *yaml.Node)) field {
	return func(n *yaml.Node) {
		if n.Kind != yaml.SequenceNode {
			b.fail(n, "want a list, such as [FuseOps, FoldConstant]")
			return
		}
		for _, x := range n.Content {
			if s, ok := b.scalar(x); ok {
				f(s, x)
			}
		}
	}
}

// passes reads a list of names of passes.
func (b block) passes(to *[]string) field {
	return func(n *yaml.Node) {
		*to = []string{}
		b.list(func(s string, n *yaml.Node) {
			*to = append(*to, s)
			b.p.passes = append(b.p.passes, named{s, b.at(n)})
		})(n)
	}
}

// settings are the keys that say how to run the compiler.
func (b block) settings(s *request.Settings) map[string]field {
	return map[string]field{
		"pipeline": func(n *yaml.Node) { b.pipeline(n, s) }, "opt_level": b.number(&s.OptLevel, 0, request.MaxOptLevel),
		"disabled": b.passes(&s.Disabled), "required": b.passes(&s.Required), "target": b.text(&s.Target, 1000),
		"config": func(n *yaml.Node) {
			s.Config = map[string]any{}
			b.each(n, func(key string, k, v *yaml.Node) {
				s.Config[key] = b.value(v, 0)
				b.p.config = append(b.p.config, named{key, b.at(k)})
			})
		},
	}
}

// pipeline reads the name of a pipeline, or a list of passes: names, or a name with options.
func (b block) pipeline(n *yaml.Node, s *request.Settings) {
	if n.Kind == yaml.ScalarNode {
		s.Pipeline, s.Steps = n.Value, nil
		b.p.passes = append(b.p.passes, named{pipelinePrefix + n.Value, b.at(n)})
		return
	}
	if n.Kind != yaml.SequenceNode {
		b.fail(n, "want the name of a pipeline, such as default, or a list of passes")
		return
	}
	s.Steps = []request.Step{}
	add := func(name string, k *yaml.Node, options map[string]any) {
		s.Steps = append(s.Steps, request.Step{Name: name, Options: options})
		b.p.passes = append(b.p.passes, named{name, b.at(k)})
	}
	for _, x := range n.Content {
		if x.Kind != yaml.MappingNode {
			if name, ok := b.scalar(x); ok {
				add(name, x, nil)
			}
			continue
		}
		b.each(x, func(name string, k, v *yaml.Node) {
			options := map[string]any{}
			b.each(v, func(key string, _, v *yaml.Node) { options[key] = b.value(v, 0) })
			add(name, k, options)
		})
	}
}

// pipelinePrefix tells the names of pipelines from those of passes.
const pipelinePrefix = "pipeline "

// maxNested is how deep values of options may nest.
const maxNested = 8

// value reads a value of an option.
func (b block) value(n *yaml.Node, depth int) any {
	switch {
	case depth > maxNested:
		b.fail(n, "the value nests deeper than %d", maxNested)
		return nil
	case n.Kind == yaml.SequenceNode:
		out := []any{}
		for _, x := range n.Content {
			out = append(out, b.value(x, depth+1))
		}
		return out
	case n.Kind == yaml.MappingNode:
		out := map[string]any{}
		b.each(n, func(key string, _, v *yaml.Node) { out[key] = b.value(v, depth+1) })
		return out
	case n.Kind == yaml.AliasNode:
		b.fail(n, "want a value, got an alias of YAML")
		return nil
	}
	var out any
	if err := n.Load(&out); err != nil {
		b.fail(n, "%v", err)
	}
	// As JSON has it, so that it compares equal to what a page sends.
	switch x := out.(type) {
	case int:
		return float64(x)
	case nil, bool, float64, string:
		return x
	}
	b.fail(n, "want a number, text, or true or false, got %s", strings.TrimPrefix(fmt.Sprintf("%T", out), "*"))
	return nil
}
