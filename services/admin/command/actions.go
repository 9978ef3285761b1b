package command

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/adminclient"
)

// action is something that can be done.
type action struct {
	name string       // noun and verb
	keys []string     // what names the thing
	body reflect.Type // of the document that it takes; nil: none
	call func(ctx context.Context, c *adminclient.Client, keys []string, document []byte) (any, error)
}

// find returns the action that arguments begin with, and what follows.
func find(args []string) (todo action, rest []string, err error) {
	for words := min(2, len(args)); words > 0; words-- {
		name := strings.Join(args[:words], " ")
		for _, a := range actions() {
			if a.name == name {
				return a, args[words:], nil
			}
		}
	}
	return action{}, nil, fmt.Errorf("unknown command %q\n%s", "admin "+strings.Join(args, " "), Usage)
}

func actions() []action {
	all := []action{
		{name: "status", call: func(ctx context.Context, c *adminclient.Client, _ []string, _ []byte) (any, error) {
			return c.Status(ctx)
		}},
		{name: "health", call: func(ctx context.Context, c *adminclient.Client, _ []string, _ []byte) (any, error) {
			return c.Health(ctx)
		}},
		{
			name: "organization put", keys: []string{"KEY"}, body: reflect.TypeFor[adminapi.OrganizationSpec](),
			call: func(ctx context.Context, c *adminclient.Client, keys []string, document []byte) (any, error) {
				spec, err := decode[adminapi.OrganizationSpec](document)
				if err != nil {
					return nil, err
				}
				return c.PutOrganization(ctx, keys[0], spec)
			},
		},
		{name: "organization get", keys: []string{"KEY"}, call: func(ctx context.Context, c *adminclient.Client, keys []string, _ []byte) (any, error) {
			return c.Organization(ctx, keys[0])
		}},
		{name: "organization delete", keys: []string{"KEY"}, call: func(ctx context.Context, c *adminclient.Client, keys []string, _ []byte) (any, error) {
			rows, err := c.DeleteWholeOrganization(ctx, keys[0])
			return adminapi.Deletion{Done: true, Rows: rows}, err
		}},
	}
	type c = adminclient.Client
	all = append(all, nouns("owner", "EMAIL", (*c).PutOwner, (*c).Owner, nil, (*c).RotateOwnerKey, (*c).RevokeOwnerKey)...)
	all = append(all, nouns("stream", "KEY", (*c).PutStream, (*c).Stream, (*c).DeleteStream, nil, nil)...)
	all = append(all, nouns("bot", "KEY", (*c).PutBot, (*c).Bot, (*c).DeleteBot, (*c).RotateBotKey, (*c).RevokeBotKey)...)
	return append(all, nouns("webhook", "KEY", (*c).PutWebhook, (*c).Webhook, (*c).DeleteWebhook, (*c).RotateWebhookKey, (*c).RevokeWebhookKey)...)
}

// Calls of the client about something in an organization, without and with a document.
type (
	bare[R any]    = func(c *adminclient.Client, ctx context.Context, organization, key string) (R, error)
	full[B, R any] = func(c *adminclient.Client, ctx context.Context, organization, key string, body B) (R, error)
)

// nouns returns the actions of a noun; nil calls are those that it doesn't have.
func nouns[B, R any](
	noun, key string, put full[B, adminapi.Ensured[R]], get bare[R], remove bare[adminapi.Removal],
	rotate full[adminapi.KeySpec, adminapi.Issued], revoke bare[adminapi.Removal],
) []action {
	all := []action{withBody(noun+" put", key, put), without(noun+" get", key, get)}
	if remove != nil {
		all = append(all, without(noun+" delete", key, remove))
	}
	if rotate != nil {
		all = append(all, withBody(noun+" rotate-key", key, rotate), without(noun+" revoke-key", key, revoke))
	}
	return all
}

func withBody[B, R any](name, key string, f full[B, R]) action {
	return action{
		name: name, keys: []string{"ORGANIZATION", key}, body: reflect.TypeFor[B](),
		call: func(ctx context.Context, c *adminclient.Client, keys []string, document []byte) (any, error) {
			body, err := decode[B](document)
			if err != nil {
				return nil, err
			}
			return f(c, ctx, keys[0], keys[1], body)
		},
	}
}

func without[R any](name, key string, f bare[R]) action {
	return action{
		name: name, keys: []string{"ORGANIZATION", key},
		call: func(ctx context.Context, c *adminclient.Client, keys []string, _ []byte) (any, error) {
			return f(c, ctx, keys[0], keys[1])
		},
	}
}

// decode reads a document whose fields are known to be there.
func decode[B any](document []byte) (body B, err error) {
	if err := json.Unmarshal(document, &body); err != nil {
		return body, fmt.Errorf("read the document: %w", err)
	}
	return body, nil
}
