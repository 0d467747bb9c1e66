package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/irscope/irscope/instruments/driver"
	"github.com/irscope/irscope/instruments/event"
)

// eventLog keeps the events of a run and hands each on as it happens.
type eventLog struct {
	driver.Log
	each func(event.Event) error
}

// Emit implements event.Sink.
func (l *eventLog) Emit(e event.Event) error {
	if err := l.Log.Emit(e); err != nil {
		return err
	}
	return l.each(l.Events[len(l.Events)-1])
}

// writeLine writes a value as one line of JSON.
func writeLine(w io.Writer, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", data)
	return err
}
