package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/irscope/irscope/instruments/check"
	"github.com/irscope/irscope/web/store"
)

// checkName is the name of the file with the report of a check of the passes of a run, which a run need not have.
const checkName = "check.ndjson"

// checkLine is a line of such a report, as store.Store keeps it: a step, or the report as the last one.
type checkLine struct {
	Step   *check.Step   `json:"step,omitempty"`
	Report *check.Report `json:"report,omitempty"`
}

// readCheck returns the report of the run with a number, nil where it has none. Each line has to be one that a check writes.
func (a *archive) readCheck(n int) ([]byte, error) {
	name := runName(n, checkName)
	if a.files[name] == nil {
		return nil, nil
	}
	data, err := a.read(name)
	if err != nil {
		return nil, err
	}
	if err := store.CheckReport(data); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	number, ended := 0, false
	for line := range bytes.Lines(data) {
		number++
		dec := json.NewDecoder(bytes.NewReader(line))
		dec.DisallowUnknownFields()
		var x checkLine
		err := dec.Decode(&x)
		switch {
		case err != nil:
		case ended:
			err = errors.New("it comes after the report")
		case (x.Step == nil) == (x.Report == nil):
			err = errors.New("it is neither a step nor a report")
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, number, err)
		}
		ended = x.Report != nil
	}
	if !ended {
		return nil, fmt.Errorf("%s does not end with a report", name)
	}
	return data, nil
}
