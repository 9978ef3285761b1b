// Package alertmanager implements the integration for Prometheus Alertmanager: its webhook_config with the payload's
// version 4, also as sent by other programs (rest-api.md, section 6.5).
package alertmanager

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/services/webhook/hook"
)

// errAlerts means that the payload has no list of alerts.
var errAlerts = fault.Bad(`payload["alerts"] is not a list`)

// errNoAlert means that the list has items, but no alert.
var errNoAlert = fault.Bad(`payload["alerts"] is not a list of objects`)

// payload is a notification about a group of alerts.
type payload struct {
	// The alerts, a list of objects with the members status (firing or resolved), labels, annotations and generatorURL.
	// Members that are null, absent or of another type don't cause an error.
	Alerts alerts `json:"alerts"`
	// How many more there are, where the receiver limits them.
	Omitted *count `json:"truncatedAlerts"`
}

// count is a number. What isn't one is zero, so that it doesn't cause an error.
type count int64

// ParseParam parses the number. It never fails.
func (c *count) ParseParam(raw string) error {
	n, _ := strconv.ParseInt(raw, 10, 64)
	*c = count(n)
	return nil
}

// alerts are the alerts of a payload, in order.
type alerts []alert

// alert is one alert.
type alert struct {
	sent hook.Document
	from string // its own topic, if it is in a shared one
}

// ParseParam parses the list. It fails if raw isn't a list, or has items of which none is an alert.
func (a *alerts) ParseParam(raw string) error {
	list := []any(nil)
	decoder := json.NewDecoder(bytes.NewReader([]byte(raw)))
	decoder.UseNumber()
	if err := decoder.Decode(&list); err != nil {
		return errAlerts
	}
	*a = make(alerts, 0, len(list))
	for _, item := range list {
		if _, ok := item.(map[string]any); ok {
			*a = append(*a, alert{sent: hook.NewDocument(item)})
		}
	}
	if len(list) > 0 && len(*a) == 0 { // nobody would see them
		return errNoAlert
	}
	return nil
}

type receiveParams struct {
	hook.Target
	// Name of the label or, if there is none, annotation with an alert's topic.
	Name *string `param:"name"`
	// Name of the label or, if there is none, annotation with an alert's text.
	Desc *string `param:"desc"`
	// The notification.
	Payload payload `body:"json"`
}

// Receive reports the alerts of a group, with a topic for each instance: one message about firing alerts, then one
// about resolved alerts.
func Receive(messages hook.Messages) endpoint.Endpoint {
	h := hook.New("alertmanager", "AlertManager", messages)
	return endpoint.Hook(h.About(), func(ctx context.Context, who actor.Actor, in receiveParams) (endpoint.Nothing, error) {
		return h.Send(ctx, who, in.Target, report(in.Payload, or(in.Name, "instance"), or(in.Desc, "alertname"))...)
	})
}

// or returns the parameter, or the default if it is absent or empty.
func or(parameter *string, otherwise string) string {
	if parameter == nil || *parameter == "" {
		return otherwise
	}
	return *parameter
}
