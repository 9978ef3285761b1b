// Package github implements the integration for webhooks of GitHub repositories and organizations (rest-api.md, section
// 6.5).
package github

import (
	"cmp"
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/services/webhook/hook"
)

type receiveParams struct {
	hook.Target
	// Names of the branches whose pushes are reported, separated by commas. Default: all.
	Branches *string `param:"branches"`
	// What the payload reports, such as push.
	Event string `header:"X-GitHub-Event"`
	// What GitHub sends, as JSON or in a form.
	Payload any `body:"json" form:"payload"`
}

// Receive reports pushes, pull requests, issues, comments, releases and further events of GitHub.
func Receive(messages hook.Messages) endpoint.Endpoint {
	h := hook.New("github", "GitHub", messages)
	return endpoint.Hook(h.About(), func(ctx context.Context, who actor.Actor, in receiveParams) (endpoint.Nothing, error) {
		known, payload := reports(in.Branches), hook.NewDocument(in.Payload)
		report, is := known[in.Event]
		switch {
		case !is:
			return endpoint.Nothing{}, h.Unexpected(in.Event + ":" + cmp.Or(payload.Text("action"), "???"))
		case report != nil && lacks(payload, in.Event):
			return endpoint.Nothing{}, h.Invalid(ctx, who)
		default:
			return h.Dispatch(ctx, who, in.Target, in.Event, in.Payload, known)
		}
	})
}

// lacks reports whether a payload lacks where an event of the kind happened, or to what, which each message says.
func lacks(payload hook.Document, kind string) bool {
	subject := map[string]string{
		"push": "ref", "create": "ref", "delete": "ref", "status": "sha", "commit_comment": "comment", "fork": "forkee", "gollum": "pages",
		"pull_request": "pull_request", "pull_request_review": "pull_request", "pull_request_review_comment": "pull_request",
		"issues": "issue", "issue_comment": "issue", "deployment": "deployment", "deployment_status": "deployment",
		"member": "member", "membership": "member", "team": "team", "team_add": "team", "release": "release",
		"check_run": "check_run", "workflow_run": "workflow_run", "page_build": "build",
	}[kind]
	where := payload.Has("repository") || payload.Has("organization") || kind == "team" || kind == "ping" && payload.Has("hook")
	return !where || subject != "" && !payload.Has(subject)
}
