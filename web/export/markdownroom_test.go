package export_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxtest"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/export"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/run/inproc"
	"github.com/irscope/irscope/web/store"
)

// texts are blobs by hash.
type texts map[string]string

// Blob implements export.Blobs.
func (t texts) Blob(_ context.Context, hash string) (store.Blob, error) {
	text, ok := t[hash]
	if !ok {
		return store.Blob{}, store.ErrNotFound
	}
	return store.Blob{Language: event.LangTVMScript, Data: []byte(text)}, nil
}

func (t texts) put(text string) string {
	hash := event.HashText(text)
	t[hash] = text
	return hash
}

// TestTheReportFitsAnIssue makes reports of runs in which everything is too long, each of other characters: they keep to the limit,
// hold something of each part, close what they open, and say what they leave out.
func TestTheReportFitsAnIssue(t *testing.T) {
	r := seed.Rand(t)
	for _, word := range []string{"`", "```\n", "<&>", "\\|*_", "\u202e\x00é", "字", "plain ", "a\nb", evil, "\xff\xfe"} {
		for _, n := range []int{1, 40, 1500} {
			if testing.Short() && n > 40 {
				continue
			}
			t.Run(fmt.Sprintf("%.4q %d", word, n), func(t *testing.T) {
				blobs := texts{}
				name := func() string { return strings.Repeat(word, 1+r.IntN(1+3000/len(word))) }
				b := &export.Bundle{Blobs: blobs, Session: store.Session{Title: name()}}
				one := export.Run{ID: "r", Status: event.StatusFailed}
				add := func(step string, body event.Body) {
					one.Events = append(one.Events, event.New(step, "", body, &event.Measured{Total: 1000}))
				}
				add("", &event.RunStarted{Model: name(), Target: name(), Pipeline: name()})
				for i := range n {
					step := fmt.Sprintf("%d/%s", i+1, name())
					add("", &event.Diagnostic{Severity: event.SeverityWarning, Message: name(), Help: name()})
					add(step, &event.PassStarted{Name: name(), Why: name()})
					done := &event.PassFinished{Name: name(), Changed: true}
					for k := range 1 + r.IntN(3) {
						line := func(k int) string { return fmt.Sprintf("%d %s\n", k, strings.ReplaceAll(name(), "\n", " ")) }
						before, after := "", ""
						for range r.IntN(4 + 200/n) {
							before, after = before+line(k), after+line(k+1)
						}
						done.Functions = append(done.Functions, event.FunctionChange{Name: name(), Change: event.FunctionChanged, Before: blobs.put(before), After: blobs.put(after), Added: 3, Removed: 3})
					}
					add(step, done)
					b.Session.Notes = append(b.Session.Notes, store.Note{ID: fmt.Sprint(i), Text: name()}, store.Note{ID: fmt.Sprint("s", i), Step: step, Function: name(), Text: name()})
					tensor := event.Tensor{Name: name(), DType: name(), Shape: []int64{1, 2}, Source: name()}
					add("", &event.Executed{Function: name(), Inputs: []event.Tensor{tensor}, Outputs: []event.Tensor{tensor, tensor}, Error: &event.Error{Message: name()}})
				}
				add("", &event.RunFinished{Status: event.StatusFailed, Error: &event.Error{Kind: event.KindPass, Message: name(), Pass: name()}})
				b.Runs = []export.Run{one}
				data, err := export.Markdown(t.Context(), b, &b.Runs[0], export.Report{Command: name(), Program: name(), Link: "http://127.0.0.1/s/x"})
				check(t, err)
				text := string(data)
				checkReport(t, text)
				for _, want := range []string{"\n## Passes\n", "\n| 1 |", "\n## Changes\n", "\n## Result\n", "<http://127.0.0.1/s/x>"} {
					if !strings.Contains(text, want) {
						t.Errorf("the report lacks %q:\n%.2000s", want, text)
					}
				}
				if n == 1500 && (!strings.Contains(text, "more steps are left out") || !strings.Contains(text, "changed functions are left out")) {
					t.Error("the report does not say what it leaves out")
				}
			})
		}
	}
}

// checkReport checks the size of a report, and that each fence is closed.
func checkReport(t *testing.T, text string) {
	t.Helper()
	if len(text) > export.MaxMarkdown || utf8.RuneCountInString(text) >= 60_000 {
		t.Errorf("the report has %d bytes, want at most %d", len(text), export.MaxMarkdown)
	}
	if !utf8.ValidString(text) {
		t.Error("the report is not UTF-8")
	}
	open := ""
	for line := range strings.Lines(text) {
		bar := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case open == "" && len(bar) >= 3:
			open = bar
		case open != "" && line == open+"\n":
			open = ""
		}
	}
	if open != "" {
		t.Errorf("a fence of %d is not closed", len(open))
	}
}

// TestTheReportOfALargeModel compiles the model with the most passes that change much, and makes its report.
func TestTheReportOfALargeModel(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a large model")
	}
	data, err := os.ReadFile(filepath.Join(onnxtest.Dir(t), "light", "light_densenet121.onnx"))
	if err != nil {
		t.Skip(err)
	}
	st, eng := store.NewMemory(2<<30), compiler.NewEngine()
	defer func() { _ = eng.Close() }()
	sess := store.Session{ID: "s", Title: "densenet121", Source: store.Source{Kind: store.SourceUpload, Name: "light_densenet121.onnx", Blob: event.HashBytes(data)}}
	check(t, st.CreateSession(t.Context(), sess))
	_, err = st.PutBlob(t.Context(), sess.ID, store.LangBinary, data)
	check(t, err)
	limits := run.DefaultLimits()
	limits.Time = 5 * time.Minute
	m := run.NewManager(run.Config{Runner: inproc.New(inproc.Config{Store: st, Engine: eng}), Store: st, Admission: run.DefaultAdmission(1), Limits: limits})
	info, err := m.Start(t.Context(), "visitor", sess.ID, run.Request{Source: sess.Source, Settings: run.Settings{OptLevel: 2}})
	check(t, err)
	check(t, st.AddRun(t.Context(), sess.ID, info.ID))
	m.Drain(t.Context())
	sess, err = st.Session(t.Context(), sess.ID)
	check(t, err)
	b, err := export.Collect(t.Context(), st, sess)
	check(t, err)
	if len(b.Runs) != 1 {
		t.Fatalf("the runs are %+v", b.Runs)
	}
	report, err := export.Markdown(t.Context(), b, &b.Runs[0], export.Report{Command: "irscope run light_densenet121.onnx"})
	check(t, err)
	text := string(report)
	checkReport(t, text)
	if n := strings.Count(text, "```diff"); n < 10 || len(text) < export.MaxMarkdown*8/10 {
		t.Errorf("the report has %d differences and %d bytes: there is room for more", n, len(text))
	}
	if !strings.Contains(text, "### 1.") || !strings.Contains(text, "LegalizeOps") || !strings.Contains(text, "the archive has all") {
		t.Errorf("the report lacks a part:\n%.3000s", text)
	}
	t.Logf("%d bytes, %d differences", len(text), strings.Count(text, "```diff"))
}
