package compat

import (
	"context"
	"net/http"
	"strconv"
)

// poll puts the names of streams into the muted topics of a poll's answer, which comes in one piece.
type poll struct {
	http.ResponseWriter
	request *http.Request
	handler *handler
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
	named := nameStreams(body, func() map[int64]string {
		return p.handler.streams(p.request.Context(), askerOf(p.request))
	})
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

// Rewrite implements endpoint.Rewriter.
func (p *poll) Rewrite() func(ctx context.Context, body []byte) []byte {
	asker, handler := askerOf(p.request), p.handler
	return func(ctx context.Context, body []byte) []byte {
		return nameStreams(body, func() map[int64]string { return handler.streams(ctx, asker) })
	}
}

// Unwrap gives the writer below to http.ResponseController.
func (p *poll) Unwrap() http.ResponseWriter { return p.ResponseWriter }
