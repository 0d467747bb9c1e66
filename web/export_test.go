package web

import (
	"github.com/go-chi/chi/v5"

	"github.com/irscope/irscope/web/share"
)

// Routes returns all routes of a server for tests that walk them.
func (s *Server) Routes() chi.Routes { return s.handler.(chi.Routes) }

// DiffLoad returns what is going on where differences are made.
func (s *Server) DiffLoad() share.Load { return s.gates.diffs.Load() }
