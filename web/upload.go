package web

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"path"
	"strings"
	"time"

	"github.com/irscope/irscope/instruments/dumps"
	"github.com/irscope/irscope/web/export"
	"github.com/irscope/irscope/web/share"
	"github.com/irscope/irscope/web/store"
)

// Limits on what visitors send.
const (
	// MaxModel is the size of the largest model, in bytes.
	MaxModel = 64 << 20
	// maxBody is the size of any other request body; the scripts of a run take half of it.
	maxBody = 1 << 20
)

// creation is what a request for a new session asks for: a gallery model, a text, or a file.
type creation struct {
	Gallery string `json:"gallery"`
	// Kind, where it is "tvmscript", says that Source is the text of a module, named Name, and where it is "dump", that it is what
	// another compiler printed.
	Kind   string `json:"kind"`
	Source string `json:"source"`
	Name   string `json:"name"`
	// Pipeline is that of the first run; empty means the default one.
	Pipeline string `json:"pipeline"`
	// Parent is the session whose text was edited; empty for none.
	Parent string `json:"parent"`
	// Example names a script that comes with the server: the session starts from its module,
	// with its passes in the pipeline.
	Example string `json:"example"`
	// Lesson names a lesson: the session starts from its module, with its settings.
	Lesson string `json:"lesson"`
	// Start tells whether the first run starts at once; absent means yes.
	Start *bool `json:"start"`

	file string
	data []byte
}

// readCreation reads a form, JSON, a multipart form with the file "model", or an archive. Large
// bodies take a place among the uploads until done is called, which is never nil.
func (s *Server) readCreation(w http.ResponseWriter, r *http.Request) (c creation, done func(), err error) {
	room, large := int64(0), false
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch kind {
	case "multipart/form-data":
		room, large = MaxModel+64<<10, true // the file and the form around it
	case "application/zip":
		room, large = export.MaxArchive, true
	}
	if !large {
		c, err = readSmallCreation(w, r, kind)
		return c, func() {}, err
	}
	if done, err = s.uploading(w, r, room); err != nil {
		return c, func() {}, err
	}
	if kind == "application/zip" {
		c, err = s.readArchive(r)
		return c, done, err
	}
	c, err = readUpload(r)
	switch {
	case err != nil:
	case export.IsArchive(c.data):
		c = asArchive(c)
	case dumps.Knows(c.data):
		c.Kind, c.Name = store.SourceDump, c.file
	case isScriptFile(c.file):
		c.Kind, c.Name, c.Source, c.data = store.SourceScript, c.file, string(c.data), nil
	}
	return c, done, err
}

// readSmallCreation reads a form or JSON.
func readSmallCreation(w http.ResponseWriter, r *http.Request, kind string) (c creation, err error) {
	switch kind {
	case "application/json":
		r.Body = http.MaxBytesReader(w, r.Body, maxScriptBody)
		return c, decodeJSON(r.Body, &c)
	default:
		r.Body = http.MaxBytesReader(w, r.Body, maxScriptBody)
		if err := r.ParseForm(); err != nil {
			return c, formError(err)
		}
		form := r.PostForm
		return creation{
			Gallery: form.Get("gallery"), Kind: form.Get("kind"), Source: unixLines(form.Get("source")),
			Name: form.Get("name"), Pipeline: form.Get("pipeline"), Parent: form.Get("parent"), Example: form.Get("example"), Lesson: form.Get("lesson"),
		}, nil
	}
}

// isScriptFile tells whether a file is the text of a module by its name.
func isScriptFile(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".py", ".txt", ".tvmscript":
		return true
	}
	return false
}

// unixLines undoes what forms do to the ends of lines.
func unixLines(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// uploading waits for a place among the bodies on their way, which the body has until done is
// called, and bounds it to room bytes and to its pace.
func (s *Server) uploading(w http.ResponseWriter, r *http.Request, room int64) (done func(), err error) {
	if r.ContentLength > room {
		return nil, tooLarge()
	}
	gate := s.gates.uploads
	t, err := gate.Enter(s.visitor(r))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(r.Context(), gate.Class().Time, &share.Refusal{
		Busy: true, Message: "too many models are being uploaded; try again in a moment", RetryAfter: 10 * time.Second,
	})
	defer cancel()
	need := room
	if r.ContentLength >= 0 {
		need = r.ContentLength
	}
	end, err := t.Turn(ctx, need)
	if err != nil {
		t.Leave()
		return nil, err
	}
	r.Body = http.MaxBytesReader(w, newPace(w, r.Body), room)
	return func() { end(); t.Leave() }, nil
}

// readUpload reads a multipart form into memory, once and within its limit.
func readUpload(r *http.Request) (creation, error) {
	form, err := r.MultipartReader()
	if err != nil {
		return creation{}, formError(err)
	}
	var c creation
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return c, nil
		}
		if err != nil {
			return creation{}, formError(err)
		}
		switch part.FormName() {
		case "model":
			if c.data != nil {
				return creation{}, badRequest("the form contains more than one model")
			}
			c.file = part.FileName()
			if c.data, err = readPart(part, r.ContentLength, MaxModel); err != nil {
				return creation{}, err
			}
		case "gallery":
			name, err := readPart(part, 0, 1<<10)
			if err != nil {
				return creation{}, err
			}
			c.Gallery = string(name)
		}
	}
}

// readPart reads a part of at most limit bytes. The hint, where it is known, is about
// its size; memory is taken once for it. Without one the buffer grows fourfold, so that all
// its sizes together take less than one and a half times the limit.
func readPart(part io.Reader, hint, limit int64) ([]byte, error) {
	buf := make([]byte, 0, min(max(hint, 512), limit+1))
	for {
		n, err := part.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		switch {
		case int64(len(buf)) > limit:
			return nil, tooLarge()
		case errors.Is(err, io.EOF):
			return buf, nil
		case err != nil:
			return nil, formError(err)
		case len(buf) == cap(buf):
			grown := make([]byte, len(buf), min(4*int64(cap(buf)), limit+1))
			copy(grown, buf)
			buf = grown
		}
	}
}

func tooLarge() error {
	return &httpError{status: http.StatusRequestEntityTooLarge, message: "the model is larger than " + size(MaxModel) + ", the limit of this server"}
}

// formError sorts errors of reading a body: too large, or not what it says to be.
func formError(err error) error {
	var large *http.MaxBytesError
	var known *httpError
	switch {
	case errors.As(err, &large):
		if large.Limit > MaxModel {
			return tooLarge()
		}
		return err
	case errors.As(err, &known):
		return known
	case errors.Is(err, os.ErrDeadlineExceeded):
		return tooSlow("the form did not arrive in time")
	}
	return badRequest("the form cannot be read: %v", err)
}

// decodeJSON reads one JSON value with known fields only.
func decodeJSON(r io.Reader, v any) error {
	dec := json.NewDecoder(r)
	dec.DisallowUnknownFields()
	err := dec.Decode(v)
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return tooSlow("the body did not arrive in time")
	case errors.Is(err, io.EOF):
		return nil // an empty body is an empty object
	case err != nil:
		return badRequest("the body is not the expected JSON: %v", err)
	}
	if dec.More() {
		return badRequest("the body contains more than one JSON value")
	}
	return nil
}
