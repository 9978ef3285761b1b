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
	all = append(all, nouns("owner", "EMAIL", false, true, (*adminclient.Client).Owners)...)
	all = append(all, nouns("stream", "KEY", true, false, (*adminclient.Client).Streams)...)
	all = append(all, nouns("bot", "KEY", true, true, (*adminclient.Client).Bots)...)
	return append(all, nouns("webhook", "KEY", true, true, (*adminclient.Client).Webhooks)...)
}

// nouns returns the actions of a noun, in returns the objects of an organization.
func nouns[S, O any](noun, key string, deleted, account bool, in func(*adminclient.Client, string) adminclient.Objects[S, O]) []action {
	type objects = adminclient.Objects[S, O]
	all := []action{withBody(noun+" put", key, in, objects.Put), without(noun+" get", key, in, objects.Get)}
	if deleted {
		all = append(all, without(noun+" delete", key, in, objects.Delete))
	}
	if account {
		all = append(all, withBody(noun+" rotate-key", key, in, objects.RotateKey), without(noun+" revoke-key", key, in, objects.RevokeKey))
	}
	return all
}

func withBody[T, B, R any](name, key string, in func(*adminclient.Client, string) T, call func(T, context.Context, string, B) (R, error)) action {
	return action{
		name: name, keys: []string{"ORGANIZATION", key}, body: reflect.TypeFor[B](),
		call: func(ctx context.Context, c *adminclient.Client, keys []string, document []byte) (any, error) {
			body, err := decode[B](document)
			if err != nil {
				return nil, err
			}
			return call(in(c, keys[0]), ctx, keys[1], body)
		},
	}
}

func without[T, R any](name, key string, in func(*adminclient.Client, string) T, call func(T, context.Context, string) (R, error)) action {
	return action{
		name: name, keys: []string{"ORGANIZATION", key},
		call: func(ctx context.Context, c *adminclient.Client, keys []string, _ []byte) (any, error) {
			return call(in(c, keys[0]), ctx, keys[1])
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
