package run

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/irscope/irscope/instruments/request"
	"github.com/irscope/irscope/web/store"
)

// Request is all that determines what a run says, apart from the executable.
type Request struct {
	Source   store.Source `json:"source"`
	Settings Settings     `json:"settings"`
	Limits   Limits       `json:"limits"`
	// Attempt tells measurements of the same request apart; 0 may be shared.
	Attempt int `json:"attempt,omitempty"`
}

// What a request holds is defined beside the driver, which the command line shares.
type (
	Settings = request.Settings
	Step     = request.Step
	Script   = request.Script
	Patch    = request.Patch
	Schedule = request.Schedule
)

// Limits are what a run may use.
type Limits struct {
	// Time is the wall time from the start of the run, queueing not counted.
	Time time.Duration `json:"time"`
	// Memory is the accounted memory in bytes: nodes, tensors, texts, wasm pages.
	Memory int64 `json:"memory"`
	// LogBytes and TextBytes bound the events and the texts.
	LogBytes  int64 `json:"log_bytes"`
	TextBytes int64 `json:"text_bytes"`
}

// defaultLimits are the limits of a run for a visitor of the page.
var defaultLimits = Limits{Time: 20 * time.Second, Memory: 512 << 20, LogBytes: 64 << 20, TextBytes: 256 << 20}

// DefaultLimits returns the limits of a run that was started from the page.
func DefaultLimits() Limits { return defaultLimits }

// Key returns the key of a request for an executable that build identifies: two
// requests with the same key give the same bodies of events.
func (r Request) Key(build string) (string, error) {
	// Maps are encoded in the order of their keys, so the encoding is canonical.
	data, err := json.Marshal(r)
	if err != nil {
		return "", fmt.Errorf("encode request: %w", err)
	}
	h := sha256.New()
	fmt.Fprintf(h, "%d:%s\n", len(build), build)
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil)), nil
}
