package adminclient

import (
	"context"
	"net/http"

	"chatserver.dev/pkg/adminapi"
)

// PutStream makes the stream with a key what the document says.
func (c *Client) PutStream(ctx context.Context, organization, key string, spec adminapi.StreamSpec) (adminapi.Ensured[adminapi.Stream], error) {
	return call[adminapi.Ensured[adminapi.Stream]](ctx, c, http.MethodPut, spec, "organizations", organization, "streams", key)
}

// Stream returns the current state of the stream with a key.
func (c *Client) Stream(ctx context.Context, organization, key string) (adminapi.Stream, error) {
	return call[adminapi.Stream](ctx, c, http.MethodGet, nil, "organizations", organization, "streams", key)
}

// DeleteStream archives the stream with a key.
func (c *Client) DeleteStream(ctx context.Context, organization, key string) (adminapi.Removal, error) {
	return call[adminapi.Removal](ctx, c, http.MethodDelete, nil, "organizations", organization, "streams", key)
}

// PutBot makes the bot with a key what the document says.
func (c *Client) PutBot(ctx context.Context, organization, key string, spec adminapi.BotSpec) (adminapi.Ensured[adminapi.Bot], error) {
	return call[adminapi.Ensured[adminapi.Bot]](ctx, c, http.MethodPut, spec, "organizations", organization, "bots", key)
}

// Bot returns the current state of the bot with a key.
func (c *Client) Bot(ctx context.Context, organization, key string) (adminapi.Bot, error) {
	return call[adminapi.Bot](ctx, c, http.MethodGet, nil, "organizations", organization, "bots", key)
}

// DeleteBot deactivates the bot with a key, and ends its API keys.
func (c *Client) DeleteBot(ctx context.Context, organization, key string) (adminapi.Removal, error) {
	return call[adminapi.Removal](ctx, c, http.MethodDelete, nil, "organizations", organization, "bots", key)
}

// RotateBotKey replaces the API key of the bot with a key.
func (c *Client) RotateBotKey(ctx context.Context, organization, key string, spec adminapi.KeySpec) (adminapi.Issued, error) {
	return call[adminapi.Issued](ctx, c, http.MethodPost, spec, "organizations", organization, "bots", key, "api-key")
}

// RevokeBotKey ends the API keys of the bot with a key, also one in its grace.
func (c *Client) RevokeBotKey(ctx context.Context, organization, key string) (adminapi.Removal, error) {
	return call[adminapi.Removal](ctx, c, http.MethodDelete, nil, "organizations", organization, "bots", key, "api-key")
}

// PutWebhook makes the incoming webhook with a key what the document says.
func (c *Client) PutWebhook(ctx context.Context, organization, key string, spec adminapi.WebhookSpec) (adminapi.Ensured[adminapi.Webhook], error) {
	return call[adminapi.Ensured[adminapi.Webhook]](ctx, c, http.MethodPut, spec, "organizations", organization, "webhooks", key)
}

// Webhook returns the current state of the incoming webhook with a key.
func (c *Client) Webhook(ctx context.Context, organization, key string) (adminapi.Webhook, error) {
	return call[adminapi.Webhook](ctx, c, http.MethodGet, nil, "organizations", organization, "webhooks", key)
}

// DeleteWebhook deactivates the incoming webhook with a key, and ends its API keys.
func (c *Client) DeleteWebhook(ctx context.Context, organization, key string) (adminapi.Removal, error) {
	return call[adminapi.Removal](ctx, c, http.MethodDelete, nil, "organizations", organization, "webhooks", key)
}

// RotateWebhookKey replaces the API key of the incoming webhook with a key.
func (c *Client) RotateWebhookKey(ctx context.Context, organization, key string, spec adminapi.KeySpec) (adminapi.Issued, error) {
	return call[adminapi.Issued](ctx, c, http.MethodPost, spec, "organizations", organization, "webhooks", key, "api-key")
}

// RevokeWebhookKey ends the API keys of the incoming webhook with a key, also one in its grace.
func (c *Client) RevokeWebhookKey(ctx context.Context, organization, key string) (adminapi.Removal, error) {
	return call[adminapi.Removal](ctx, c, http.MethodDelete, nil, "organizations", organization, "webhooks", key, "api-key")
}
