package web

import (
	"context"
	"net/http"

	"github.com/irscope/irscope/ui/templates"
	"github.com/irscope/irscope/web/share"
)

// embedPage shows a session to the frame of another page: the same page without anything that starts, shares or changes something,
// for everybody alike. With only=diff it is the text alone, without the passes. It is there only where the operator lets origins embed.
func (s *Server) embedPage(w http.ResponseWriter, r *http.Request, t *share.Ticket) error {
	only := r.URL.Query().Get("only")
	if only != "" && only != "diff" {
		return badRequest("only is %.60q, want diff or nothing", only)
	}
	// Who may change the session may not do it in a frame: a page around it could make clicks look like others.
	r.Header.Del("Cookie")
	r.Header.Del("Authorization")
	v, err := work(r.Context(), s, t, pageBytes, func(context.Context) (templates.SessionView, error) { return s.sessionView(r) })
	if err != nil {
		return err
	}
	v.Reduced, v.DiffOnly, v.Compiler, v.CodeMirrorJS, v.Lesson = true, only == "diff", false, "", nil
	v.Reason = "Nothing can be run or changed in this frame; open the session in irscope"
	v.Link = "/s/" + v.Session
	if q := r.URL.Query(); len(q) > 0 {
		q.Del("only")
		v.Link += "?" + q.Encode()
	}
	s.embeddable(w.Header())
	return s.page(w, r, http.StatusOK, templates.Session(v))
}
