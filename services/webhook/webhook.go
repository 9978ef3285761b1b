// Package webhook is the service that converts requests of third parties to messages (rest-api.md, section 6).
//
// An integration is a folder: payload.go describes the payload of the third party, message.go converts it to messages,
// and testdata has payloads with the expected messages. Everything else is in package hook. [Endpoints] is the list.
package webhook

import (
	"strings"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/services/webhook/alertmanager"
	"chatserver.dev/services/webhook/bitbucket2"
	"chatserver.dev/services/webhook/bitbucket3"
	"chatserver.dev/services/webhook/buildbot"
	"chatserver.dev/services/webhook/circleci"
	"chatserver.dev/services/webhook/gitea"
	"chatserver.dev/services/webhook/github"
	"chatserver.dev/services/webhook/gitlab"
	"chatserver.dev/services/webhook/gogs"
	"chatserver.dev/services/webhook/grafana"
	"chatserver.dev/services/webhook/harbor"
	"chatserver.dev/services/webhook/helloworld"
	"chatserver.dev/services/webhook/heroku"
	"chatserver.dev/services/webhook/homeassistant"
	"chatserver.dev/services/webhook/hook"
	"chatserver.dev/services/webhook/ifttt"
	"chatserver.dev/services/webhook/jira"
	"chatserver.dev/services/webhook/netlify"
	"chatserver.dev/services/webhook/newrelic"
	"chatserver.dev/services/webhook/opsgenie"
	"chatserver.dev/services/webhook/pagerduty"
	"chatserver.dev/services/webhook/papertrail"
	"chatserver.dev/services/webhook/pingdom"
	"chatserver.dev/services/webhook/sentry"
	"chatserver.dev/services/webhook/slackincoming"
	"chatserver.dev/services/webhook/splunk"
	"chatserver.dev/services/webhook/statuspage"
	"chatserver.dev/services/webhook/stripe"
	"chatserver.dev/services/webhook/teamcity"
	"chatserver.dev/services/webhook/travis"
	"chatserver.dev/services/webhook/trello"
	"chatserver.dev/services/webhook/updown"
	"chatserver.dev/services/webhook/uptimerobot"
	"chatserver.dev/services/webhook/zabbix"
	"chatserver.dev/services/webhook/zapier"
	"chatserver.dev/services/webhook/zendesk"
)

// Endpoints returns the endpoints of all integrations; messages may be nil if only their documentation is needed.
func Endpoints(messages hook.Messages) []endpoint.Endpoint {
	return []endpoint.Endpoint{
		alertmanager.Receive(messages),
		bitbucket2.Receive(messages),
		bitbucket3.Receive(messages),
		buildbot.Receive(messages),
		circleci.Receive(messages),
		gitea.Receive(messages),
		github.Receive(messages),
		gitlab.Receive(messages),
		gogs.Receive(messages),
		grafana.Receive(messages),
		harbor.Receive(messages),
		helloworld.Receive(messages),
		heroku.Receive(messages),
		homeassistant.Receive(messages),
		ifttt.Receive(messages),
		jira.Receive(messages),
		netlify.Receive(messages),
		newrelic.Receive(messages),
		opsgenie.Receive(messages),
		pagerduty.Receive(messages),
		papertrail.Receive(messages),
		pingdom.Receive(messages),
		sentry.Receive(messages),
		slackincoming.Receive(messages),
		splunk.Receive(messages),
		statuspage.Receive(messages),
		stripe.Receive(messages),
		teamcity.Receive(messages),
		travis.Receive(messages),
		trello.Receive(messages),
		updown.Receive(messages),
		uptimerobot.Receive(messages),
		zabbix.Receive(messages),
		zapier.Receive(messages),
		zendesk.Receive(messages),
	}
}

// Names returns the integrations' names, as they appear in paths.
func Names() []string {
	names := []string(nil)
	for _, e := range Endpoints(nil) {
		names = append(names, strings.TrimPrefix(e.Path(), "/api/v1/external/"))
	}
	return names
}
