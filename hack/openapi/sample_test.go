package main

import (
	"context"
	"reflect"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/permit"
)

type sampleStream struct {
	Name  string  `json:"name" max:"60 characters"`
	Color *string `json:"color" check:"color"`
}

type sampleParams struct {
	StreamID id.Stream                             `path:"stream_id"`
	Topic    string                                `param:"topic" alias:"subject" max:"60 characters"`
	Op       string                                `param:"op" enum:"add,remove"`
	Policy   int                                   `param:"policy" enum:"1,2" default:"1"`
	Name     *endpoint.JSONString                  `param:"name" max:"9 characters"`
	Content  *string                               `param:"content"`
	Streams  []sampleStream                        `param:"streams" default:"[]"`
	Users    *endpoint.Either[[]string, []id.User] `param:"users"`
	Before   *endpoint.NNInt                       `param:"before"`
	Silent   bool                                  `param:"silent" default:"false"`
	Pair     *[]string                             `param:"pair"`
}

type sampleItem struct {
	Name *string   `json:"name"`
	At   time.Time `json:"at"`
}

type sampleReply struct {
	ID    id.Message            `json:"id"`
	Small int16                 `json:"small"`
	Items []sampleItem          `json:"items"`
	ByID  map[string]sampleItem `json:"by_id,omitempty"`
}

var errSample = fault.New(fault.Invalid, "STREAM_DOES_NOT_EXIST", "Stream '%s' does not exist").With("stream", "x")

func sampleMute() endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "PATCH /streams/{stream_id}", Who: permit.Member,
		Faults: endpoint.Faults{errSample, fault.Plain("Topic already muted"), fault.New(fault.Forbidden, "", "No")},
	}, func(context.Context, actor.Actor, sampleParams) (sampleReply, error) { return sampleReply{}, nil })
}

func sampleSettings() endpoint.Endpoint {
	return endpoint.Public(endpoint.About{Route: "GET /server_settings"},
		func(context.Context, endpoint.Request, struct{}) (map[string]any, error) { return nil, nil })
}

func sampleHook() endpoint.Endpoint {
	type params struct {
		Stream  *string `param:"stream"`
		Payload struct {
			Title string        `json:"title"`
			Inner *sampleStream `json:"inner"`
		} `body:"json"`
	}
	return endpoint.Hook(endpoint.About{Route: "POST /external/hello", Who: permit.Hook},
		func(context.Context, actor.Actor, params) (endpoint.Nothing, error) { return endpoint.Nothing{}, nil })
}

func samplePoll() endpoint.Endpoint {
	type params struct {
		QueueID string    `param:"queue_id"`
		Topic   string    `param:"topic" alias:"subject" default:"x"`
		Types   *[]string `param:"types"`
	}
	return endpoint.Raw(endpoint.About{Route: "GET /events", Who: permit.Anyone},
		func(context.Context, actor.Actor, params) ([]byte, endpoint.Deferred, error) { return nil, nil, nil })
}

type samplePolled struct {
	// QueueID is the queue's.
	QueueID string `json:"queue_id"`
	*sampleLazy
	sampleEager
}

type sampleLazy struct {
	Lazy []int `json:"lazy"`
}

type sampleEager struct {
	Eager  *int          `json:"eager"`
	Absent *int          `json:"absent,omitempty"`
	Since  event.ISOTime `json:"since"`
	Lists  *[]string     `json:"lists"`
}

func sampleRaw() map[string]reflect.Type {
	return map[string]reflect.Type{"GET /api/v1/events": reflect.TypeFor[samplePolled]()}
}

func sample() []endpoint.Endpoint {
	return []endpoint.Endpoint{sampleMute(), sampleSettings(), sampleHook(), samplePoll()}
}
