package compat

import (
	"net/http"
	"strconv"
)

// splicer puts members at the front of the JSON object that a successful answer is, on its way.
type splicer struct {
	http.ResponseWriter
	extra   []byte
	started bool
	skip    bool // this answer isn't one to change
}

// WriteHeader makes the room that the members need.
func (s *splicer) WriteHeader(status int) {
	s.skip = status != http.StatusOK
	if length, err := strconv.Atoi(s.Header().Get("Content-Length")); err == nil && !s.skip {
		s.Header().Set("Content-Length", strconv.Itoa(length+len(s.extra)))
	}
	s.ResponseWriter.WriteHeader(status)
}

// Write writes the members behind the first byte, the object's brace.
func (s *splicer) Write(p []byte) (int, error) {
	if s.skip || s.started || len(p) == 0 {
		return s.ResponseWriter.Write(p)
	}
	s.started = true
	for _, part := range [][]byte{p[:1], s.extra, p[1:]} {
		if _, err := s.ResponseWriter.Write(part); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// Unwrap gives the writer below to http.ResponseController.
func (s *splicer) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// answer keeps an answer until all of it is there.
type answer struct {
	header http.Header
	status int
	body   []byte
}

// Header gives the answer's headers.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader keeps the status.
func (a *answer) WriteHeader(status int) { a.status = status }

// Write keeps a part of the body.
func (a *answer) Write(p []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	a.body = append(a.body, p...)
	return len(p), nil
}

// send sends the answer, whose length may have changed.
func (a *answer) send(w http.ResponseWriter) {
	if a.header.Get("Content-Length") != "" {
		a.header.Set("Content-Length", strconv.Itoa(len(a.body)))
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body) // a client that went away
}
