// Package alertmanager implements the integration for Prometheus Alertmanager: its webhook_config with the payload's
// version 4, and what other programs send in that form (rest-api.md, section 6.5).
package alertmanager

import (
	"bytes"
	"context"
	"encoding/json"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/services/webhook/hook"
)

// errAlerts says that the payload is in another form.
var errAlerts = fault.Bad(`payload["alerts"] is not a list`)

// payload is a notification about a group of alerts.
type payload struct {
	// The alerts, a list of objects with the members status (firing or resolved), labels, annotations and
	// generatorURL. What is null, left out or of another type is no reason to refuse an alert.
	Alerts alerts `json:"alerts"`
}

// alerts are read as they come.
type alerts []alert

// alert is one alert.
type alert struct {
	status              string
	labels, annotations map[string]any
	source              string // address of what made it
	from                string // its topic, where it shares another one
}

// ParseParam reads the list. It fails where there is none.
func (a *alerts) ParseParam(raw string) error {
	list := []any(nil)
	decoder := json.NewDecoder(bytes.NewReader([]byte(raw)))
	decoder.UseNumber()
	if err := decoder.Decode(&list); err != nil {
		return errAlerts
	}
	*a = make(alerts, 0, len(list))
	for _, item := range list {
		if object, ok := item.(map[string]any); ok {
			labels, _ := object["labels"].(map[string]any)
			annotations, _ := object["annotations"].(map[string]any)
			*a = append(*a, alert{status: text(object["status"]), labels: labels, annotations: annotations, source: text(object["generatorURL"])})
		}
	}
	return nil
}

// text is a member's value as people read it; empty where there is none.
func text(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case string:
		return value
	default:
		encoded, err := json.Marshal(value)
		if err != nil { // it was decoded from JSON
			return ""
		}
		return string(encoded)
	}
}

type receiveParams struct {
	hook.Target
	// Name of the label, or else annotation, whose value is an alert's topic.
	Name *string `param:"name"`
	// Name of the label, or else annotation, that says what an alert is about.
	Desc *string `param:"desc"`
	// The notification.
	Payload payload `body:"json"`
}

// Receive reports the alerts of a group, those of each instance in its own topic: one message for what
// is firing, then one for what is over. What it was given in several topics is sent as several messages.
func Receive(messages hook.Messages) endpoint.Endpoint {
	h := hook.New("alertmanager", "AlertManager", messages)
	return endpoint.Hook(h.About(), func(ctx context.Context, who actor.Actor, in receiveParams) (endpoint.Nothing, error) {
		return h.Send(ctx, who, in.Target, report(in.Payload.Alerts, or(in.Name, "instance"), or(in.Desc, "alertname"))...)
	})
}

// or returns the parameter, or what stands for it where it is absent or empty.
func or(parameter *string, otherwise string) string {
	if parameter == nil || *parameter == "" {
		return otherwise
	}
	return *parameter
}
