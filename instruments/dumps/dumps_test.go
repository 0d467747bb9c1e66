package dumps_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/irscope/irscope/instruments/dumps"
	"github.com/irscope/irscope/instruments/event"
)

// sink keeps what is read.
type sink struct {
	events []event.Event
	texts  map[string]string
	langs  map[string]string
}

func (s *sink) Emit(e event.Event) error {
	e.Seq = len(s.events)
	s.events = append(s.events, e)
	return nil
}

func (s *sink) Text(language, text string) (string, error) {
	h := event.HashText(text)
	if s.texts == nil {
		s.texts, s.langs = map[string]string{}, map[string]string{}
	}
	s.texts[h], s.langs[h] = text, language
	return h, nil
}

// read reads a dump, checks that its log holds together, and folds it.
func read(t testing.TB, in io.Reader) (*event.Run, *sink, error) {
	t.Helper()
	s := &sink{}
	err := dumps.Read(context.Background(), in, "dump", s)
	for _, e := range s.events {
		for _, h := range event.Texts(e) {
			if _, ok := s.texts[h]; !ok {
				t.Fatalf("event %d (%s) names the text %s, which is not there", e.Seq, e.Type, h)
			}
		}
	}
	r := event.Fold(s.events)
	if open := r.Open(); err == nil && len(open) > 0 {
		t.Fatalf("step %s is still open", open[0].Path)
	}
	return r, s, err
}

// outline writes a run as lines: the steps with what happened to which function, and messages.
func outline(r *event.Run) string {
	var out strings.Builder
	if r.Started != nil {
		for _, f := range r.Started.Functions {
			fmt.Fprintf(&out, "import %s %s\n", f.Kind, f.Name)
		}
	}
	for _, s := range r.All() {
		fmt.Fprintf(&out, "%s%s %s", strings.Repeat("  ", s.Depth), s.Path, s.Status)
		out.WriteString(differences(s))
		if s.Text != "" {
			fmt.Fprintf(&out, " (%s)", s.Text)
		}
		out.WriteByte('\n')
	}
	for _, d := range r.Diagnostics {
		fmt.Fprintf(&out, "%s: %s\n", d.Severity, d.Message)
	}
	return out.String()
}

// differences writes what a step changed.
func differences(s *event.Step) string {
	var out strings.Builder
	if s.Finished != nil {
		for _, f := range s.Finished.Functions {
			fmt.Fprintf(&out, " [%s %s %s]", f.Change, f.Name, f.Delta())
		}
	}
	return out.String()
}
