package endpoint_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/permit"
)

// discard is a response writer that keeps only headers.
type discard http.Header

func (d discard) Header() http.Header         { return http.Header(d) }
func (d discard) Write(b []byte) (int, error) { return len(b), nil }
func (d discard) WriteHeader(int)             {}

// BenchmarkRoundTrip measures the cost of this package for a request with a few parameters.
func BenchmarkRoundTrip(b *testing.B) {
	type params struct {
		Stream id.Stream `path:"stream_id"`
		Type   string    `param:"type" enum:"stream,private"`
		Topic  string    `param:"topic" alias:"subject" max:"60 characters"`
		Text   string    `param:"content" max:"10000 bytes"`
		Read   bool      `param:"read" default:"false"`
	}
	type reply struct {
		ID id.Message `json:"id"`
	}
	s := serveWith(b, endpoint.Config{Now: time.Now}, endpoint.New(
		endpoint.About{Route: "POST /streams/{stream_id}/messages", Who: permit.Anyone},
		func(context.Context, actor.Actor, params) (reply, error) { return reply{ID: 7}, nil },
	))
	const body = "type=stream&topic=lunch&content=Where+shall+we+go%3F&client=bench"
	r := request(b, http.MethodPost, "/api/v1/streams/5/messages", body)
	text := strings.NewReader(body)
	w := discard{}
	b.ReportAllocs()
	for b.Loop() {
		text.Reset(body)
		r.Body = readCloser{text}
		clear(w)
		s.ServeHTTP(w, r)
	}
	if w.Header().Get("Content-Length") != "37" {
		b.Errorf("headers %v", w)
	}
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }
