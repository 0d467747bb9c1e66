package web_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/irscope/irscope/web"
	"github.com/irscope/irscope/web/store"
)

const urlencoded = "application/x-www-form-urlencoded"

type sharedAnswer struct {
	Session struct {
		ID, Title, Parent string
		Children, Runs    []string
		Shared, Owner     bool
		MayEdit           bool `json:"may_edit"`
		Expires           *time.Time
	}
	Link      string
	EditToken string `json:"edit_token"`
}

type listAnswer struct {
	Sessions []struct{ ID, Title string }
}

func (s *site) info(id string) sharedAnswer {
	s.t.Helper()
	return decode[sharedAnswer](s.t, s.get("/api/sessions/"+id).want(s.t, http.StatusOK))
}

func TestTitles(t *testing.T) {
	s := open(t, nil)
	id := s.create("mlp").Session.ID
	got := decode[sharedAnswer](t, s.post("/api/sessions/"+id+"/title", `{"title":"  <script>alert(1)</script>\u0000\u202e é "}`).want(t, http.StatusOK))
	if got.Session.Title != "<script>alert(1)</script> é" {
		t.Errorf("title is %q", got.Session.Title)
	}
	page := s.get("/s/"+id, "Accept", html).want(t, http.StatusOK, "&lt;script&gt;alert(1)")
	if strings.Contains(page.body, "<script>alert") {
		t.Error("the title is on the page unescaped")
	}
	s.do("POST", "/s/"+id+"/title", "title=By+form", "Accept", html, "Content-Type", urlencoded).want(t, http.StatusSeeOther)
	if got := s.info(id).Session.Title; got != "By form" {
		t.Errorf("title is %q after a form", got)
	}
	s.post("/api/sessions/"+id+"/title", `{"title":"\n"}`).want(t, http.StatusBadRequest, "empty")
	s.post("/api/sessions/"+id+"/title", `{"title":"`+strings.Repeat("x", store.MaxTitle+1)+`"}`).want(t, http.StatusBadRequest, "the limit is 400")
	s.post("/api/sessions/"+id+"/title", `{"name":"x"}`).want(t, http.StatusBadRequest, "unknown field")
}

type noteAnswer struct{ Note store.Note }

func TestNotes(t *testing.T) {
	s := open(t, nil)
	made := s.create("mlp").Session
	path := "/api/sessions/" + made.ID + "/notes"
	s.get(path).want(t, http.StatusOK, `"notes":[]`)
	body := fmt.Sprintf(`{"run":%q,"step":"1/Fuse<i>Ops</i>","function":"main","line":3,"text":" <img src=x onerror=alert(1)> "}`, made.Runs[0])
	first := decode[noteAnswer](t, s.post(path, body).want(t, http.StatusCreated)).Note
	if first.Text != "<img src=x onerror=alert(1)>" || first.Line != 3 || first.Run != made.Runs[0] || len(first.ID) != 22 {
		t.Fatalf("note is %+v", first)
	}
	form := s.do("POST", "/s/"+made.ID+"/notes", "text=a%0D%0Ab&step=2/Later&line=", "Accept", html, "Content-Type", urlencoded).want(t, http.StatusSeeOther)
	if to := form.Header.Get("Location"); to != "/s/"+made.ID+"?pass=2/Later" {
		t.Errorf("a note by form leads to %s", to)
	}
	changed := decode[noteAnswer](t, s.do("PUT", path+"/"+first.ID, `{"text":"other"}`, "Content-Type", "application/json").want(t, http.StatusOK)).Note
	if changed.ID != first.ID || changed.Text != "other" || !changed.Created.Equal(first.Created) || changed.Step != "" {
		t.Errorf("a changed note is %+v", changed)
	}
	list := decode[struct{ Notes []store.Note }](t, s.another().get(path).want(t, http.StatusOK)).Notes
	if len(list) != 2 || list[0].Text != "other" || list[1].Text != "a\nb" {
		t.Errorf("notes are %+v", list)
	}
	for body, want := range map[string]string{
		`{"text":"  "}`:            "is empty",
		`{"text":"x","line":-1}`:   "line is -1",
		`{"text":"x","run":"r"}`:   "does not belong to this session",
		`{"text":"x","colour":""}`: "unknown field",
		`{"text":"` + strings.Repeat("x", store.MaxNote+1) + `"}`:                "the limit is 16384",
		`{"text":"x","step":"` + strings.Repeat("x", store.MaxField+1) + `"}`:    "at most",
		`{"text":"x","function":"` + strings.Repeat("x", 1<<20) + `"}`:           "larger than",
		`{"text":"x","run":"` + strings.Repeat("A", len(made.Runs[0])-1) + `é"}`: "does not belong",
	} {
		if a := s.post(path, body); a.StatusCode != http.StatusBadRequest && a.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("%.60s answers %d", body, a.StatusCode)
		} else if !strings.Contains(a.body, want) && !(want == "at most" && strings.Contains(a.body, "1024 bytes")) {
			t.Errorf("%.60s answers %s, want %q", body, a.body, want)
		}
	}
	s.do("PUT", path+"/none", `{"text":"x"}`).want(t, http.StatusNotFound)
	s.do("DELETE", path+"/none", "").want(t, http.StatusNotFound)
	s.do("DELETE", path+"/"+first.ID, "").want(t, http.StatusNoContent)
	s.do("POST", "/s/"+made.ID+"/notes/"+list[1].ID+"/delete", "", "Accept", html).want(t, http.StatusSeeOther)
	s.get(path).want(t, http.StatusOK, `"notes":[]`)
}

func TestSharing(t *testing.T) {
	s := open(t, nil)
	made := s.create("mlp").Session
	s.finished(made.Runs[0])
	api := "/api/sessions/" + made.ID
	note := decode[noteAnswer](t, s.post(api+"/notes", `{"text":"x"}`).want(t, http.StatusCreated)).Note
	if got := s.info(made.ID).Session; got.Expires == nil || got.Shared || !got.Owner {
		t.Errorf("before it is shared the session is %+v", got)
	}
	s.post(api+"/share", `{"run":"other"}`).want(t, http.StatusBadRequest, "does not belong to this session")
	s.post(api+"/share", `{"view":"<b>"}`).want(t, http.StatusBadRequest, "view is")
	s.post(api+"/share", `{"line":-2}`).want(t, http.StatusBadRequest, "line is -2")
	if s.info(made.ID).Session.Shared {
		t.Fatal("a refused request shared the session")
	}
	s.post(api+"/share", `{"runs":["other"]}`).want(t, http.StatusBadRequest, "does not belong to this session")
	if list := decode[listAnswer](t, s.get("/api/sessions")).Sessions; len(list) != 1 {
		t.Fatalf("refused requests leave %d sessions", len(list))
	}
	state := fmt.Sprintf(`{"run":%q,"pass":"1/Fuse<i>Ops</i>","function":"main","view":"split","line":2}`, made.Runs[0])
	got := decode[sharedAnswer](t, s.post(api+"/share", state).want(t, http.StatusOK))
	snap := got.Session
	if want := "/s/" + snap.ID + "?run=" + made.Runs[0] + "&pass=1/Fuse%3Ci%3EOps%3C/i%3E&function=main&view=split&line=2"; got.Link != want || snap.ID == made.ID {
		t.Errorf("the link is %s, want %s", got.Link, want)
	}
	if !snap.Shared || snap.Expires != nil || snap.MayEdit || !snap.Owner || snap.Parent != made.ID || snap.Title != made.Title || !slices.Equal(snap.Runs, made.Runs) {
		t.Errorf("the snapshot is %+v", snap)
	}
	s.another().get(got.Link, "Accept", html).want(t, http.StatusOK, `data-may-edit="false"`)
	if strangers := s.another().info(snap.ID).Session; strangers.Parent != "" || strangers.Owner {
		t.Errorf("a stranger is told of the snapshot %+v", strangers)
	}

	// Nothing of it changes any more, for nobody.
	snapAPI := "/api/sessions/" + snap.ID
	for route, body := range map[string]string{
		"POST /title": `{"title":"x"}`, "POST /notes": `{"text":"x"}`, "PUT /notes/" + note.ID: `{"text":"x"}`, "DELETE /notes/" + note.ID: "",
	} {
		method, path, _ := strings.Cut(route, " ")
		s.do(method, snapAPI+path, body, "Content-Type", "application/json").want(t, http.StatusConflict, "fork it")
	}
	s.post(snapAPI+"/runs", `{}`).want(t, http.StatusForbidden)
	s.post(snapAPI+"/share", `{}`).want(t, http.StatusOK, `"link":"/s/`+snap.ID+`"`)

	// Sharing again without a change is the same snapshot, at once and in turn.
	var links sync.Map
	var both sync.WaitGroup
	for range 4 {
		both.Go(func() {
			links.Store(decode[sharedAnswer](t, s.post(api+"/share", `{}`).want(t, http.StatusOK)).Link, true)
		})
	}
	both.Wait()
	links.Range(func(link, _ any) bool {
		if link != "/s/"+snap.ID {
			t.Errorf("sharing again leads to %s, want /s/%s", link, snap.ID)
		}
		return true
	})
	again := s.do("POST", "/s/"+made.ID+"/share", "view=ir&run="+made.Runs[0]+"&runs="+made.Runs[0], "Accept", html, "Content-Type", urlencoded).want(t, http.StatusSeeOther)
	if to := again.Header.Get("Location"); to != "/s/"+snap.ID+"?run="+made.Runs[0]+"&view=ir" {
		t.Errorf("sharing again by a form leads to %s", to)
	}

	// The session goes on, and the snapshot stays what it was.
	s.post(api+"/title", `{"title":"later"}`).want(t, http.StatusOK)
	s.do("DELETE", api+"/notes/"+note.ID, "").want(t, http.StatusNoContent)
	s.post(api+"/runs", `{"opt_level":1}`).want(t, http.StatusAccepted)
	if now := s.info(snap.ID).Session; now.Title != made.Title || !slices.Equal(now.Runs, made.Runs) {
		t.Errorf("after a change of the session the snapshot is %+v", now)
	}
	s.get(snapAPI+"/notes").want(t, http.StatusOK, `"text":"x"`)
	if got := s.info(made.ID).Session; got.Shared || !got.MayEdit || got.Expires == nil || len(got.Runs) != 2 {
		t.Errorf("after it was shared the session is %+v", got)
	}
	if other := decode[sharedAnswer](t, s.post(api+"/share", `{}`).want(t, http.StatusOK)).Session; other.ID == snap.ID || other.Title != "later" || len(other.Runs) != 2 {
		t.Errorf("after a change sharing gives %+v", other)
	}

	// Its owner may delete it, and so the session: each stays without the other.
	s.do("DELETE", snapAPI, "").want(t, http.StatusNoContent)
	s.get(snapAPI).want(t, http.StatusNotFound)
	s.get(api).want(t, http.StatusOK)
}

// TestSharingOfSomeRuns shares one run of two: the other one stays behind with its notes and settings.
func TestSharingOfSomeRuns(t *testing.T) {
	s := open(t, nil)
	made := s.create("mlp").Session
	s.finished(made.Runs[0])
	api := "/api/sessions/" + made.ID
	late := decode[runAnswer](t, s.post(api+"/runs", `{"opt_level":0}`).want(t, http.StatusAccepted)).Run
	s.finished(late.ID)
	for run, text := range map[string]string{made.Runs[0]: "on the first", late.ID: "on the second", "": "on the session"} {
		s.post(api+"/notes", fmt.Sprintf(`{"text":%q,"run":%q}`, text, run)).want(t, http.StatusCreated)
	}
	s.post(api+"/share", fmt.Sprintf(`{"run":%q,"runs":[%q]}`, late.ID, made.Runs[0])).want(t, http.StatusBadRequest, "not one of those that are shared")
	body := fmt.Sprintf(`{"runs":[%q]}`, made.Runs[0])
	snap := decode[sharedAnswer](t, s.post(api+"/share", body).want(t, http.StatusOK)).Session
	if !slices.Equal(snap.Runs, made.Runs) {
		t.Errorf("the snapshot has the runs %v, want %v", snap.Runs, made.Runs)
	}
	if a := s.get("/api/sessions/" + snap.ID + "/notes"); !strings.Contains(a.body, "on the first") || !strings.Contains(a.body, "on the session") || strings.Contains(a.body, "on the second") {
		t.Errorf("the snapshot has the notes %s", a.body)
	}
	s.get("/api/sessions/"+snap.ID).want(t, http.StatusOK, `"opt_level":2`)
	s.get(api).want(t, http.StatusOK, `"opt_level":0`)
	if again := decode[sharedAnswer](t, s.post(api+"/share", body).want(t, http.StatusOK)).Session; again.ID != snap.ID {
		t.Error("the same runs are another snapshot")
	}
	if all := decode[sharedAnswer](t, s.post(api+"/share", `{}`).want(t, http.StatusOK)).Session; all.ID == snap.ID || len(all.Runs) != 2 {
		t.Errorf("all runs are %+v", all)
	}
}

// TestASnapshotKeepsWhatItShows drops everything that can be dropped: what a snapshot shows is there after that.
func TestASnapshotKeepsWhatItShows(t *testing.T) {
	st := store.NewMemory(64 << 20)
	s := open(t, func(c *web.Config) { c.Store = st })
	body, kind := form(t, "model", "m.onnx", []byte("\x08\x07weights"))
	made := decode[sessionAnswer](t, s.do("POST", "/api/sessions", body, "Content-Type", kind).want(t, http.StatusCreated)).Session
	s.finished(made.Runs[0])
	s.state(made.Runs[0], "ok")
	snap := decode[sharedAnswer](t, s.post("/api/sessions/"+made.ID+"/share", `{}`).want(t, http.StatusOK)).Session
	s.do("DELETE", "/api/sessions/"+made.ID, "").want(t, http.StatusNoContent)
	if _, _, err := st.Expire(t.Context(), time.Now().Add(1000*24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	s.get("/api/runs/"+made.Runs[0]).want(t, http.StatusOK)
	if a := s.get("/api/sessions/"+snap.ID+"/export.zip").want(t, http.StatusOK); !strings.Contains(a.body, "source/model.onnx") || !strings.Contains(a.body, "runs/1/events.ndjson") {
		t.Error("the model or the run is gone with the session")
	}
}

// TestASessionSharedForGood opens a session of the time in which sharing made the session itself immutable.
func TestASessionSharedForGood(t *testing.T) {
	st := store.NewMemory(64 << 20)
	s := open(t, func(c *web.Config) { c.Store = st })
	made := s.create("mlp").Session
	s.finished(made.Runs[0])
	if err := st.ShareSession(t.Context(), made.ID); err != nil {
		t.Fatal(err)
	}
	s.get("/s/"+made.ID, "Accept", html).want(t, http.StatusOK, `data-may-edit="false"`, `data-shared="true"`)
	s.post("/api/sessions/"+made.ID+"/title", `{"title":"x"}`).want(t, http.StatusConflict, "fork it")
	s.post("/api/sessions/"+made.ID+"/share", `{}`).want(t, http.StatusOK, `"link":"/s/`+made.ID+`"`)
	s.post("/api/sessions/"+made.ID+"/fork", `{}`).want(t, http.StatusCreated)
}

func TestForks(t *testing.T) {
	s := open(t, nil)
	made := s.create("mlp").Session
	s.finished(made.Runs[0])
	s.state(made.Runs[0], "ok")
	api := "/api/sessions/" + made.ID
	s.post(api+"/title", `{"title":"parent"}`)
	s.post(api+"/notes", fmt.Sprintf(`{"text":"x","run":%q}`, made.Runs[0]))
	other := s.another()
	fork := decode[sharedAnswer](t, other.post(api+"/fork", ``).want(t, http.StatusCreated))
	if fork.Session.Title != "parent" || len(fork.Session.Runs) != 1 || !fork.Session.MayEdit || len(fork.EditToken) != 43 || fork.Session.ID == made.ID {
		t.Fatalf("a fork is %+v", fork)
	}
	// The parent is not the visitor's and not shared: its id is not told; nor is the child's
	// to who made the parent.
	if fork.Session.Parent != "" || len(s.info(made.ID).Session.Children) != 0 {
		t.Errorf("ids of others are told: %+v, %+v", fork.Session, s.info(made.ID).Session)
	}
	forkAPI := "/api/sessions/" + fork.Session.ID
	other.get(forkAPI+"/notes").want(t, http.StatusOK, `"text":"x"`)
	other.get("/s/"+fork.Session.ID+"?run="+made.Runs[0], "Accept", html).want(t, http.StatusOK, "R.multiply", `data-may-edit="true"`)
	other.post(forkAPI+"/runs", `{"opt_level":1}`).want(t, http.StatusAccepted)
	s.post(forkAPI+"/runs", `{}`).want(t, http.StatusForbidden)

	own := decode[sharedAnswer](t, s.post(api+"/fork", fmt.Sprintf(`{"run":%q}`, made.Runs[0])).want(t, http.StatusCreated)).Session
	snap := decode[sharedAnswer](t, s.post(api+"/share", `{}`).want(t, http.StatusOK)).Session
	if got := s.info(made.ID).Session.Children; strings.Join(got, " ") != own.ID+" "+snap.ID {
		t.Errorf("children are %v, want the visitor's own", got)
	}
	if got := other.info(made.ID).Session.Children; strings.Join(got, " ") != fork.Session.ID+" "+snap.ID {
		t.Errorf("another visitor is told the children %v, want theirs and the snapshot", got)
	}
	if got := s.info(own.ID).Session.Parent; got != made.ID {
		t.Errorf("the parent of the visitor's own fork is %q", got)
	}
	if got := other.info(own.ID).Session.Parent; got != "" {
		t.Errorf("a stranger is told the parent %q", got)
	}
	form := s.do("POST", "/s/"+made.ID+"/fork", "", "Accept", html, "Content-Type", urlencoded).want(t, http.StatusSeeOther)
	s.get(form.Header.Get("Location"), "Accept", html).want(t, http.StatusOK)

	// What is shared can be forked, and a fork lives on when its parent is gone.
	late := decode[sharedAnswer](t, other.post("/api/sessions/"+snap.ID+"/fork", `{}`).want(t, http.StatusCreated)).Session
	if late.Parent != snap.ID || late.Shared || !late.MayEdit {
		t.Errorf("a fork of a snapshot is %+v", late)
	}
	s.do("DELETE", "/api/sessions/"+snap.ID, "").want(t, http.StatusNoContent)
	if got := other.info(late.ID).Session; got.Parent != "" || len(got.Runs) != 1 {
		t.Errorf("after its parent was deleted the fork is %+v", got)
	}
	s.post("/api/sessions/none/fork", `{}`).want(t, http.StatusNotFound)
}

func TestAForkKeepsAnUploadedModel(t *testing.T) {
	s := open(t, nil)
	body, kind := form(t, "model", "m.onnx", []byte("\x08\x07weights"))
	id := decode[sessionAnswer](t, s.do("POST", "/api/sessions", body, "Content-Type", kind).want(t, http.StatusCreated)).Session.ID
	fork := decode[sharedAnswer](t, s.another().post("/api/sessions/"+id+"/fork", `{}`).want(t, http.StatusCreated)).Session
	s.do("DELETE", "/api/sessions/"+id, "").want(t, http.StatusNoContent)
	a := s.get("/api/sessions/"+fork.ID+"/export.zip").want(t, http.StatusOK)
	if !strings.Contains(a.body, "source/model.onnx") {
		t.Error("the model is gone with the parent")
	}
}

func TestMySessionsAndExpiry(t *testing.T) {
	s := open(t, nil)
	if got := decode[listAnswer](t, s.get("/api/sessions").want(t, http.StatusOK)).Sessions; got == nil || len(got) != 0 {
		t.Errorf("without a token the list is %v", got)
	}
	a, b := s.create("mlp"), s.create("wait")
	list := decode[listAnswer](t, s.get("/api/sessions").want(t, http.StatusOK)).Sessions
	if len(list) != 2 || list[0].ID != b.Session.ID || list[1].ID != a.Session.ID {
		t.Errorf("sessions are %v", list)
	}
	if got := decode[listAnswer](t, s.another().get("/api/sessions", "Authorization", "Bearer "+a.EditToken)).Sessions; len(got) != 2 {
		t.Errorf("with the token in a header the list is %v", got)
	}
	if got := decode[listAnswer](t, s.another().get("/api/sessions", "Authorization", "Bearer "+strings.Repeat("A", 43))).Sessions; len(got) != 0 {
		t.Errorf("with another token the list is %v", got)
	}

	path := "/api/sessions/" + a.Session.ID + "/expiry"
	got := decode[sharedAnswer](t, s.post(path, `{"days":2}`).want(t, http.StatusOK)).Session
	if left := time.Until(*got.Expires); left > 48*time.Hour || left < 47*time.Hour {
		t.Errorf("it expires in %v", left)
	}
	for _, body := range []string{`{}`, `{"days":0}`, `{"days":-1}`, `{"days":366}`} {
		s.post(path, body).want(t, http.StatusBadRequest, "from 1 to 365")
	}
	s.do("POST", "/s/"+a.Session.ID+"/expiry", "days=x", "Content-Type", urlencoded).want(t, http.StatusBadRequest, "days is")
	s.do("POST", "/s/"+a.Session.ID+"/expiry", "days=9", "Content-Type", urlencoded, "Accept", html).want(t, http.StatusSeeOther)
	path = "/api/sessions/" + decode[sharedAnswer](t, s.post("/api/sessions/"+a.Session.ID+"/share", `{}`).want(t, http.StatusOK)).Session.ID + "/expiry"
	s.post(path, `{"days":5}`).want(t, http.StatusOK)
	if got := decode[sharedAnswer](t, s.post(path, `{"days":0}`).want(t, http.StatusOK)).Session; got.Expires != nil {
		t.Errorf("a shared session that is kept for good expires at %v", got.Expires)
	}
}

// TestWhatMayNotBeChangedDoesNotExist compares the answers to a session that is missing, one
// that has expired, and one of another visitor.
func TestWhatMayNotBeChangedDoesNotExist(t *testing.T) {
	st := store.NewMemory(64 << 20)
	s := open(t, func(c *web.Config) { c.Store = st })
	old, mine := s.create("mlp").Session.ID, s.create("mlp").Session.ID
	if err := st.SetExpiry(t.Context(), old, time.Now().Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	thief := s.another()
	thief.create("mlp") // has a token of its own
	for _, route := range []string{
		"POST /title", "POST /share", "POST /expiry", "POST /notes", "POST /notes/x", "PUT /notes/x", "DELETE /notes/x", "DELETE ",
	} {
		method, path, _ := strings.Cut(route, " ")
		body := `{"title":"x"}`
		want := thief.do(method, "/api/sessions/none"+path, body).want(t, http.StatusNotFound)
		for name, a := range map[string]answer{
			"expired":   s.do(method, "/api/sessions/"+old+path, body),
			"forbidden": thief.do(method, "/api/sessions/"+mine+path, body),
			"no token":  s.another().do(method, "/api/sessions/"+mine+path, body),
			"bad token": s.another().do(method, "/api/sessions/"+mine+path, body, "Authorization", "Bearer "+strings.Repeat("A", 43)),
		} {
			a.Header.Del("Date")
			want.Header.Del("Date")
			if a.StatusCode != want.StatusCode || a.body != want.body || fmt.Sprint(a.Header) != fmt.Sprint(want.Header) {
				t.Errorf("%s: %s answers %d %s %v, a missing one %d %s %v", route, name, a.StatusCode, a.body, a.Header, want.StatusCode, want.body, want.Header)
			}
		}
	}
	for _, f := range []string{"html", "md", "zip"} {
		if a, b := s.get("/api/sessions/"+old+"/export."+f), s.get("/api/sessions/none/export."+f); a.StatusCode != 404 || a.body != b.body {
			t.Errorf("export.%s of an expired session: %d %s", f, a.StatusCode, a.body)
		}
	}
	if got := s.info(mine).Session; got.Title != "MLP <b>" || got.Shared {
		t.Errorf("the session was changed: %+v", got)
	}
}
