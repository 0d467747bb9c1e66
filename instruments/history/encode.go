package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Rows are the rows of a function, by line. As JSON they are columns, the lines as
// differences, because those compress well.
type Rows []Row

type columns struct {
	Lines []int  `json:"lines"`
	Kinds string `json:"kinds"`
	Names []int  `json:"names"`
	Ops   []int  `json:"ops"`
	Sets  []int  `json:"sets"`
}

// MarshalJSON writes the columns.
func (r Rows) MarshalJSON() ([]byte, error) { return r.append(nil), nil }

// UnmarshalJSON reads the columns.
func (r *Rows) UnmarshalJSON(data []byte) error {
	var c columns
	if err := json.Unmarshal(data, &c); err != nil {
		return err
	}
	n := len(c.Lines)
	if len(c.Kinds) != n || len(c.Names) != n || len(c.Ops) != n || len(c.Sets) != n {
		return fmt.Errorf("columns of %d lines, %d kinds, %d names, %d ops and %d sets, expected as many of each", n, len(c.Kinds), len(c.Names), len(c.Ops), len(c.Sets))
	}
	*r = make(Rows, n)
	line := 0
	for i := range *r {
		line += c.Lines[i]
		(*r)[i] = Row{line, Kind(c.Kinds[i]), c.Names[i], c.Ops[i], c.Sets[i]}
	}
	return nil
}

// Decode reads what Encode wrote and checks it.
func Decode(data []byte) ([]*Step, error) {
	var out []*Step
	cells := 0
	for line := range bytes.Lines(data) {
		s := &Step{}
		err := json.Unmarshal(line, s)
		if err == nil {
			err = s.check()
		}
		if cells += s.Cells(); err == nil && cells > MaxCells {
			err = fmt.Errorf("the steps have more than MaxCells = %d rows and members of sets", MaxCells)
		}
		if err != nil {
			return nil, fmt.Errorf("history, line %d: %w", len(out)+1, err)
		}
		out = append(out, s)
	}
	return out, nil
}

func (s *Step) check() error {
	for i, set := range s.Sets {
		if !slices.IsSorted(set) {
			return fmt.Errorf("set %d is not ascending", i)
		}
	}
	byID := func(a, b Root) int { return int(a.ID) - int(b.ID) }
	if !slices.IsSortedFunc(s.Roots, byID) {
		return fmt.Errorf("the roots are not ascending")
	}
	for _, f := range s.Functions {
		for i, r := range f.Rows {
			switch {
			case r.Line < 1:
				return fmt.Errorf("function %q, row %d: there is no line %d", f.Name, i, r.Line)
			case !strings.ContainsRune(kinds, rune(r.Kind)):
				return fmt.Errorf("function %q, row %d: unknown kind %q, expected one of %s", f.Name, i, r.Kind, kinds)
			case uint(r.Name) >= uint(len(s.Names)) || uint(r.Op) >= uint(len(s.Names)):
				return fmt.Errorf("function %q, row %d: name %d and op %d, there are %d names", f.Name, i, r.Name, r.Op, len(s.Names))
			case uint(r.Set) >= uint(len(s.Sets)):
				return fmt.Errorf("function %q, row %d: set %d of %d", f.Name, i, r.Set, len(s.Sets))
			}
		}
	}
	return nil
}
