// Package webhook is the service that turns what third parties report into messages (rest-api.md,
// section 6).
//
// An integration is a folder: payload.go says what the third party sends, message.go what is said
// about it, testdata holds payloads as they come with the messages that are expected of them.
// Everything else is in package hook. [Endpoints] is the list.
package webhook

import (
	"strings"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/services/webhook/alertmanager"
	"chatserver.dev/services/webhook/helloworld"
	"chatserver.dev/services/webhook/hook"
)

// Endpoints are all integrations; messages may be nil where only their documentation is wanted.
func Endpoints(messages hook.Messages) []endpoint.Endpoint {
	return []endpoint.Endpoint{
		alertmanager.Receive(messages),
		helloworld.Receive(messages),
	}
}

// Names are the integrations' names, as they are in paths.
func Names() []string {
	names := []string(nil)
	for _, e := range Endpoints(nil) {
		names = append(names, strings.TrimPrefix(e.Path(), "/api/v1/external/"))
	}
	return names
}
