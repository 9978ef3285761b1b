package main

import (
	"encoding/json"

	"chatserver.dev/pkg/endpoint"
)

// examples returns examples of parameters' values, as JSON, by the parameter's name or, for a single endpoint, by the
// endpoint's route, a space and the name.
func examples() map[string]string {
	return map[string]string{
		"content":       `"High water at **7:40**."`,
		"last_event_id": `-1`,
		"queue_id":      `"1.444RMFNNRSD5RX2DKNDNI45APU"`,
		"topic":         `"tides"`,
		"principals":    `[12, 14]`,
		"narrow":        `[["stream", "general"], ["topic", "tides"]]`,

		"POST /api/v1/messages type":                          `"stream"`,
		"POST /api/v1/messages to":                            `"general"`,
		"POST /api/v1/messages topic":                         `"tides"`,
		"POST /api/v1/register event_types":                   `["message", "subscription"]`,
		"POST /api/v1/external/helloworld stream":             `"general"`,
		"POST /api/v1/external/alertmanager stream":           `"alerts"`,
		"POST /api/v1/register client_capabilities":           `{"notification_settings_null": true, "bulk_message_deletion": true}`,
		"POST /api/v1/users/me/subscriptions subscriptions":   `[{"name": "tides", "description": "What the sea does."}]`,
		"DELETE /api/v1/users/me/subscriptions subscriptions": `["tides"]`,
	}
}

// example returns the example of an endpoint's parameter, or nil if there is none.
func (g *generator) example(e endpoint.Endpoint, name string) json.RawMessage {
	for _, key := range []string{e.Route() + " " + name, name} {
		if text, ok := g.examples[key]; ok {
			g.shown[key] = true
			return json.RawMessage(text)
		}
	}
	return nil
}
