package class

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
)

// Board is what a student's page is told.
type Board struct {
	Title  string `json:"title"`
	Name   string `json:"name"`
	Locked bool   `json:"locked"`
	// Question is what the teacher asks now, and Answer what the student has chosen.
	Question *Question `json:"question,omitempty"`
	Answer   string    `json:"answer,omitempty"`
	// Watch is the session that the teacher presents now; empty where none.
	Watch string `json:"watch,omitempty"`
	// Over is true in the last message.
	Over bool `json:"over,omitempty"`
}

// Desk is a page of a student: a stream.Source of its Board and a stream.Sink of steps.
type Desk struct {
	classes *Classes
	at      seat
	last    []byte
	ended   bool
}

// Enter says that a page of a student's session is open, until leave is called.
func (c *Classes) Enter(session string) (d *Desk, leave func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, ok := c.seats[session]
	if !ok {
		return nil, nil, ErrNone
	}
	at.room.pages[at.student]++
	at.room.tell(false)
	return &Desk{classes: c, at: at}, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		at.room.pages[at.student]--
		at.room.tell(false)
	}, nil
}

// Take implements stream.Sink: the page says at which step it is, as {"step":"1.8/FuseOps"}.
func (d *Desk) Take(msg []byte) error {
	var in struct {
		Step string `json:"step"`
	}
	if err := json.Unmarshal(msg, &in); err != nil {
		return fmt.Errorf("read a step: %w", err)
	}
	step := line(in.Step, maxStep)
	c := d.classes
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := d.at.room.class.student(d.at.student); s.Step != step {
		s.Step = step
		c.moves(d.at.room)
	}
	return nil
}

// Next implements stream.Source.
func (d *Desk) Next(ctx context.Context, _ int) (lines [][]byte, sealed bool, err error) {
	if d.ended {
		return nil, true, nil
	}
	for {
		d.classes.mu.Lock()
		board, asked := d.board(), d.at.room.asked
		d.classes.mu.Unlock()
		data, err := json.Marshal(board)
		if err != nil {
			return nil, false, fmt.Errorf("encode board: %w", err)
		}
		if !bytes.Equal(data, d.last) {
			d.last, d.ended = data, board.Over
			return [][]byte{data}, false, nil
		}
		select {
		case <-asked:
		case <-ctx.Done():
			return nil, false, context.Cause(ctx)
		}
	}
}

func (d *Desk) board() Board {
	one := d.at.room.class
	out := Board{Title: one.Title, Name: one.student(d.at.student).Name, Locked: one.Locked, Question: one.Question, Over: d.at.room.over}
	if one.Question != nil {
		if a := one.answer(d.at.student, one.Question.ID); a != nil {
			out.Answer = a.Text
		}
	}
	if !out.Over && d.classes.presenting(one.From) {
		out.Watch = one.From
	}
	return out
}
