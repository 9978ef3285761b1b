// Package alertmanager is the integration for Prometheus Alertmanager: its webhook_config with the payload's
// version 4.
package alertmanager

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/services/webhook/hook"
)

// payload is a notification about a group of alerts.
type payload struct {
	// Name of the receiver in Alertmanager's configuration.
	Receiver string `json:"receiver"`
	// Labels that the group is made by.
	GroupLabels map[string]string `json:"groupLabels"`
	// Labels that all the alerts have.
	CommonLabels map[string]string `json:"commonLabels"`
	// Address of Alertmanager.
	ExternalURL *string `json:"externalURL"`
	// How many alerts were left out, by the setting max_alerts.
	TruncatedAlerts *int64 `json:"truncatedAlerts"`
	// The alerts.
	Alerts []alert `json:"alerts"`
}

// alert is one alert.
type alert struct {
	// Whether it is on.
	Status string `json:"status" enum:"firing,resolved"`
	// What it is about.
	Labels map[string]string `json:"labels"`
	// What is said about it: summary, description and runbook_url are used.
	Annotations *map[string]string `json:"annotations"`
	// When it began, in the form of RFC 3339.
	StartsAt *string `json:"startsAt"`
	// When it ended, in the form of RFC 3339.
	EndsAt *string `json:"endsAt"`
	// Address of what made it.
	GeneratorURL *string `json:"generatorURL"`
}

type receiveParams struct {
	hook.Target
	// The notification.
	Payload payload `body:"json"`
}

// Receive lists the alerts of a group: those that are firing, then those that are over.
func Receive(messages hook.Messages) endpoint.Endpoint {
	h := hook.New("alertmanager", "AlertManager", messages)
	return endpoint.Hook(h.About(), func(ctx context.Context, who actor.Actor, in receiveParams) (endpoint.Nothing, error) {
		return h.Send(ctx, who, in.Target, report(in.Payload))
	})
}
