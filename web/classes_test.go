package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/irscope/irscope/web"
	"github.com/irscope/irscope/web/class"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/store"
)

type classAnswer struct {
	Class struct {
		ID, Title     string
		Locked, Owner bool
	}
}

type joinAnswer struct {
	Session   string
	EditToken string `json:"edit_token"`
}

// openClass opens a class on a new session of a teacher.
func (s *site) openClass(locked bool) (from sessionAnswer, id string) {
	s.t.Helper()
	from = s.create("mlp")
	s.finished(from.Session.Runs[0])
	a := decode[classAnswer](s.t, s.post("/api/sessions/"+from.Session.ID+"/class", fmt.Sprintf(`{"locked":%t}`, locked)).want(s.t, http.StatusCreated))
	if !a.Class.Owner || a.Class.Locked != locked || a.Class.Title != "MLP <b>" {
		s.t.Errorf("the class is %+v", a.Class)
	}
	return from, a.Class.ID
}

// join lets another visitor join a class.
func (s *site) join(id, name string) (*site, joinAnswer) {
	s.t.Helper()
	v := s.another()
	return v, decode[joinAnswer](s.t, v.post("/api/classes/"+id+"/join", fmt.Sprintf(`{"name":%q}`, name)).want(s.t, http.StatusCreated))
}

// TestAClass from the teacher's link to the answers: each student has a session of their own.
func TestAClass(t *testing.T) {
	s := open(t, nil)
	from, id := s.openClass(false)
	// Asked for again it is the same one.
	if a := decode[classAnswer](t, s.post("/api/sessions/"+from.Session.ID+"/class", `{}`).want(t, http.StatusCreated)); a.Class.ID != id {
		t.Error("a second class was opened on the session")
	}
	s.get("/class/"+id, "Accept", "text/html").want(t, http.StatusOK, `data-teacher="true"`, "MLP &lt;b&gt;", "End the class")
	ada, a := s.join(id, "Ada")
	bob, b := s.join(id, "<i>Bob</i>")
	if a.Session == b.Session || a.Session == from.Session.ID || a.EditToken == b.EditToken {
		t.Fatalf("the students have %+v and %+v", a, b)
	}
	if a := s.another().get("/class/"+id, "Accept", "text/html").want(t, http.StatusOK, `action="/class/`+id+`/join"`); strings.Contains(a.body, "Bob") || strings.Contains(a.body, from.Session.ID) {
		t.Error("the page for those who have not joined says who has, or names the teacher's session")
	}
	s.another().post("/api/classes/"+id+"/join", `{"name":"ADA"}`).want(t, http.StatusConflict, "nickname already")
	s.another().post("/api/classes/"+id+"/join", `{"name":"a\u202eb"}`).want(t, http.StatusBadRequest, "U+202E")
	// The form without a script.
	form := s.another()
	form.do("POST", "/class/"+id+"/join", "name=ada", "Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html").want(t, http.StatusConflict, `value="ada"`, `role="alert"`)
	if a := form.do("POST", "/class/"+id+"/join", "name=Eve", "Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html").want(t, http.StatusSeeOther); !strings.HasPrefix(a.Header.Get("Location"), "/s/") {
		t.Errorf("who has joined is led to %q", a.Header.Get("Location"))
	}

	// The session of a student is a copy, and nobody else's: other students and the teacher cannot change it.
	ada.get("/s/"+a.Session, "Accept", "text/html").want(t, http.StatusOK, `data-class="true"`, `data-may-edit="true"`)
	bob.get("/s/"+a.Session, "Accept", "text/html").want(t, http.StatusOK, `data-class="false"`, `data-may-edit="false"`)
	run := decode[runAnswer](t, ada.post("/api/sessions/"+a.Session+"/runs", `{"target":"wasm","opt_level":2,"disabled":["FuseOps"]}`).want(t, http.StatusAccepted)).Run.ID
	ada.finished(run)
	for _, other := range []*site{bob, s, s.another()} {
		other.post("/api/sessions/"+a.Session+"/runs", `{}`).want(t, http.StatusForbidden)
		other.post("/api/sessions/"+a.Session+"/title", `{"title":"x"}`).want(t, http.StatusNotFound)
		other.post("/api/sessions/"+a.Session+"/answer", `{"question":"1. x","option":0}`).want(t, http.StatusNotFound)
		if _, resp, err := other.dial("/api/sessions/"+a.Session+"/desk", nil); err == nil || resp.StatusCode != http.StatusNotFound {
			t.Errorf("another takes the place of a student: %v", err)
		}
	}
	// Only the teacher sees the roster, asks and ends.
	for _, other := range []*site{ada, bob, s.another()} {
		other.get("/api/classes/"+id+"/roster").want(t, http.StatusNotFound)
		other.post("/api/classes/"+id+"/question", `{"text":"x","options":["a","b"]}`).want(t, http.StatusNotFound)
		other.do("DELETE", "/api/classes/"+id, "").want(t, http.StatusNotFound)
		other.do("POST", "/class/"+id+"/end", "", "Content-Type", "application/x-www-form-urlencoded").want(t, http.StatusNotFound)
		if a := decode[classAnswer](t, other.get("/api/classes/"+id).want(t, http.StatusOK)); a.Class.Owner {
			t.Error("a student owns the class")
		}
	}
	desk, _, err := ada.dial("/api/sessions/"+a.Session+"/desk", bearer(a.EditToken))
	if err != nil {
		t.Fatal(err)
	}
	told[class.Board](t, desk)
	if err := desk.WriteJSON(map[string]string{"step": "FuseOps"}); err != nil {
		t.Fatal(err)
	}
	s.post("/api/classes/"+id+"/question", `{"text":"Which?","options":["a"]}`).want(t, http.StatusBadRequest)
	s.post("/api/classes/"+id+"/question", `{"text":"Which?","options":["<b>a</b>","b"]}`).want(t, http.StatusNoContent)
	if got := told[class.Board](t, desk); got.Question == nil || got.Question.ID != "1. Which?" {
		t.Errorf("a student is told %+v", got)
	}
	ada.post("/api/sessions/"+a.Session+"/answer", `{"question":"1. Which?","option":1}`).want(t, http.StatusNoContent)
	ada.post("/api/sessions/"+a.Session+"/answer", `{"question":"1. Which?","option":2}`).want(t, http.StatusBadRequest)
	waitFor(t, "the teacher sees the step", func() bool {
		r := decode[class.Roster](t, s.get("/api/classes/"+id+"/roster").want(t, http.StatusOK))
		return len(r.Students) == 3 && r.Students[0] == class.Row{Name: "Ada", Here: true, Step: "FuseOps", Run: r.Students[0].Run, Runs: 1, Answer: "b"} &&
			strings.Contains(r.Students[0].Run, "FuseOps") && r.Students[1].Name == "<i>Bob</i>"
	})
	s.do("DELETE", "/api/classes/"+id, "").want(t, http.StatusNoContent)
	s.get("/api/classes/"+id).want(t, http.StatusNotFound, "has ended")
	if got := told[class.Board](t, desk); got.Answer == "" && !got.Over {
		t.Errorf("at the end a student is told %+v", got)
	}
	ada.get("/s/"+a.Session, "Accept", "text/html").want(t, http.StatusOK, `data-class="false"`, `data-may-edit="true"`)
}

// TestAStudentWhoDeletesTheirSession gets another when they come back, and is the same student.
func TestAStudentWhoDeletesTheirSession(t *testing.T) {
	s := open(t, nil)
	_, id := s.openClass(true)
	ada, a := s.join(id, "Ada")
	ada.do("DELETE", "/api/sessions/"+a.Session, "").want(t, http.StatusNoContent)
	again := decode[joinAnswer](t, ada.post("/api/classes/"+id+"/join", `{"name":"Ada"}`).want(t, http.StatusCreated))
	if again.Session == a.Session || again.EditToken != a.EditToken {
		t.Errorf("after %+v there is %+v", a, again)
	}
	ada.post("/api/sessions/"+again.Session+"/runs", `{"opt_level":2,"target":"interp"}`).want(t, http.StatusForbidden, "locked")
	if r := decode[class.Roster](t, s.get("/api/classes/"+id+"/roster").want(t, http.StatusOK)); len(r.Students) != 1 {
		t.Errorf("the students are %+v", r.Students)
	}
}

// TestOnlyTheOwnerOpensAClass on a session.
func TestOnlyTheOwnerOpensAClass(t *testing.T) {
	s := open(t, nil)
	sess := s.create("mlp").Session.ID
	s.another().post("/api/sessions/"+sess+"/class", `{}`).want(t, http.StatusNotFound)
	s.get("/class/unknown", "Accept", "text/html").want(t, http.StatusNotFound, "no such class")
	s.get("/api/classes/unknown/roster").want(t, http.StatusNotFound)
	s.post("/api/classes/unknown/join", `{"name":"x"}`).want(t, http.StatusNotFound)
}

// TestALockedPipeline lets students turn passes off and on and change the level; everything else is refused, by the server.
func TestALockedPipeline(t *testing.T) {
	s := open(t, nil)
	_, id := s.openClass(true)
	ada, a := s.join(id, "Ada")
	for settings, status := range map[string]int{
		`{"opt_level":2,"target":"wasm","pipeline":"default"}`:                             http.StatusOK,
		`{"opt_level":3,"target":"wasm","disabled":["FuseOps"],"required":["X"],"seed":7}`: http.StatusAccepted,
		`{"opt_level":2,"target":"wasm","config":{},"profile":3,"rewrites":true}`:          http.StatusAccepted,
		`{"opt_level":2,"target":"wasm","steps":[{"name":"FuseOps"}]}`:                     http.StatusForbidden,
		`{"opt_level":2,"target":"wasm","pipeline":"other"}`:                               http.StatusForbidden,
		`{"opt_level":2,"target":"interp"}`:                                                http.StatusForbidden,
		`{"opt_level":2,"target":"wasm","config":{"a":1}}`:                                 http.StatusForbidden,
		`{"opt_level":2,"target":"wasm","bindings":[{"batch":9}]}`:                         http.StatusForbidden,
		`{"opt_level":2,"target":"wasm","scripts":[{"name":"a.star","source":"x = 1"}]}`:   http.StatusForbidden,
		`{"opt_level":2,"target":"wasm","patches":[{"after":"FuseOps","text":"x"}]}`:       http.StatusForbidden,
	} {
		got := ada.post("/api/sessions/"+a.Session+"/runs", settings)
		if got.StatusCode != status && (status == http.StatusForbidden || got.StatusCode >= 300) {
			t.Errorf("%s gives %d %s, want %d", settings, got.StatusCode, got.body, status)
		}
		if status == http.StatusForbidden && !strings.Contains(got.body, "locked") {
			t.Errorf("%s is refused with %s", settings, got.body)
		}
	}
	// A fork is no session of the class.
	fork := decode[sessionAnswer](t, ada.post("/api/sessions/"+a.Session+"/fork", `{}`).want(t, http.StatusCreated)).Session.ID
	if got := ada.post("/api/sessions/"+fork+"/runs", `{"opt_level":2,"target":"wasm","config":{"a":1}}`); got.StatusCode >= 300 {
		t.Errorf("in a fork it is %d %s", got.StatusCode, got.body)
	}
}

// TestAClassBehindOneAddress: limits of a visitor are those of each student, while those of the address hold for others there.
func TestAClassBehindOneAddress(t *testing.T) {
	admission := run.DefaultAdmission(2)
	admission.PerMinute, admission.QueuePerVisitor = 2, 2
	s := open(t, func(c *web.Config) { c.Admission = admission })
	_, id := s.openClass(false) // one of the two runs
	var wg sync.WaitGroup
	for i := range 30 {
		student, a := s.join(id, fmt.Sprint("student ", i))
		wg.Go(func() {
			for k := range 2 {
				if got := student.post("/api/sessions/"+a.Session+"/runs", fmt.Sprintf(`{"opt_level":2,"target":"wasm","seed":%d}`, 100*i+k+1)); got.StatusCode != http.StatusAccepted {
					t.Errorf("run %d of student %d gives %d %s", k, i, got.StatusCode, got.body)
				}
			}
			if got := student.post("/api/sessions/"+a.Session+"/runs", fmt.Sprintf(`{"opt_level":2,"target":"wasm","seed":%d}`, 100*i+50)); got.StatusCode != http.StatusTooManyRequests {
				t.Errorf("a third run of student %d gives %d %s", i, got.StatusCode, got.body)
			}
		})
	}
	wg.Wait()
	stranger := s.another()
	stranger.create("mlp")
	sess := decode[sessionAnswer](t, stranger.post("/api/sessions", `{"gallery":"mlp","start":false}`).want(t, http.StatusCreated)).Session.ID
	stranger.post("/api/sessions/"+sess+"/runs", `{"seed":9001}`).want(t, http.StatusAccepted)
	stranger.post("/api/sessions/"+sess+"/runs", `{"seed":9002}`).want(t, http.StatusTooManyRequests)
}

// TestAClassOutlivesTheServer: its students, what they ran and the lock are there on another server with the same store.
func TestAClassOutlivesTheServer(t *testing.T) {
	st := store.NewMemory(64 << 20)
	s := open(t, func(c *web.Config) { c.Store = st })
	teacher, id := s.openClass(true)
	ada, a := s.join(id, "Ada")
	ada.start(a.Session, `{"opt_level":1,"target":"wasm","bindings":[{"batch":1},{"batch":3}]}`)
	s.server.Drain(t.Context())
	again := open(t, func(c *web.Config) { c.Store = st })
	again.post("/api/sessions/"+a.Session+"/runs", `{"opt_level":2,"target":"interp"}`, "Authorization", "Bearer "+a.EditToken).want(t, http.StatusForbidden, "locked")
	again.get("/api/classes/"+id).want(t, http.StatusOK, `"locked":true`)
	again.get("/api/classes/"+id+"/roster", "Authorization", "Bearer "+teacher.EditToken).want(t, http.StatusOK, `"name":"Ada","here":false`, `"runs":1`)
}

// TestAClassWithALesson: the lesson stands beside each copy, and the teacher sees what was answered to its steps.
func TestAClassWithALesson(t *testing.T) {
	s := withLessons(t)
	from := decode[sessionAnswer](t, s.post("/api/sessions", `{"lesson":"fusion"}`).want(t, http.StatusCreated))
	s.finished(from.Session.Runs[0])
	id := decode[classAnswer](t, s.post("/api/sessions/"+from.Session.ID+"/class", `{}`).want(t, http.StatusCreated)).Class.ID
	for name, answers := range map[string][]string{"Ada": {"wrong", "right"}, "Bob": {"wrong"}, "Eve": nil} {
		student := s.another()
		a := student.post("/api/classes/"+id+"/join", fmt.Sprintf(`{"name":%q}`, name)).want(t, http.StatusCreated)
		own := decode[joinAnswer](t, a).Session
		student.get("/s/"+own, "Accept", "text/html").want(t, http.StatusOK, `id="lesson"`)
		at := "/api/sessions/" + own + "/lessons/fusion/steps/1/check"
		for _, answer := range answers {
			body := fmt.Sprintf(`{"run":%q,"answer":%q}`, from.Session.Runs[0], answer)
			student.post(at, body).want(t, http.StatusOK)
			// Somebody else may ask what is right, but not answer for a student.
			s.another().post(at, strings.Replace(body, answer, "other", 1)).want(t, http.StatusOK)
		}
	}
	yes, no := true, false
	r := decode[class.Roster](t, s.get("/api/classes/"+id+"/roster").want(t, http.StatusOK))
	if len(r.Tallies) != 1 || r.Tallies[0].Question != "Fusion <b>, step 1" || fmt.Sprint(r.Tallies[0].Answers[0].Text, *r.Tallies[0].Answers[0].Right, r.Tallies[0].Answers[1].Text, *r.Tallies[0].Answers[1].Right) != fmt.Sprint("right", yes, "wrong", no) {
		t.Errorf("the answers are %+v", r.Tallies)
	}
	for _, row := range r.Students {
		if want := map[string][2]int{"Ada": {1, 1}, "Bob": {0, 1}, "Eve": {0, 0}}[row.Name]; row.Right != want[0] || row.Checked != want[1] {
			t.Errorf("%s has %d of %d right", row.Name, row.Right, row.Checked)
		}
	}
}

// TestStudentsDoNotSeeEachOther: nothing that a student or a stranger can ask for names the session or the run of another, who cannot be
// disturbed by those who know them all the same.
func TestStudentsDoNotSeeEachOther(t *testing.T) {
	s := open(t, nil)
	from, id := s.openClass(false)
	ada, a := s.join(id, "Ada")
	bob, b := s.join(id, "Bob")
	own := ada.start(a.Session, `{"opt_level":1,"target":"wasm","bindings":[{"batch":1},{"batch":3}]}`)
	ada.post("/api/sessions/"+a.Session+"/notes", `{"text":"a secret"}`).want(t, http.StatusCreated)
	begin := decode[sessionAnswer](t, bob.get("/api/sessions/"+b.Session).want(t, http.StatusOK)).Session.Parent
	if begin == "" {
		t.Fatal("the session of a student does not say what it was copied from")
	}
	for _, path := range []string{
		"/api/sessions/" + b.Session, "/api/sessions/" + begin, "/api/sessions", "/s/" + b.Session, "/s/" + begin, "/api/sessions/" + b.Session + "/runs", "/api/sessions/" + begin + "/runs",
		"/api/sessions/" + b.Session + "/notes", "/api/sessions/" + b.Session + "/changes", "/class/" + id, "/api/classes/" + id, "/", "/api/runs/" + from.Session.Runs[0],
	} {
		got := bob.get(path, "Accept", map[bool]string{true: "application/json", false: html}[strings.HasPrefix(path, "/api/")]).want(t, http.StatusOK)
		for _, secret := range []string{a.Session, own, "Ada", "a secret", a.EditToken} {
			if strings.Contains(got.body, secret) {
				t.Errorf("%s tells another student %q", path, secret)
			}
		}
	}
	at := "/api/sessions/" + a.Session
	bob.do("DELETE", at, "").want(t, http.StatusNotFound)
	bob.post("/api/runs/"+own+"/cancel", `{}`)
	bob.post(at+"/notes", `{"text":"x"}`).want(t, http.StatusNotFound)
	bob.post(at+"/expiry", `{"days":1}`).want(t, http.StatusNotFound)
	bob.post(at+"/share", `{}`).want(t, http.StatusNotFound)
	bob.post(at+"/class", `{}`).want(t, http.StatusNotFound)
	if _, resp, err := bob.dial(at+"/present", bearer(b.EditToken)); err == nil || resp.StatusCode != http.StatusNotFound {
		t.Errorf("another presents the session of a student: %v", err)
	}
	s.state(own, "ok")
	if got := decode[sessionAnswer](t, ada.get(at).want(t, http.StatusOK)).Session; !got.MayEdit || got.Shared || len(got.Runs) != 2 {
		t.Errorf("after all that the session is %+v", got)
	}
}
