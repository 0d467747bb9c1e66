package web

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/session"
	"github.com/irscope/irscope/web/share"
	"github.com/irscope/irscope/web/store"
)

// maxTensorFile is the size of the largest file of tensors, in bytes.
const maxTensorFile = 32 << 20

// maxTaken bounds the names that a request says are taken.
const maxTaken = 256

// giveTensors takes a file of tensors for a session, as the body: inputs, or with role=expected outputs that are expected. It keeps their elements with the
// session and answers with what settings name them by. The session itself does not change until a run has these settings.
func (s *Server) giveTensors(w http.ResponseWriter, r *http.Request, t *share.Ticket) error {
	if s.cfg.Compiler == nil {
		return &httpError{status: http.StatusNotImplemented, message: "this server does not read tensors"}
	}
	sess, err := s.theSession(r)
	if err != nil {
		return err
	}
	if !session.MayEdit(sess, s.editToken(r)) {
		return &httpError{status: http.StatusForbidden, message: "only the creator of this session can give it inputs; fork it"}
	}
	q := r.URL.Query()
	file := run.TensorFile{Name: session.FileName(q.Get("file")), Taken: q["taken"]}
	switch role := q.Get("role"); {
	case role != "input" && role != "expected":
		return badRequest("role is %.60q, want input or expected", role)
	case len(file.Taken) > maxTaken || len(strings.Join(file.Taken, "")) > maxTaken*store.MaxField:
		return badRequest("at most %d names can be taken", maxTaken)
	default:
		file.Expected = role == "expected"
	}
	done, err := s.uploading(w, r, maxTensorFile)
	if err != nil {
		return tensorFileError(err)
	}
	defer done()
	if file.Data, err = readPart(r.Body, r.ContentLength, maxTensorFile); err != nil {
		return tensorFileError(err)
	}
	settings, err := s.settingsOf(sess)
	if err != nil {
		return err
	}
	req := run.Request{Source: sess.Source, Settings: settings, Limits: s.cfg.Limits}
	given, err := work(r.Context(), s, t, checkBytes, func(ctx context.Context) ([]run.GivenTensor, error) {
		return s.cfg.Compiler.Tensors(ctx, req, file)
	})
	var known *event.Error
	if errors.As(err, &known) {
		return &httpError{status: http.StatusUnprocessableEntity, message: known.Message}
	}
	if err != nil {
		return err
	}
	out := make([]run.Tensor, len(given))
	for i, g := range given {
		if g.Blob, err = s.cfg.Store.PutBlob(r.Context(), sess.ID, store.LangBinary, g.Data); err != nil {
			return err
		}
		out[i] = g.Tensor
	}
	return s.json(w, http.StatusOK, map[string]any{"tensors": out})
}

// tensorFileError names the limit of files of tensors where a body was too large.
func tensorFileError(err error) error {
	var known *httpError
	var large *http.MaxBytesError
	if errors.As(err, &known) && known.status == http.StatusRequestEntityTooLarge || errors.As(err, &large) {
		return &httpError{status: http.StatusRequestEntityTooLarge, message: "the file is larger than " + size(maxTensorFile) + ", the limit of this server"}
	}
	return err
}
