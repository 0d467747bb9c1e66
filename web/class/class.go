// Package class keeps classes: students who have joined a teacher's session under a nickname, each with a session of their own, the step
// at which each of them is, and their answers.
//
// There are no accounts. A class belongs to the edit token of its teacher and a student to theirs; of both only the hash is kept. What a
// class consists of is stored whenever it changes and outlives the server. At which step students are, and what they run, changes all the
// time: that is stored a while later, for all at once, and when the server ends (Flush). Package stream carries
// what pages are told and say; the web package imports both. It must not know HTTP, runs, or lessons: what is answered is a text, and
// whoever checks it says whether it is right (Record).
package class

import (
	"crypto/subtle"
	"errors"
	"slices"
	"time"
)

// Bounds on classes.
const (
	// MaxStudents is the number of students of a class.
	MaxStudents = 200
	// PerOrigin is the number of open classes of one address.
	PerOrigin = 4
	// Lifetime is how long a class is open.
	Lifetime = 7 * 24 * time.Hour

	maxStep      = 120 // bytes of the name of a step
	maxLabel     = 200 // bytes of what a run is called
	maxQuestion  = 300 // bytes of a question, and of the name of one that is recorded
	maxOption    = 120 // bytes of an answer
	maxOptions   = 8   // answers to choose from
	maxQuestions = 100 // questions of a class that have answers
)

// Errors of what is asked of a class.
var (
	ErrNone  = errors.New("there is no such class, or it has ended")
	ErrTaken = errors.New("somebody in this class has this nickname already")
	ErrFull  = errors.New("this class has as many students as a class may have")
	ErrMany  = errors.New("as many classes are open as this server allows")
	ErrForm  = errors.New("cannot be taken")
)

// Class is a class as it is stored.
type Class struct {
	ID string `json:"id"`
	// Token is the SHA-256 of the teacher's edit token.
	Token []byte `json:"token"`
	Title string `json:"title"`
	// From is the teacher's session, and Session the snapshot of it that students begin with.
	From    string `json:"from"`
	Session string `json:"session"`
	// Locked keeps students from changing the pipeline beyond turning passes off and on.
	Locked  bool      `json:"locked"`
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires"`
	// Question is what the teacher asks now; nil for nothing. Asked counts the questions.
	Question *Question `json:"question,omitempty"`
	Asked    int       `json:"asked"`
	Students []Student `json:"students"`
	Answers  []Answer  `json:"answers"`
}

// Student is somebody who has joined.
type Student struct {
	ID string `json:"id"`
	// Token is the SHA-256 of the student's edit token.
	Token   []byte    `json:"token"`
	Name    string    `json:"name"`
	Session string    `json:"session"`
	Joined  time.Time `json:"joined"`
	// Step is where the student is, Run what their latest run is called, and Runs how many they have started.
	Step string `json:"step,omitempty"`
	Run  string `json:"run,omitempty"`
	Runs int    `json:"runs,omitempty"`
}

// Question is what a teacher asks, with the answers to choose from.
type Question struct {
	// ID is its number and its text.
	ID      string   `json:"id"`
	Text    string   `json:"text"`
	Options []string `json:"options"`
}

// Answer is what a student has answered to a question last.
type Answer struct {
	Student  string `json:"student"`
	Question string `json:"question"`
	Text     string `json:"text"`
	// Right tells what became of a check; nil where nothing checks the answer.
	Right *bool `json:"right,omitempty"`
}

// student returns the student with an id; nil where there is none.
func (c *Class) student(id string) *Student {
	i := slices.IndexFunc(c.Students, func(s Student) bool { return s.ID == id })
	if i < 0 {
		return nil
	}
	return &c.Students[i]
}

// holder returns the number of the student who has a token; -1 for none. It takes the same time for every wrong token.
func (c *Class) holder(hash [32]byte) int {
	return slices.IndexFunc(c.Students, func(s Student) bool { return subtle.ConstantTimeCompare(s.Token, hash[:]) == 1 })
}

// answer returns what a student has answered to a question; nil for nothing.
func (c *Class) answer(student, question string) *Answer {
	i := slices.IndexFunc(c.Answers, func(a Answer) bool { return a.Student == student && a.Question == question })
	if i < 0 {
		return nil
	}
	return &c.Answers[i]
}

// put notes an answer in the place of the one before.
func (c *Class) put(a Answer) error {
	if old := c.answer(a.Student, a.Question); old != nil {
		*old = a
		return nil
	}
	questions := map[string]bool{a.Question: true}
	for _, other := range c.Answers {
		questions[other.Question] = true
	}
	if len(questions) > maxQuestions {
		return errors.New("a class has answers to at most 100 questions")
	}
	c.Answers = append(c.Answers, a)
	return nil
}
