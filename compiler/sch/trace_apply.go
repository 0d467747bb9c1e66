package sch

import (
	"errors"
	"fmt"
)

// ApplyJSON calls the instructions of a trace in the form of JSON, which are lists ([]any), strings, int64s, float64s, bools and nils: TVM's
// Trace.apply_json_to_schedule. If one fails, the schedule is as those before it left it.
func (s *Schedule) ApplyJSON(trace any) error {
	parts, ok := trace.([]any)
	if !ok || len(parts) != 2 {
		return errors.New("ValueError: The json entry of a trace should contain two arrays, an array of instructions and an array of decisions")
	}
	list, ok1 := parts[0].([]any)
	drawn, ok2 := parts[1].([]any)
	if !ok1 || !ok2 {
		return errors.New("ValueError: The json entry of a trace should contain two arrays, an array of instructions and an array of decisions")
	}
	decisions := make([]any, len(list))
	for _, x := range drawn {
		pair, ok := x.([]any)
		var i int64
		if ok = ok && len(pair) == 2; ok {
			i, ok = pair[0].(int64)
		}
		if !ok || i < 0 || i >= int64(len(list)) {
			return fmt.Errorf("ValueError: Each entry of a json decision should be a tuple [index, decision], but gets: %v", x)
		}
		decisions[i] = pair[1]
	}
	refs := map[string]any{"None": nil}
	for k, x := range list {
		if err := s.applyEntry(x, decisions[k], refs); err != nil {
			return fmt.Errorf("instruction %d of the trace: %w", k, err)
		}
	}
	return nil
}

// applyEntry calls one instruction, [name, inputs, attributes, outputs].
func (s *Schedule) applyEntry(entry, decision any, refs map[string]any) error {
	parts, ok := entry.([]any)
	if !ok || len(parts) != 4 {
		return fmt.Errorf("ValueError: Each entry of a json instruction should be a tuple [inst_name, inputs, attrs, outputs], but gets: %v", entry)
	}
	name, ok0 := parts[0].(string)
	inputs, ok1 := parts[1].([]any)
	attrs, ok2 := parts[2].([]any)
	outputs, ok3 := parts[3].([]any)
	if !ok0 || !ok1 || !ok2 || !ok3 {
		return fmt.Errorf("ValueError: Each entry of a json instruction should be a tuple [inst_name, inputs, attrs, outputs], but gets: %v", entry)
	}
	k := KindOf(name)
	if k == nil || k.Name != name {
		return fmt.Errorf("ValueError: there is no instruction kind %q", name)
	}
	c := &Call{Kind: k, Args: make([]any, len(k.Params)), Decision: decision}
	for i, p := range k.Params {
		c.Args[i] = p.Default
		var err error
		switch {
		case p.Untraced:
		case p.Attr && p.Pair:
			if len(attrs) < 2 {
				return fmt.Errorf("%s: %s is missing", k.Method, p.Name)
			}
			c.Args[i], err = pairOf(attrs[0], attrs[1])
			attrs = attrs[2:]
		case p.Attr:
			if len(attrs) == 0 && p.Optional {
				continue
			}
			if len(attrs) == 0 {
				return fmt.Errorf("%s: %s is missing", k.Method, p.Name)
			}
			c.Args[i], err = argOf(p, attrs[0], refs, false)
			attrs = attrs[1:]
		case p.Form == LoopsForm || p.Form == FactorsForm:
			c.Args[i], err = argOf(p, inputs, refs, true)
			inputs = nil
		default:
			if len(inputs) == 0 && p.Optional {
				continue
			}
			if len(inputs) == 0 {
				return fmt.Errorf("%s: %s is missing", k.Method, p.Name)
			}
			c.Args[i], err = argOf(p, inputs[0], refs, true)
			inputs = inputs[1:]
		}
		if err != nil {
			return fmt.Errorf("%s: %s: %w", k.Method, p.Name, err)
		}
	}
	if len(inputs) > 0 || len(attrs) > 0 {
		return fmt.Errorf("%s: there are %d inputs and %d attributes more than it has parameters", k.Method, len(inputs), len(attrs))
	}
	out, err := s.do(c)
	if err != nil {
		return err
	}
	if len(out) != len(outputs) {
		return fmt.Errorf("%s: it has %d results, the trace names %d", k.Method, len(out), len(outputs))
	}
	for i, x := range outputs {
		name, ok := x.(string)
		if !ok {
			return fmt.Errorf("%s: result %d has no name", k.Method, i)
		}
		refs[name] = out[i]
	}
	return nil
}
