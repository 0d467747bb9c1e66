package arith

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// The rules of the rewrite simplifier are the lines of the files in the folder rules:
//
//	add.cancel-sub  (x - y) + y => x
//	mul.negative    (x - y)*c1 =>> (y - x)*-c1 if c1 < 0
//
// A line has a name, patterns with | between them, the result, and a condition. In a pattern c1, c2, ...
// match integer constants and other names any expression, the same one wherever a name stands again. The
// result after => is used as it is, its constants computed; that after =>> is simplified again. A result
// @name is computed by a function in rulehooks.go, which may decline; it is for what has structure.
// Conditions compare constants and call the predicates of rulepredicates.go. x//y and x % y round down,
// truncdiv(x, y) and truncmod(x, y) towards zero.
//
// A line index, vector, integer, other or any says which types the rules after it are for: indices, vectors,
// integers that are no indices, everything but indices, everything. The lines from "each OP: min, max" to
// "end" stand there once with min for OP and once with max; with more words before the colon each
// alternative has as many.
//
// Of the rules of one operation and type the first that matches wins, and the order of TVM's
// src/arith/rewrite_simplify.cc is kept where it can be observed. A rule that computes a constant beyond
// its type does not apply.

//go:embed rules/*.rules
var ruleFiles embed.FS

// ruleOrder lists the files in the order in which their rules are tried.
var ruleOrder = [...]string{"vector", "add", "sub", "mul", "truncdiv", "floordiv", "floormod", "minmax", "compare", "logic", "select"}

// Rule is a rule of the rewrite simplifier.
type Rule struct {
	Name string // operation and what the rule does, as "add.cancel-sub"
	Text string // patterns, result, and condition
	On   string // the types that it is for: index, vector, integer, other, or any
	File string // the file in the folder rules
	Line int

	alts []*alternative // one for each pattern
}

// ruleTable has the rules, which are compiled when the first one is needed.
var ruleTable struct {
	once  sync.Once
	rules []*Rule
	by    [numOps][numTypes][]*alternative // patterns for each operation and class of types
}

func loadRules() {
	t := &ruleTable
	for _, name := range ruleOrder {
		file := "rules/" + name + ".rules"
		text, err := ruleFiles.ReadFile(file)
		if err != nil {
			panic(err)
		}
		rules, err := readRules(file, string(text))
		if err != nil {
			panic(err) // a test reads them
		}
		t.rules = append(t.rules, rules...)
	}
	for _, r := range t.rules {
		for _, a := range r.alts {
			for on := range numTypes {
				if ruleTypes(r.On)>>on&1 != 0 {
					t.by[a.op][on] = append(t.by[a.op][on], a)
				}
			}
		}
	}
}

// Rules returns the rules of the rewrite simplifier in the order in which they are tried.
func Rules() []*Rule {
	ruleTable.once.Do(loadRules)
	return slices.Clone(ruleTable.rules)
}

// readRules reads the text of a file of rules.
func readRules(file, text string) ([]*Rule, error) {
	lines := strings.Split(text, "\n")
	on := "any"
	var out []*Rule
	var read func(from int, words, values []string) (next int, err error)
	read = func(i int, words, values []string) (int, error) {
		for ; i < len(lines); i++ {
			line := strings.TrimSpace(lines[i])
			head, rest, _ := strings.Cut(line, " ")
			switch {
			case line == "" || line[0] == '#':
			case rest == "" && line == "end":
				return i, nil
			case rest == "" && ruleTypes(line) != 0:
				on = line
			case head == "each":
				names, choices, ok := strings.Cut(rest, ":")
				if !ok {
					return i, fmt.Errorf("%s:%d: expected a colon after the words of each", file, i+1)
				}
				end := i
				for _, choice := range strings.Split(choices, ",") {
					ws, vs := append(slices.Clone(words), strings.Fields(names)...), append(slices.Clone(values), strings.Fields(choice)...)
					if len(ws) != len(vs) {
						return i, fmt.Errorf("%s:%d: %d words for %d values", file, i+1, len(ws), len(vs))
					}
					var err error
					if end, err = read(i+1, ws, vs); err != nil {
						return end, err
					}
				}
				i = end
			default:
				line = replaceWords(line, words, values)
				name, body, _ := strings.Cut(line, " ")
				r := &Rule{Name: name, Text: strings.TrimSpace(body), On: on, File: file, Line: i + 1}
				if err := compileRule(r); err != nil {
					return i, fmt.Errorf("%s:%d: rule %s: %w", file, i+1, name, err)
				}
				out = append(out, r)
			}
		}
		return i, nil
	}
	_, err := read(0, nil, nil)
	return out, err
}

// replaceWords puts each value where its word stands as a whole.
func replaceWords(line string, words, values []string) string {
	if len(words) == 0 {
		return line
	}
	var b strings.Builder
	for i := 0; i < len(line); {
		j := i
		for j < len(line) && isWordByte(line[j]) {
			j++
		}
		if j == i {
			b.WriteByte(line[i])
			i++
			continue
		}
		word := line[i:j]
		if k := slices.Index(words, word); k >= 0 {
			word = values[k]
		}
		b.WriteString(word)
		i = j
	}
	return b.String()
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
