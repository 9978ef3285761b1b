package organization

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/jsonmembers"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/policy"
	"chatserver.dev/pkg/stream"
)

type editParams struct {
	// Name, of 1 to 40 characters.
	Name *endpoint.JSONString `param:"name"`
	// Description as Markdown, of at most 1000 characters.
	Description *endpoint.JSONString `param:"description"`
	// Language of new accounts, and of notices in streams: its code, as in "de".
	DefaultLanguage *endpoint.JSONString `param:"default_language"`
	// Language of code blocks that name none; empty: none.
	DefaultCodeBlockLanguage *endpoint.JSONString `param:"default_code_block_language" max:"100 characters"`
	// Ways to sign in, and whether they are enabled. Only for owners. Ways that aren't named stay unchanged; at least
	// one must be enabled.
	AuthenticationMethods *map[string]bool `param:"authentication_methods"`
	// Number of seconds for which members may delete their messages; 0: no limit.
	MessageContentDeleteLimitSeconds *endpoint.NNInt `param:"message_content_delete_limit_seconds"`
	// Number of seconds for which members may edit the content of their messages; 0: no limit.
	MessageContentEditLimitSeconds *endpoint.NNInt `param:"message_content_edit_limit_seconds"`
	// Number of days after which a new account becomes a full member.
	WaitingPeriodThreshold *endpoint.NNInt `param:"waiting_period_threshold"`
	// Number of days after which messages are deleted, or forever (never). Only for owners.
	MessageRetentionDays *stream.Retention `param:"message_retention_days"`
	org.Switches
}

type editReply struct {
	// "updated", if the name changed.
	Name string `json:"name,omitempty"`
	// "updated", if the description changed.
	Description string `json:"description,omitempty"`
	// "updated", if the language changed.
	DefaultLanguage string `json:"default_language,omitempty"`
	// Name of the new language, or null.
	DefaultCodeBlockLanguage **string `json:"default_code_block_language,omitempty"`
	// All of them, if any changed.
	AuthenticationMethods map[string]bool `json:"authentication_methods,omitempty"`
	// The new number.
	MessageContentDeleteLimitSeconds *int64 `json:"message_content_delete_limit_seconds,omitempty"`
	// The new number.
	MessageContentEditLimitSeconds *int64 `json:"message_content_edit_limit_seconds,omitempty"`
	// The new number.
	WaitingPeriodThreshold *int64 `json:"waiting_period_threshold,omitempty"`
	// The new number; -1: never.
	MessageRetentionDays *int64 `json:"message_retention_days,omitempty"`
	org.Switches
}

// Edit changes settings of the organization, all of them or none. The answer has the settings whose value has changed.
func Edit(policies *policy.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "PATCH /realm", Who: permit.Admin, ChangesCallers: true,
		Faults: endpoint.Faults{
			policy.ErrLanguage, policy.ErrDescription, policy.ErrName, permit.ErrNotOwner, permit.ErrNotAdmin, policy.ErrNoMethod, policy.ErrMethod,
			policy.ErrVideo, fault.ErrBadValue, stream.ErrInvalidID, org.ErrName,
		},
	}, func(ctx context.Context, who actor.Actor, in editParams) (reply editReply, err error) {
		choice, err := in.choice()
		if err != nil {
			return reply, err
		}
		changed, err := policies.Set(ctx, who, choice)
		if err != nil {
			return reply, err
		}
		for _, name := range []string{"name", "description", "default_language"} {
			if _, ok := changed[name]; ok {
				changed[name] = "updated"
			}
		}
		if err := jsonmembers.Copy(changed, &reply); err != nil {
			return reply, err
		}
		if language, ok := changed["default_code_block_language"]; ok && language == nil {
			reply.DefaultCodeBlockLanguage = new(*string) // null, and not absent
		}
		return reply, nil
	})
}

// choice returns the new settings. It fails if a value is invalid regardless of the others.
func (in editParams) choice() (policy.Choice, error) {
	choice := policy.Choice{
		Name: (*string)(in.Name), Description: (*string)(in.Description), Language: (*string)(in.DefaultLanguage), Video: in.VideoChatProvider,
	}
	if in.AuthenticationMethods != nil {
		choice.Methods = *in.AuthenticationMethods
	}
	if in.MessageRetentionDays != nil {
		days := in.MessageRetentionDays.Days
		if days == nil { // an organization has no default to inherit
			return choice, fault.BadValue("message_retention_days", "realm_default")
		}
		choice.Retention = new(int(*days))
	}
	in.VideoChatProvider = nil
	return choice, jsonmembers.Copy(struct {
		CodeLanguage  *endpoint.JSONString `json:"default_code_block_language,omitempty"`
		DeleteLimit   *endpoint.NNInt      `json:"message_content_delete_limit_seconds,omitempty"`
		EditLimit     *endpoint.NNInt      `json:"message_content_edit_limit_seconds,omitempty"`
		WaitingPeriod *endpoint.NNInt      `json:"waiting_period_threshold,omitempty"`
		org.Switches
	}{
		in.DefaultCodeBlockLanguage, in.MessageContentDeleteLimitSeconds, in.MessageContentEditLimitSeconds, in.WaitingPeriodThreshold,
		in.Switches,
	}, &choice.Others)
}
