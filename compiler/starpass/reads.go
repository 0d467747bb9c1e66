package starpass

import (
	"errors"
	"fmt"
	"slices"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/pass"
)

// reads is what a pass declares to read of its context; nil is everything.
type reads struct {
	level, target bool
	config        []string
}

// What a pass may declare to read besides config options.
const (
	readsLevel  = "opt_level"
	readsTarget = "target"
)

func readsOf(v starlark.Value) (*reads, error) {
	if v == nil || v == starlark.None {
		return nil, nil
	}
	list, err := names(v)
	if err != nil {
		return nil, err
	}
	r := &reads{}
	known := pass.ListConfigs()
	for _, n := range list {
		switch {
		case n == readsLevel:
			r.level = true
		case n == readsTarget:
			r.target = true
		case pass.ConfigKey(n) != "":
			r.config = append(r.config, pass.ConfigKey(n))
		default:
			msg := fmt.Sprintf("%q is neither opt_level nor target nor a config option", n)
			if near := nearestOf(n, append(sortedKeys(known), readsLevel, readsTarget)); near != "" {
				msg += fmt.Sprintf("; did you mean %q?", near)
			}
			return nil, errors.New(msg)
		}
	}
	return r, nil
}

// declare notes on p what is read.
func (r *reads) declare(p *pass.Pass) {
	if r == nil {
		p.ReadsLevel, p.ReadsTarget, p.Config = true, true, sortedKeys(pass.ListConfigs())
		return
	}
	p.ReadsLevel, p.ReadsTarget, p.Config = r.level, r.target, r.config
}

// covers checks that a pass may be run by one that declared r.
func (r *reads) covers(p *pass.Pass) error {
	if r == nil {
		return nil
	}
	miss := ""
	switch {
	case p.ReadsLevel && !r.level:
		miss = readsLevel
	case p.ReadsTarget && !r.target:
		miss = readsTarget
	}
	for _, k := range p.Config {
		if !slices.Contains(r.config, k) {
			miss = k
		}
	}
	if miss != "" {
		return fmt.Errorf("pass %s reads %s, which the pass that runs it does not declare; add it to its list reads", p.Name, miss)
	}
	for _, c := range p.Children {
		if err := r.covers(c); err != nil {
			return err
		}
	}
	return nil
}
