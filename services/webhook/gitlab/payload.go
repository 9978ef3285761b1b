// Package gitlab implements the integration for webhooks of GitLab projects and groups, and for system hooks of GitLab
// servers (rest-api.md, section 6.5).
package gitlab

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/services/webhook/hook"
)

type receiveParams struct {
	hook.Target
	// Names of the branches whose pushes are reported, separated by commas. Default: all.
	Branches *string `param:"branches"`
	// Whether topics of merge requests have the title. Without it, they stay the same when the title changes.
	UseMergeRequestTitle bool `param:"use_merge_request_title" default:"true"`
	// What the payload reports, such as Push Hook.
	Event string `header:"X-Gitlab-Event"`
	// What GitLab sends.
	Payload any `body:"json"`
}

// Receive reports pushes, merge requests, issues, comments, pipelines and further events of GitLab.
func Receive(messages hook.Messages) endpoint.Endpoint {
	h := hook.New("gitlab", "Gitlab", messages)
	return endpoint.Hook(h.About(), func(ctx context.Context, who actor.Actor, in receiveParams) (endpoint.Nothing, error) {
		kind := in.Event
		if kind == systemHook {
			kind = kindOfSystemHook(hook.NewDocument(in.Payload))
		}
		return h.Dispatch(ctx, who, in.Target, kind, in.Payload, reports(in.Branches, in.UseMergeRequestTitle))
	})
}
