package inproc_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/history"
	"github.com/irscope/irscope/web"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/run/inproc"
	"github.com/irscope/irscope/web/store"
	"github.com/irscope/irscope/web/store/sqlite"
)

// life is the history of something as a script reads it.
type life struct {
	At      *history.Place
	Roots   []history.Root
	Entries []history.Entry
	Cut     []string
	Sealed  bool
}

// verbs lists what happened and where, without what left it as it was.
func (l life) verbs() string {
	var out []string
	for _, e := range l.Entries {
		if e.Verb != history.Same {
			out = append(out, e.Pass+" "+string(e.Verb))
		}
	}
	return strings.Join(out, ", ")
}

func (l life) entry(t *testing.T, pass string) history.Entry {
	t.Helper()
	i := slices.IndexFunc(l.Entries, func(e history.Entry) bool { return e.Pass == pass })
	if i < 0 {
		t.Fatalf("nothing is said of %s: %s", pass, l.verbs())
	}
	return l.Entries[i]
}

// site is the whole server with the real compiler over a store.
type site struct {
	*testing.T
	url   string
	close func()
}

func openSite(t *testing.T, st store.Store, limits run.Limits) *site {
	t.Helper()
	eng := compiler.NewEngine()
	catalog, err := inproc.Catalog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	adm := run.DefaultAdmission(1)
	adm.PerMinute = 1000
	s, err := web.New(web.Config{
		Runner: inproc.New(inproc.Config{Store: st, Gallery: inproc.Gallery, Engine: eng, Log: quiet}),
		Store:  st, Catalog: catalog, Log: quiet, Admission: adm, Limits: limits,
	})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(s)
	x := &site{T: t, url: srv.URL}
	x.close = func() {
		s.Drain(context.Background())
		srv.Close()
		if err := eng.Close(); err != nil {
			t.Error(err)
		}
	}
	return x
}

// session starts a session and returns its id, its first run and the token to edit it.
func (s *site) session(body string) (id, first, token string) {
	s.Helper()
	var made struct {
		Token   string `json:"edit_token"`
		Session struct {
			ID   string
			Runs []string
		}
	}
	fetch(s.T, http.MethodPost, s.url+"/api/sessions", body, &made)
	s.wait(made.Session.Runs[0])
	return made.Session.ID, made.Session.Runs[0], made.Token
}

// wait waits until a run has ended, and returns its events.
func (s *site) wait(id string) []event.Event {
	s.Helper()
	var events []event.Event
	for sealed := false; !sealed; {
		var page struct {
			Events []event.Event
			Sealed bool
		}
		fetch(s.T, http.MethodGet, fmt.Sprintf("%s/api/runs/%s/events?from=%d&wait=20", s.url, id, len(events)), "", &page)
		events, sealed = append(events, page.Events...), page.Sealed
	}
	return events
}

// again runs a session with settings.
func (s *site) again(id, token, settings string) (string, []event.Event) {
	s.Helper()
	req, err := http.NewRequestWithContext(s.Context(), http.MethodPost, s.url+"/api/sessions/"+id+"/runs", strings.NewReader(settings))
	if err != nil {
		s.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+token)
	var started struct{ Run struct{ ID string } }
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if err := json.NewDecoder(resp.Body).Decode(&started); err != nil || resp.StatusCode >= 300 {
		s.Fatalf("start a run: %d, %v", resp.StatusCode, err)
	}
	return started.Run.ID, s.wait(started.Run.ID)
}

func (s *site) history(run string, question ...string) life {
	s.Helper()
	var l life
	fetch(s.T, http.MethodGet, s.url+"/api/runs/"+run+"/history?"+query(question...), "", &l)
	return l
}

func query(pairs ...string) string {
	q := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	return q.Encode()
}

// TestHistoryOfARun asks for the history of a node of a model, from its name, from a name in a
// line and from the code of its kernel.
func TestHistoryOfARun(t *testing.T) {
	s := openSite(t, store.NewMemory(256<<20), run.Limits{})
	defer s.close()
	_, id, _ := s.session(`{"gallery":"cnn"}`)
	l := s.history(id, "node", "/bn1/BatchNormalization")
	for pass, verb := range map[string]history.Verb{
		"import": history.Born, "FoldScaleToConv2D": history.Split, "LegalizeOps": history.Lowered, "FuseOps": history.Fused, "ApplyDefaultSchedule": history.Rewritten, "code": history.Lowered,
	} {
		if got := l.entry(t, pass).Verb; got != verb {
			t.Errorf("%s: %s, want %s", pass, got, verb)
		}
	}
	if !l.Sealed || len(l.Cut) > 0 || l.At != nil || len(l.Roots) != 1 || l.Roots[0].Op != "BatchNormalization" {
		t.Errorf("answer %+v", l)
	}
	// What is left of it at the end is a call, a kernel, and the code of both. The constants that
	// its weights were folded to, the storage of its result and the tensor in that count apart.
	left := l.Entries[len(l.Entries)-1].Left
	if want := (history.Count{Graph: 1, Loops: left.Loops, Code: 2, Constants: 2, Memory: 2}); left != want || left.Loops == 0 {
		t.Errorf("left at the end: %+v, want %+v", left, want)
	}
	fused := l.entry(t, "FuseOps")
	i := slices.IndexFunc(fused.To, func(p history.Place) bool { return p.Function == "main" })
	if i < 0 {
		t.Fatalf("FuseOps: %+v", fused)
	}
	to := fused.To[i]
	byLine := s.history(id, "step", fused.Path, "function", "main", "line", fmt.Sprint(to.Line), "name", to.Name)
	if byLine.At == nil || byLine.At.Name != to.Name || len(byLine.Roots) != 3 {
		t.Errorf("by line: %+v, %+v", byLine.At, byLine.Roots)
	}
	// A name that the line uses is the one that is defined above it.
	used := s.history(id, "step", "import", "function", "main", "line", "6", "name", "conv1_Conv_conv2d")
	if used.At == nil || used.At.Line != 5 || len(used.Roots) != 1 {
		t.Errorf("a name that line 6 uses: %+v, %+v", used.At, used.Roots)
	}
	// The text before a pass is that after the one before it.
	before := s.history(id, "step", fused.Path, "side", "before", "function", "main", "line", "0", "name", "conv1_Conv_conv2d1")
	if before.At == nil || before.At.Op != "@conv2d" {
		t.Errorf("before FuseOps: %+v", before.At)
	}
	kernel := l.Entries[len(l.Entries)-1].To[0].Function
	if code := s.history(id, "step", "code", "function", kernel, "line", "7"); code.verbs() != byLine.verbs() {
		t.Errorf("by the kernel:\n%s\nby the line:\n%s", code.verbs(), byLine.verbs())
	}
	// In main it stands in the call of the fused kernel, and in the constants that are folded.
	var marks struct{ Marks []history.Mark }
	fetch(t, http.MethodGet, s.url+"/api/runs/"+id+"/history/marks?"+query("node", "/bn1/BatchNormalization", "show", fused.Path, "in", "main"), "", &marks)
	values := slices.DeleteFunc(marks.Marks, func(m history.Mark) bool { return m.Kind == "c" })
	if len(values) != 1 || values[0].Name != to.Name || values[0].Line != to.Line {
		t.Errorf("marks %+v, want the line %d of %s", values, to.Line, to.Name)
	}
}

// TestHistoryOfReusedSteps checks that a run that continues from an earlier one, with another
// pass in front so that all paths differ, says the same as one that computed everything.
func TestHistoryOfReusedSteps(t *testing.T) {
	b, fresh := open(t, 0), open(t, -1)
	tables := func(evs []event.Event) (out []string) {
		for _, e := range evs {
			switch x := e.Body.(type) {
			case *event.RunStarted:
				out = append(out, "import "+x.History)
			case *event.PassFinished:
				out = append(out, e.Step+" "+x.History)
			case *event.CodeGenerated:
				out = append(out, "code "+x.History)
			}
		}
		return out
	}
	b.ok(b.run(gallery("mlp"), run.Settings{OptLevel: 2}))
	settings := run.Settings{OptLevel: 2, Disabled: []string{"StaticPlanBlockMemory"}}
	again, hash := b.run(gallery("mlp"), settings)
	b.ok(again, hash)
	if n := again[len(again)-1].Measured.ReusedSteps; n == 0 {
		t.Fatal("nothing was reused")
	}
	whole, want := fresh.run(gallery("mlp"), settings)
	if got, want := tables(again), tables(whole); !slices.Equal(got, want) {
		t.Errorf("history with re-use\n%s\nwithout\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if hash != want {
		t.Errorf("the log has the hash %s, without re-use %s", hash, want)
	}
	for _, line := range tables(again) {
		if _, h, _ := strings.Cut(line, " "); h != "" {
			if _, err := b.store.Blob(t.Context(), h); err != nil {
				t.Errorf("%s: %v", line, err)
			}
		}
	}
}

// TestHistoryAfterRestart reads the history of a run that another process made.
func TestHistoryAfterRestart(t *testing.T) {
	dir := t.TempDir()
	openStore := func() *sqlite.Store {
		st, err := sqlite.Open(t.Context(), sqlite.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		return st
	}
	st := openStore()
	s := openSite(t, st, run.Limits{})
	_, id, _ := s.session(`{"gallery":"mlp"}`)
	node := s.history(id, "step", "import", "function", "main", "line", "5").Roots[0].Name
	want := s.history(id, "node", node)
	s.close()
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	st = openStore()
	defer func() { _ = st.Close() }()
	s = openSite(t, st, run.Limits{})
	defer s.close()
	if got := s.history(id, "node", node); got.verbs() != want.verbs() || len(want.Entries) < 5 {
		t.Errorf("after the restart\n%s\nbefore it\n%s", got.verbs(), want.verbs())
	}
}

// TestHistoryOfAFailedRun has a history as far as the run came.
func TestHistoryOfAFailedRun(t *testing.T) {
	s := openSite(t, store.NewMemory(256<<20), run.Limits{})
	defer s.close()
	session, _, token := s.session(`{"gallery":"mlp"}`)
	id, evs := s.again(session, token, `{"opt_level":2,"disabled":["LegalizeOps"]}`)
	if end(evs).Status == event.StatusOK {
		t.Fatal("the run without LegalizeOps ended well")
	}
	l := s.history(id, "step", "import", "function", "main", "line", "5")
	if len(l.Entries) < 2 || l.Entries[0].Verb != history.Born || strings.Contains(l.verbs(), "code") {
		t.Errorf("history: %s", l.verbs())
	}
}

const twoLevels = `@I.ir_module
class Module:
    @T.prim_func(private=True)
    def twice(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        for i in range(8):
            with T.block("twice"):
                vi = T.axis.spatial(8, i)
                B[vi] = A[vi] * T.float32(2)

    @R.function
    def main(x: R.Tensor((8,), dtype="float32")) -> R.Tensor((8,), dtype="float32"):
        with R.dataflow():
            a = R.exp(x)
            b = R.call_tir(Module.twice, (a,), out_sinfo=R.Tensor((8,), dtype="float32"))
            c = R.add(b, x)
            R.output(c)
        return c
`

// TestHistoryOfAText follows lines of a text to the code.
func TestHistoryOfAText(t *testing.T) {
	s := openSite(t, store.NewMemory(256<<20), run.Limits{})
	defer s.close()
	_, id, _ := s.session(fmt.Sprintf(`{"kind":"tvmscript","name":"module.py","source":%q}`, twoLevels))
	// The operators of lines 13 and 15, the statement of line 8.
	for line, want := range map[string][]string{
		"line 13": {"import born", "LegalizeOps lowered", "code lowered"},
		"line 15": {"import born", "LegalizeOps lowered", "code lowered"},
		"line 8":  {"import born", "code lowered"},
	} {
		l := s.history(id, "node", line)
		if len(l.Roots) != 1 || l.Roots[0].Name != line || "line "+fmt.Sprint(l.Roots[0].Line) != line {
			t.Errorf("%s has the roots %+v", line, l.Roots)
		}
		for _, verb := range want {
			if !strings.Contains(", "+l.verbs()+",", ", "+verb+",") {
				t.Errorf("%s: no %q in %s", line, verb, l.verbs())
			}
		}
	}
	l := s.history(id, "step", "import", "function", "main", "line", "7", "name", "a")
	if l.At == nil || l.At.Name != "a" || len(l.Roots) != 1 || l.Roots[0].Line != 13 {
		t.Errorf("the value a: %+v from %+v", l.At, l.Roots)
	}
	x := s.history(id, "node", "x")
	if len(x.Roots) != 1 || x.Roots[0].Op != "input" || x.Roots[0].Line != 11 || len(x.Entries) == 0 {
		t.Errorf("the parameter x: %+v, %s", x.Roots, x.verbs())
	}
	kernel := s.history(id, "step", "import", "function", "twice", "line", "1")
	if kernel.At == nil || len(kernel.Roots) < 4 {
		t.Errorf("the kernel twice: %+v from %+v", kernel.At, kernel.Roots)
	}
}

// TestHistoryOfAUserPass checks that what a script makes has the origin of what it replaces.
func TestHistoryOfAUserPass(t *testing.T) {
	s := openSite(t, store.NewMemory(256<<20), run.Limits{})
	defer s.close()
	session, _, token := s.session(fmt.Sprintf(`{"kind":"tvmscript","name":"module.py","source":%q}`, twoLevels))
	settings := fmt.Sprintf(`{"opt_level":2,"pipeline":"zero","steps":[{"name":"user.Twice"},{"name":"LegalizeOps"}],"scripts":[{"name":"s1.star","source":%q}]}`, twice)
	id, evs := s.again(session, token, settings)
	if finishedStep(evs, "user.Twice") == nil {
		t.Fatalf("the pass did not run: %+v", end(evs).Error)
	}
	if got, want := s.history(id, "node", "line 15").verbs(), "import born, user.Twice rewritten, LegalizeOps lowered"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestHistoryRefuses(t *testing.T) {
	s := openSite(t, store.NewMemory(256<<20), run.Limits{})
	defer s.close()
	_, id, _ := s.session(`{"gallery":"mlp"}`)
	for path, want := range map[string]struct {
		status  int
		message string
	}{
		"?":                                              {400, "want either node, or step and function"},
		"?step=1":                                        {400, "want either node, or step and function"},
		"?node=nope":                                     {422, `no node, input, or initializer named \"nope\"`},
		"?node=a&step=import&function=main":              {400, "want either node"},
		"?step=import&function=nope":                     {422, `made a function \"nope\"`},
		"?step=import&function=main&line=x":              {400, "line is"},
		"?step=import&function=main&name=zz":             {422, "nothing with a known origin"},
		"?step=import&function=main&side=left":           {400, "want before or after"},
		"?node=" + strings.Repeat("a", 1001):             {400, "1001 bytes"},
		"/marks?node=a":                                  {400, "want the path of a step"},
		"/marks?node=a&show=import&in=main&shown=beside": {400, "want before or after"},
	} {
		status, body := get(t, s.url+"/api/runs/"+id+"/history"+path)
		if status != want.status || !strings.Contains(body, want.message) {
			t.Errorf("%.60s answers %d: %s", path, status, body)
		}
	}
	if status, _ := get(t, s.url+"/api/runs/nobody/history?node=a"); status != 404 {
		t.Errorf("the history of an unknown run answers %d", status)
	}
}

// TestHistoryOfAnEarlyEnd asks for the history of a run that could not read its target.
func TestHistoryOfAnEarlyEnd(t *testing.T) {
	s := openSite(t, store.NewMemory(256<<20), run.Limits{})
	defer s.close()
	session, _, token := s.session(`{"gallery":"mlp"}`)
	id, evs := s.again(session, token, `{"pipeline":"none such"}`)
	if len(bodies[*event.RunStarted](evs)) > 0 {
		t.Fatal("a run of an unknown pipeline started")
	}
	if status, body := get(t, s.url+"/api/runs/"+id+"/history?node=a"); status != 404 || !strings.Contains(body, "no history of values") {
		t.Errorf("answers %d: %s", status, body)
	}
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}
