package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Bounds on classes.
const (
	// MaxClasses is the number of classes in a store.
	MaxClasses = 200
	// MaxClass is the bytes of one.
	MaxClass = 1 << 20
)

// Class is a class that a teacher holds. What it consists of is none of the store's business.
type Class struct {
	// ID is unguessable; whoever knows it may join.
	ID string
	// Expires is when the class goes; it must be set.
	Expires time.Time
	// Data is the class as its package writes it.
	Data []byte
}

// Check returns what is wrong with the form of a class that is to be stored.
func (c Class) Check() error {
	switch {
	case c.ID == "" || len(c.ID) > MaxField:
		return fmt.Errorf("a class needs an id of at most %d bytes", MaxField)
	case c.Expires.IsZero():
		return fmt.Errorf("a class needs a time at which it expires")
	case len(c.Data) > MaxClass:
		return fmt.Errorf("a class has %d bytes; the limit is %d: %w", len(c.Data), MaxClass, ErrQuota)
	}
	return nil
}

// TooManyClasses is the error of a store with MaxClasses that gets another.
func TooManyClasses() error {
	return fmt.Errorf("the server keeps %d classes, which is the limit: %w", MaxClasses, ErrQuota)
}

// bytes returns what a class counts for.
func (c Class) bytes() int64 { return int64(sessionBytes + len(c.Data)) }

// PutClass implements Store.
func (m *Memory) PutClass(_ context.Context, c Class) error {
	if err := c.Check(); err != nil {
		return fmt.Errorf("put class: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.IndexFunc(m.classes, func(old Class) bool { return old.ID == c.ID })
	more := c.bytes()
	switch {
	case i >= 0:
		more -= m.classes[i].bytes()
	case len(m.classes) >= MaxClasses:
		return fmt.Errorf("put class: %w", TooManyClasses())
	}
	if err := m.reserve(more, ""); err != nil {
		m.used -= more
		return fmt.Errorf("put class: %w", err)
	}
	if i >= 0 {
		m.classes[i] = c
	} else {
		m.classes = append(m.classes, c)
	}
	return nil
}

// Classes implements Store.
func (m *Memory) Classes(context.Context) ([]Class, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	out := slices.DeleteFunc(slices.Clone(m.classes), func(c Class) bool { return !now.Before(c.Expires) })
	slices.SortFunc(out, func(a, b Class) int { return strings.Compare(a.ID, b.ID) })
	return out, nil
}

// DeleteClass implements Store.
func (m *Memory) DeleteClass(_ context.Context, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dropClasses(func(c Class) bool { return c.ID == id }) == 0 {
		return fmt.Errorf("delete class: %w", ErrNotFound)
	}
	return nil
}

// dropClasses drops classes and returns how many; the caller holds the lock.
func (m *Memory) dropClasses(which func(Class) bool) int {
	n := len(m.classes)
	m.classes = slices.DeleteFunc(m.classes, func(c Class) bool {
		if !which(c) {
			return false
		}
		m.used -= c.bytes()
		return true
	})
	return n - len(m.classes)
}
