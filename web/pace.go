package web

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

// How fast models and archives must arrive. Other bodies have the time of HTTPServer.
const (
	// uploadTime is how long one may take in all.
	uploadTime = 5 * time.Minute
	// uploadRate is the number of bytes a second that must come on the whole, after uploadGrace.
	uploadRate  = 32 << 10
	uploadGrace = 10 * time.Second
)

// pace is a body that must arrive at a rate: whoever sends a byte now and then loses the place
// that it takes.
type pace struct {
	body    io.ReadCloser
	control *http.ResponseController
	began   time.Time
	got     int64
}

// newPace returns the body of a request whose time to arrive begins now.
func newPace(w http.ResponseWriter, body io.ReadCloser) *pace {
	control := http.NewResponseController(w)
	_ = control.SetWriteDeadline(time.Now().Add(uploadTime + time.Minute)) // not supported in tests only
	return &pace{body: body, control: control, began: time.Now()}
}

// Read implements io.Reader.
func (p *pace) Read(b []byte) (int, error) {
	allowed := min(uploadTime, uploadGrace+time.Duration(p.got)*time.Second/uploadRate)
	if err := p.control.SetReadDeadline(p.began.Add(allowed)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return 0, err
	}
	n, err := p.body.Read(b)
	p.got += int64(n)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = tooSlow(fmt.Sprintf("the model arrived too slowly: at least %s per second is required, and all of it within %.0f minutes", size(uploadRate), uploadTime.Minutes()))
	}
	return n, err
}

// Close implements io.Closer.
func (p *pace) Close() error { return p.body.Close() }

// tooSlow is the answer where a body did not arrive in time.
func tooSlow(message string) error {
	return &httpError{status: http.StatusRequestTimeout, message: message}
}
