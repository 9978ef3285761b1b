package main

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"chatserver.dev/pkg/event"
)

// heartbeat is the event that answers a poll when there was no other event for a while. It has only the members that
// every event has.
type heartbeat struct{}

// occurring returns the kinds of events that are sent to clients.
func occurring() []event.Registered {
	return append(event.Registry(), event.Registered{Kind: event.Kind{Type: "heartbeat"}, Members: heartbeat{}})
}

// schemaName is the name of an event's schema in the document, as in event.stream.create.
func schemaName(k event.Kind) string { return strings.TrimSuffix("event."+k.Type+"."+k.Op, ".") }

// event returns the schema of a kind of events.
func (g *generator) event(e event.Registered) (*jsonschema.Schema, error) {
	members := reflect.TypeOf(e.Members)
	s, err := g.answer(members)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", schemaName(e.Kind), err)
	}
	s.Description = g.comments.Event(members)
	s.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
	own := []string{"id", "type"}
	s.Properties["id"] = &jsonschema.Schema{Type: "integer", Description: "Number of the event in its queue. Numbers rise, and may have gaps."}
	s.Properties["type"] = &jsonschema.Schema{Type: "string", Const: new(any(e.Type))}
	if e.Op != "" {
		own = append(own, "op")
		s.Properties["op"] = &jsonschema.Schema{Type: "string", Const: new(any(e.Op))}
	}
	s.PropertyOrder, s.Required = append(own, s.PropertyOrder...), append(own, s.Required...)
	return s, nil
}

// events adds the schemas of the events to the document, and refers to them from the list in a poll's answer.
func (g *generator) events(doc document, kinds []event.Registered) error {
	if len(kinds) == 0 {
		return nil
	}
	of := &jsonschema.Schema{}
	for _, kind := range kinds {
		s, err := g.event(kind)
		if err != nil {
			return err
		}
		name := schemaName(kind.Kind)
		doc.Components.Schemas[name] = s
		of.OneOf = append(of.OneOf, &jsonschema.Schema{Ref: "#/components/schemas/" + name})
	}
	poll := doc.Paths["/api/v1/events"]["get"].Responses["200"].Content["application/json"].Schema
	poll.Properties["events"].Items = of
	return nil
}
