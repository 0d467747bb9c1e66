package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/session"
	"github.com/irscope/irscope/web/store"
)

// decode reads a JSON file with known fields only.
func (a *archive) decode(name string, v any) error {
	data, err := a.read(name)
	if err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// readSession reads session.json and the runs.
func (a *archive) readSession(b *Bundle) error {
	var s sessionFile
	if err := a.decode(sessionName, &s); err != nil {
		return err
	}
	if err := a.checkSource(s.Source); err != nil {
		return fmt.Errorf("%s: %w", sessionName, err)
	}
	a.src = s.Source
	b.Session = store.Session{ID: "archive", Title: s.Title, Source: s.Source, Lesson: s.Lesson, Created: s.Created, Settings: s.Settings, Notes: s.Notes}
	if len(s.Settings) > 0 {
		var settings run.Settings
		if err := json.Unmarshal(s.Settings, &settings); err != nil {
			return fmt.Errorf("%s: settings: %w", sessionName, err)
		}
		if _, err := settings.Normalize(); err != nil {
			return fmt.Errorf("%s: settings: %w", sessionName, err)
		}
	}
	if s.Runs < 0 || s.Runs > store.MaxRuns {
		return fmt.Errorf("%s: it has %d runs, want at most %d", sessionName, s.Runs, store.MaxRuns)
	}
	for i, n := range s.Notes {
		if n.Run == "" {
			continue
		}
		if k, err := strconv.Atoi(n.Run); err != nil || k < 1 || k > s.Runs {
			return fmt.Errorf("%s: note %d is on run %.20q, want 1 to %d", sessionName, i+1, n.Run, s.Runs)
		}
	}
	if err := b.Session.Check(); err != nil {
		return fmt.Errorf("%s: %w", sessionName, err)
	}
	want := 1 + 2*s.Runs + len(a.texts)
	if s.Source.Blob != "" {
		want++
	}
	for n := 1; n <= s.Runs; n++ {
		if a.files[runName(n, checkName)] != nil {
			want++
		}
	}
	if len(a.sums) != want {
		return fmt.Errorf("there are %d files for %d runs, want %d", len(a.sums), s.Runs, want)
	}
	logs := int64(0)
	for n := 1; n <= s.Runs; n++ {
		if logs += a.sums[runName(n, "events.ndjson")].Bytes; logs > MaxLogs {
			return fmt.Errorf("the events of its runs have more than %d MiB", MaxLogs>>20)
		}
		r, err := a.readRun(n)
		if err != nil {
			return err
		}
		b.Runs = append(b.Runs, *r)
		b.Session.Runs = append(b.Session.Runs, r.ID)
	}
	return nil
}

// checkSource checks that a source is one that a session may have.
func (a *archive) checkSource(src store.Source) error {
	switch src.Kind {
	case store.SourceGallery, store.SourceDump:
		if src.Blob != "" || src.Name == "" {
			return fmt.Errorf("the %s source %.60q is malformed", src.Kind, src.Name)
		}
	case store.SourceUpload, store.SourceScript:
		data, err := a.read(sourceName(src))
		if err != nil {
			return err
		}
		if event.HashBytes(data) != src.Blob {
			return fmt.Errorf("%s has another hash than the source", sourceName(src))
		}
	default:
		return fmt.Errorf("the source is of kind %.60q, want %s, %s, %s or %s", src.Kind, store.SourceGallery, store.SourceUpload, store.SourceScript, store.SourceDump)
	}
	if src.Name != session.FileName(src.Name) {
		return fmt.Errorf("the source is named %.60q, which is not a file name", src.Name)
	}
	return nil
}

// readRun reads the run with a number and checks its log.
func (a *archive) readRun(n int) (*Run, error) {
	var f runFile
	name := runName(n, "run.json")
	if err := a.decode(name, &f); err != nil {
		return nil, err
	}
	if f.Request.Source != a.src {
		return nil, fmt.Errorf("%s: the source does not match the session", name)
	}
	var err error
	if f.Request.Settings, err = f.Request.Settings.Normalize(); err != nil {
		return nil, fmt.Errorf("%s: settings: %w", name, err)
	}
	r := &Run{ID: strconv.Itoa(n), Request: f.Request, Created: f.Created, Status: f.Status, Hash: f.Hash}
	name = runName(n, "events.ndjson")
	data, err := a.read(name)
	if err != nil {
		return nil, err
	}
	sum := event.NewHasher()
	for line := range bytes.Lines(data) {
		where := fmt.Sprintf("%s:%d", name, len(r.Events)+1)
		e, err := event.Decode(line)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", where, err)
		}
		if e.Seq != len(r.Events) {
			return nil, fmt.Errorf("%s: the event has number %d, want %d", where, e.Seq, len(r.Events))
		}
		enc, err := event.Encode(e)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", where, err)
		}
		sum.Add(enc)
		for _, h := range event.Texts(e) {
			if a.texts[h] == "" {
				return nil, fmt.Errorf("%s: it names the text %.60q, which is missing", where, h)
			}
		}
		r.Events = append(r.Events, e)
	}
	if len(r.Events) != f.Events || sum.Sum() != f.Hash {
		return nil, fmt.Errorf("%s is not the log that run.json describes: %d events with hash %s", name, len(r.Events), sum.Sum())
	}
	if f.Events == 0 {
		return nil, fmt.Errorf("%s is empty", name)
	}
	if last := event.Fold(r.Events[f.Events-1:]).Finished; last == nil || last.Status != f.Status {
		return nil, fmt.Errorf("%s does not end with run_finished %.20q", name, f.Status)
	}
	if r.Check, err = a.readCheck(n); err != nil {
		return nil, err
	}
	return r, nil
}
