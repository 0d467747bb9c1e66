package web

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/irscope/irscope/web/export"
	"github.com/irscope/irscope/web/store"
)

// Limits on what visitors send.
const (
	// MaxModel is the size of the largest model, in bytes.
	MaxModel = 64 << 20
	// maxBody is the size of any other request body; the scripts of a run take half of it.
	maxBody = 1 << 20
	// createsPerMinute is the number of sessions that a visitor may make in a minute.
	createsPerMinute = 30
	// uploadTime is how long a model may take to arrive.
	uploadTime = 5 * time.Minute
)

// visitors limits how often each visitor may do something. The zero value is ready.
type visitors struct {
	mu   sync.Mutex
	rate map[string]*rate.Limiter
}

// allow tells whether a visitor may do it now, or how long to wait.
func (v *visitors) allow(id string, perMinute int) (bool, time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.rate == nil {
		v.rate = map[string]*rate.Limiter{}
	}
	l := v.rate[id]
	if l == nil {
		if len(v.rate) >= 10_000 {
			for id, old := range v.rate {
				if old.Tokens() >= float64(old.Burst()) {
					delete(v.rate, id)
				}
			}
		}
		l = rate.NewLimiter(rate.Limit(float64(perMinute)/60), perMinute)
		v.rate[id] = l
	}
	r := l.Reserve()
	if wait := r.Delay(); wait > 0 {
		r.Cancel()
		return false, wait
	}
	return true, 0
}

// creation is what a request for a new session asks for: a gallery model, a text, or a file.
type creation struct {
	Gallery string `json:"gallery"`
	// Kind, where it is "tvmscript", says that Source is the text of a module, named Name.
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
	// Start tells whether the first run starts at once; absent means yes.
	Start *bool `json:"start"`

	file string
	data []byte
}

// readCreation reads a form, JSON, or a multipart form with the file "model".
func (s *Server) readCreation(w http.ResponseWriter, r *http.Request) (creation, error) {
	var c creation
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch kind {
	case "multipart/form-data":
		c, err := s.readUpload(w, r)
		if err == nil && export.IsArchive(c.data) {
			return asArchive(c), nil
		}
		if err == nil && isScriptFile(c.file) {
			c.Kind, c.Name, c.Source, c.data = store.SourceScript, c.file, string(c.data), nil
		}
		return c, err
	case "application/zip":
		return s.readArchive(w, r)
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
			Name: form.Get("name"), Pipeline: form.Get("pipeline"), Parent: form.Get("parent"), Example: form.Get("example"),
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

// uploading takes one of the few turns for large bodies, gives the body its time, and bounds
// it to room bytes.
func (s *Server) uploading(w http.ResponseWriter, r *http.Request, room int64) (done func(), err error) {
	if r.ContentLength > room {
		return nil, tooLarge()
	}
	select {
	case s.uploads <- struct{}{}:
	default:
		return nil, &httpError{status: http.StatusServiceUnavailable, message: "too many models are being uploaded; try again in a moment", retryAfter: 10 * time.Second}
	}
	done = func() { <-s.uploads }
	control := http.NewResponseController(w)
	if err := control.SetReadDeadline(time.Now().Add(uploadTime)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		done()
		return nil, err
	}
	_ = control.SetWriteDeadline(time.Now().Add(uploadTime + time.Minute)) // not supported in tests only
	r.Body = http.MaxBytesReader(w, r.Body, room)
	return done, nil
}

// readUpload reads a multipart form into memory, once and within its limit.
func (s *Server) readUpload(w http.ResponseWriter, r *http.Request) (creation, error) {
	done, err := s.uploading(w, r, MaxModel+64<<10) // the file and the form around it
	if err != nil {
		return creation{}, err
	}
	defer done()
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
				return creation{}, badRequest("the form holds more than one model")
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
	return &httpError{status: http.StatusRequestEntityTooLarge, message: "the model is larger than " + size(MaxModel) + ", the most that this server takes"}
}

// formError sorts errors of reading a body: too large, or not what it says to be.
func formError(err error) error {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		if large.Limit > MaxModel {
			return tooLarge()
		}
		return err
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
	case errors.Is(err, io.EOF):
		return nil // an empty body is an empty object
	case err != nil:
		return badRequest("the body is not the JSON that is expected here: %v", err)
	}
	if dec.More() {
		return badRequest("the body holds more than one JSON value")
	}
	return nil
}
