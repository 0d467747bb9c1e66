package search

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
)

// What is no step of a run and still has texts.
const (
	// ImportStep is the module as it was read; the page calls it the same.
	ImportStep = "import"
	// CodeStep is the generated code.
	CodeStep = "code"
)

// The kinds of functions; KindCode is that of generated code.
const (
	KindRelax    = "relax"
	KindPrimFunc = "prim_func"
	KindExtern   = "extern"
	KindCode     = "code"
)

// virtualMachine is the page's name of the listing of the virtual machine.
const virtualMachine = "(vm)"

// step is a step that changed something.
type step struct{ path, pass string }

// change says which text a step gave a function. An empty hash is no function.
type change struct {
	step          int
	function      string
	kind          string
	before, after string
}

// history is what the log of a run says about texts, as far as it was read.
type history struct {
	mu      sync.Mutex
	next    int // the number of the first event that was not read
	module  map[string]string
	steps   []step
	changes []change
}

// view is a history at one time.
type view struct {
	steps   []step
	changes []change
	sealed  bool
}

// size returns the bytes of memory that the history holds, about.
func (h *history) size() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return int64(512 + 192*len(h.steps) + 224*len(h.changes) + 64*len(h.module))
}

// read reads what the log has by now.
func (h *history) read(ctx context.Context, log *run.Log) (v view, grown bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	n, sealed := log.Len()
	if n > h.next {
		lines, _, err := log.Next(ctx, h.next)
		if err != nil {
			return view{}, false, err
		}
		for _, line := range lines[:n-h.next] {
			if err := h.apply(line); err != nil {
				return view{}, false, fmt.Errorf("read event %d: %w", h.next, err)
			}
			h.next++
		}
		grown = true
	}
	return view{h.steps, h.changes, sealed}, grown, nil
}

// entry is what a history reads of an event, whatever its type.
type entry struct {
	Type event.Type `json:"type"`
	Step string     `json:"step"`
	Body struct {
		Name      string `json:"name"`
		Functions []struct {
			Name   string       `json:"name"`
			Kind   string       `json:"kind"`
			Change event.Change `json:"change"`
			Text   string       `json:"text"`
			After  string       `json:"after"`
		} `json:"functions"`
		Kernels []struct {
			Name string `json:"name"`
			Text string `json:"text"`
		} `json:"kernels"`
		VM string `json:"vm"`
	} `json:"body"`
}

// apply reads one event. A step that encloses others reports their changes again: nothing is new then, because a change
// is what differs from the module as it was left.
func (h *history) apply(line []byte) error {
	var head struct {
		Type event.Type `json:"type"`
	}
	var e entry
	if err := json.Unmarshal(line, &head); err != nil {
		return err
	}
	switch head.Type {
	case event.TypeRunStarted, event.TypePassFinished, event.TypeCodeGenerated:
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
	default:
		return nil
	}
	known := len(h.steps)
	put := func(s step, c change) {
		if len(h.steps) == known {
			h.steps = append(h.steps, s)
		}
		c.step = known
		h.changes = append(h.changes, c)
	}
	switch head.Type {
	case event.TypeRunStarted:
		h.module = make(map[string]string, len(e.Body.Functions))
		for _, f := range e.Body.Functions {
			h.module[f.Name] = f.Text
			put(step{ImportStep, ImportStep}, change{function: f.Name, kind: f.Kind, after: f.Text})
		}
	case event.TypePassFinished:
		for _, f := range e.Body.Functions {
			before, after := h.module[f.Name], f.After
			if f.Change == event.FunctionRemoved {
				after = ""
			}
			if before == after {
				continue
			}
			put(step{e.Step, e.Body.Name}, change{function: f.Name, kind: f.Kind, before: before, after: after})
			if after == "" {
				delete(h.module, f.Name)
			} else {
				h.module[f.Name] = after
			}
		}
	case event.TypeCodeGenerated:
		for _, k := range e.Body.Kernels {
			put(step{CodeStep, CodeStep}, change{function: k.Name, kind: KindCode, after: k.Text})
		}
		if e.Body.VM != "" {
			put(step{CodeStep, CodeStep}, change{function: virtualMachine, kind: KindCode, after: e.Body.VM})
		}
	}
	return nil
}
