package class

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// calm is the least time between two rosters that a page is sent.
const calm = 400 * time.Millisecond

// Roster is what the teacher sees.
type Roster struct {
	Title   string    `json:"title"`
	Locked  bool      `json:"locked"`
	Expires time.Time `json:"expires"`
	// Students are in the order in which they joined.
	Students []Row     `json:"students"`
	Question *Question `json:"question,omitempty"`
	// Tallies are the questions with answers, the latest first; Tried is what the latest runs are called.
	Tallies []Tally `json:"tallies"`
	Tried   []Count `json:"tried"`
	// Over is true in the last message.
	Over bool `json:"over,omitempty"`
}

// Row is a student.
type Row struct {
	Name string `json:"name"`
	// Here tells that a page of the student is open.
	Here bool `json:"here"`
	// Step is where the student is, Run what their latest run is called, and Runs how many they started.
	Step string `json:"step"`
	Run  string `json:"run"`
	Runs int    `json:"runs"`
	// Answer is what they have answered to the question that is asked now; Right counts the checked answers that are right of Checked.
	Answer  string `json:"answer"`
	Right   int    `json:"right"`
	Checked int    `json:"checked"`
}

// Tally is how the answers to a question are distributed.
type Tally struct {
	Question string  `json:"question"`
	Answers  []Count `json:"answers"`
}

// Count says how many students have answered something.
type Count struct {
	Text  string `json:"text"`
	Count int    `json:"count"`
	// Right tells what became of a check; absent where nothing checks the answer.
	Right *bool `json:"right,omitempty"`
}

// Roster returns what the teacher of a class sees now.
func (c *Classes) Roster(id string) (Roster, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, err := c.room(id)
	if err != nil {
		return Roster{}, err
	}
	return r.roster(), nil
}

// roster makes the roster of a class; the caller holds the lock.
func (r *room) roster() Roster {
	one := r.class
	out := Roster{Title: one.Title, Locked: one.Locked, Expires: one.Expires, Question: one.Question, Students: []Row{}, Tallies: []Tally{}, Tried: []Count{}, Over: r.over}
	rows := map[string]*Row{}
	var tried []Count
	for _, s := range one.Students {
		out.Students = append(out.Students, Row{Name: s.Name, Here: r.pages[s.ID] > 0, Step: s.Step, Run: s.Run, Runs: s.Runs})
		if s.Run != "" {
			tried = count(tried, s.Run, nil)
		}
	}
	for i, s := range one.Students {
		rows[s.ID] = &out.Students[i]
	}
	at := map[string]int{}
	for _, a := range one.Answers {
		row := rows[a.Student]
		if one.Question != nil && a.Question == one.Question.ID {
			row.Answer = a.Text
		}
		if a.Right != nil {
			if row.Checked++; *a.Right {
				row.Right++
			}
		}
		i, ok := at[a.Question]
		if !ok {
			i = len(out.Tallies)
			at[a.Question] = i
			out.Tallies = append(out.Tallies, Tally{Question: a.Question})
		}
		out.Tallies[i].Answers = count(out.Tallies[i].Answers, a.Text, a.Right)
	}
	slices.Reverse(out.Tallies)
	for i := range out.Tallies {
		sortCounts(out.Tallies[i].Answers)
	}
	sortCounts(tried)
	out.Tried = append(out.Tried, tried...)
	return out
}

// count adds one to the count of a text.
func count(in []Count, text string, right *bool) []Count {
	for i := range in {
		if in[i].Text == text && (in[i].Right == nil) == (right == nil) && (right == nil || *in[i].Right == *right) {
			in[i].Count++
			return in
		}
	}
	return append(in, Count{Text: text, Count: 1, Right: right})
}

func sortCounts(in []Count) {
	slices.SortStableFunc(in, func(a, b Count) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.Text, b.Text)) })
}

// Watch is a page of a teacher. It is a stream.Source of its Roster.
type Watch struct {
	classes *Classes
	room    *room
	last    []byte
	sent    time.Time
	ended   bool
}

// Watch begins to watch a class.
func (c *Classes) Watch(id string) (*Watch, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, err := c.room(id)
	if err != nil {
		return nil, err
	}
	return &Watch{classes: c, room: r}, nil
}

// Next implements stream.Source: the roster whenever it has changed, at most every 400 ms.
func (w *Watch) Next(ctx context.Context, _ int) (lines [][]byte, sealed bool, err error) {
	if w.ended {
		return nil, true, nil
	}
	for {
		select {
		case <-time.After(time.Until(w.sent.Add(calm))):
		case <-ctx.Done():
			return nil, false, context.Cause(ctx)
		}
		w.classes.mu.Lock()
		roster, changed := w.room.roster(), w.room.changed
		w.classes.mu.Unlock()
		data, err := json.Marshal(roster)
		if err != nil {
			return nil, false, fmt.Errorf("encode roster: %w", err)
		}
		if !bytes.Equal(data, w.last) {
			w.last, w.ended, w.sent = data, roster.Over, time.Now()
			return [][]byte{data}, false, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, false, context.Cause(ctx)
		}
	}
}
