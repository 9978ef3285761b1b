package compat

import (
	"net/http"
	"strconv"
)

// poll puts the names of streams into the muted topics of a poll's answer, which comes in one piece.
type poll struct {
	http.ResponseWriter
	streams func() map[int64]string
	status  int // kept back until the length of what follows is known
}

// WriteHeader keeps the status of an answer with a body, and sends that of any other.
func (p *poll) WriteHeader(status int) {
	if status == http.StatusOK {
		p.status = status
		return
	}
	p.ResponseWriter.WriteHeader(status)
}

// Write sends the answer.
func (p *poll) Write(body []byte) (int, error) {
	if p.status == 0 {
		return p.ResponseWriter.Write(body)
	}
	named := nameStreams(body, p.streams)
	if p.Header().Get("Content-Length") != "" {
		p.Header().Set("Content-Length", strconv.Itoa(len(named)))
	}
	p.ResponseWriter.WriteHeader(p.status)
	p.status = 0
	if _, err := p.ResponseWriter.Write(named); err != nil {
		return 0, err
	}
	return len(body), nil
}

// Unwrap gives the writer below to http.ResponseController.
func (p *poll) Unwrap() http.ResponseWriter { return p.ResponseWriter }
