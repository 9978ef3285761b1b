package adminclient

import (
	"context"
	"net/http"
	"slices"

	"chatserver.dev/pkg/adminapi"
)

// Objects are the objects of one kind in an organization. S specifies an object, O is its current state.
type Objects[S, O any] struct {
	client *Client
	path   []string
}

// Owners are the owners of the organization with a key. Their own keys are their addresses, and they can't be deleted.
func (c *Client) Owners(organization string) Objects[adminapi.OwnerSpec, adminapi.Owner] {
	return Objects[adminapi.OwnerSpec, adminapi.Owner]{c, []string{"organizations", organization, "owners"}}
}

// Streams are the streams of the organization with a key. Deleting one archives it. They have no API keys.
func (c *Client) Streams(organization string) Objects[adminapi.StreamSpec, adminapi.Stream] {
	return Objects[adminapi.StreamSpec, adminapi.Stream]{c, []string{"organizations", organization, "streams"}}
}

// Bots are the generic bots of the organization with a key. Deleting one deactivates it and ends its API keys.
func (c *Client) Bots(organization string) Objects[adminapi.BotSpec, adminapi.Bot] {
	return Objects[adminapi.BotSpec, adminapi.Bot]{c, []string{"organizations", organization, "bots"}}
}

// Webhooks are the incoming webhooks of the organization with a key. Deleting one deactivates it and ends its API keys.
func (c *Client) Webhooks(organization string) Objects[adminapi.WebhookSpec, adminapi.Webhook] {
	return Objects[adminapi.WebhookSpec, adminapi.Webhook]{c, []string{"organizations", organization, "webhooks"}}
}

// Users are the accounts of people in the organization with a key. Deleting one deactivates it.
func (c *Client) Users(organization string) Objects[adminapi.UserSpec, adminapi.User] {
	return Objects[adminapi.UserSpec, adminapi.User]{c, []string{"organizations", organization, "users"}}
}

// Put creates the object with a key, or changes what differs from the specification.
func (o Objects[S, O]) Put(ctx context.Context, key string, spec S) (adminapi.Ensured[O], error) {
	return call[adminapi.Ensured[O]](ctx, o.client, http.MethodPut, spec, o.at(key)...)
}

// Get returns the current state of the object with a key.
func (o Objects[S, O]) Get(ctx context.Context, key string) (O, error) {
	return call[O](ctx, o.client, http.MethodGet, nil, o.at(key)...)
}

// Delete deletes the object with a key, and reports whether it existed.
func (o Objects[S, O]) Delete(ctx context.Context, key string) (adminapi.Removal, error) {
	return call[adminapi.Removal](ctx, o.client, http.MethodDelete, nil, o.at(key)...)
}

// RotateKey replaces the API key of the account with a key.
func (o Objects[S, O]) RotateKey(ctx context.Context, key string, spec adminapi.KeySpec) (adminapi.Issued, error) {
	return call[adminapi.Issued](ctx, o.client, http.MethodPost, spec, o.at(key, "api-key")...)
}

// RevokeKey ends the API keys of the account with a key, including one in its grace period.
func (o Objects[S, O]) RevokeKey(ctx context.Context, key string) (adminapi.Removal, error) {
	return call[adminapi.Removal](ctx, o.client, http.MethodDelete, nil, o.at(key, "api-key")...)
}

func (o Objects[S, O]) at(below ...string) []string { return slices.Concat(o.path, below) }
