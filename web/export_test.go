package web

import "github.com/go-chi/chi/v5"

// Routes returns all routes of a server for tests that walk them.
func (s *Server) Routes() chi.Routes { return s.handler.(chi.Routes) }
