package web

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/go-chi/chi/v5"

	"github.com/irscope/irscope/ui/templates"
	"github.com/irscope/irscope/web/lesson"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/session"
	"github.com/irscope/irscope/web/store"
)

// lessonJSON is a lesson in the list of all.
type lessonJSON struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Summary string `json:"summary"`
	Part    string `json:"part"`
	Level   int    `json:"level"`
	Steps   int    `json:"steps"`
}

// lessonStart is what the first run of a lesson takes, for a session.
type lessonStart struct {
	Settings run.Settings `json:"settings"`
}

// lessonSolution is the solution of a step. Settings are absent where the first run is the answer.
type lessonSolution struct {
	HTML     string        `json:"html"`
	Answer   string        `json:"answer,omitempty"`
	Settings *run.Settings `json:"settings,omitempty"`
}

// newLesson makes a session of the module of a lesson.
func (s *Server) newLesson(ctx context.Context, name, token string) (store.Session, error) {
	l, _ := lesson.Find(s.cfg.Lessons, name)
	switch {
	case l == nil:
		return store.Session{}, badRequest("there is no lesson %.60q", name)
	case l.Model == "" && s.cfg.Compiler == nil:
		return store.Session{}, noTexts
	}
	return session.FromLesson(ctx, s.cfg.Store, l.Begin(), token)
}

// lessonSettings completes settings of a lesson by what goes without saying for a session.
func (s *Server) lessonSettings(sess store.Session, given run.Settings) run.Settings {
	return lesson.Complete(given, s.defaults(sess))
}

// theLesson returns the lesson that a route names, and its number from 0.
func (s *Server) theLesson(r *http.Request) (*lesson.Lesson, int, error) {
	l, i := lesson.Find(s.cfg.Lessons, chi.URLParam(r, "lesson"))
	if l == nil {
		return nil, 0, &httpError{status: http.StatusNotFound, message: "there is no such lesson"}
	}
	return l, i, nil
}

// theStep returns the step of a lesson that a route names, which counts from 1.
func (s *Server) theStep(r *http.Request) (*lesson.Lesson, *lesson.Step, error) {
	l, _, err := s.theLesson(r)
	if err != nil {
		return nil, nil, err
	}
	n, err := strconv.Atoi(chi.URLParam(r, "step"))
	if err != nil || n < 1 || n > len(l.Steps) {
		return nil, nil, &httpError{status: http.StatusNotFound, message: "the lesson has no such step"}
	}
	return l, &l.Steps[n-1], nil
}

// listLessons lists all lessons.
func (s *Server) listLessons(w http.ResponseWriter, _ *http.Request) error {
	out := []lessonJSON{}
	for _, l := range s.cfg.Lessons {
		out = append(out, lessonJSON{l.Name, l.Title, l.Summary, l.Part, l.Level, len(l.Steps)})
	}
	return s.json(w, http.StatusOK, map[string]any{"lessons": out})
}

// startOfLesson answers with the settings of the first run.
func (s *Server) startOfLesson(w http.ResponseWriter, r *http.Request) error {
	sess, err := s.theSession(r)
	if err != nil {
		return err
	}
	l, _, err := s.theLesson(r)
	if err != nil {
		return err
	}
	return s.json(w, http.StatusOK, lessonStart{s.lessonSettings(sess, l.Settings)})
}

// solutionOfStep answers with the solution of a step.
func (s *Server) solutionOfStep(w http.ResponseWriter, r *http.Request) error {
	sess, err := s.theSession(r)
	if err != nil {
		return err
	}
	_, step, err := s.theStep(r)
	if err != nil {
		return err
	}
	if step.Solution == nil {
		return &httpError{status: http.StatusNotFound, message: "this step has no solution"}
	}
	out := lessonSolution{HTML: step.Solution.HTML, Answer: step.Solution.Text}
	if given := step.Solution.Settings; given != nil {
		settings := s.lessonSettings(sess, *given)
		out.Settings = &settings
	}
	return s.json(w, http.StatusOK, out)
}

// lessonsPage lists all lessons. What the visitor has done is known to the browser alone.
func (s *Server) lessonsPage(w http.ResponseWriter, r *http.Request) error {
	v := templates.LessonsView{Assets: assets("lessonspage"), Parts: lessonParts(s.cfg.Lessons)}
	return s.page(w, r, http.StatusOK, templates.Lessons(v))
}

// lessonParts groups lessons by part, in the order in which the parts begin.
func lessonParts(list []*lesson.Lesson) []templates.LessonPart {
	var out []templates.LessonPart
	for i, l := range list {
		at := slices.IndexFunc(out, func(p templates.LessonPart) bool { return p.Title == l.Part })
		if at < 0 {
			at = len(out)
			out = append(out, templates.LessonPart{Title: l.Part})
		}
		out[at].Lessons = append(out[at].Lessons, lessonCard(i, l))
	}
	return out
}

func lessonCard(i int, l *lesson.Lesson) templates.LessonCard {
	return templates.LessonCard{Name: l.Name, Number: i + 1, Title: l.Title, Doc: l.Summary, Steps: len(l.Steps), Level: l.Level}
}

// lessonView is the lesson of a session; nil where it has none, or one that this server does not know.
func (s *Server) lessonView(sess store.Session) *templates.LessonView {
	l, i := lesson.Find(s.cfg.Lessons, sess.Lesson)
	if l == nil {
		return nil
	}
	v := &templates.LessonView{Name: l.Name, Title: l.Title, Part: l.Part, Lead: l.Lead, Number: i + 1, Count: len(s.cfg.Lessons)}
	for _, step := range l.Steps {
		t := templates.LessonStep{Title: step.Title, HTML: step.HTML, Hints: step.Hints, Checked: step.Check != nil, Solved: step.Solution != nil}
		if q := step.Question; q != nil {
			t.Ask, t.Choices = q.Ask, q.Choices
		}
		v.Steps = append(v.Steps, t)
	}
	if i+1 < len(s.cfg.Lessons) {
		next := s.cfg.Lessons[i+1]
		v.Next, v.NextTitle = next.Name, next.Title
	}
	return v
}
