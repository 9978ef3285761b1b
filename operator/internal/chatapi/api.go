// Package chatapi is the part of a server's admin interface that objects inside of it are kept by: the calls,
// where to make them, and what an answer that says no means.
package chatapi

import (
	"context"

	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/adminclient"
)

// API are the calls. Each may be repeated: a PUT changes only what differs, and what isn't there is deleted
// already. An organization and what is in it go by keys that the caller chooses.
type API interface {
	PutOrganization(ctx context.Context, key string, spec adminapi.OrganizationSpec) (adminapi.Ensured[adminapi.Organization], error)
	DeleteOrganization(ctx context.Context, key string) (adminapi.Deletion, error)
	PutOwner(ctx context.Context, organization, email string, spec adminapi.OwnerSpec) (adminapi.Ensured[adminapi.Owner], error)
	PutStream(ctx context.Context, organization, key string, spec adminapi.StreamSpec) (adminapi.Ensured[adminapi.Stream], error)
	DeleteStream(ctx context.Context, organization, key string) (adminapi.Removal, error)
	PutBot(ctx context.Context, organization, key string, spec adminapi.BotSpec) (adminapi.Ensured[adminapi.Bot], error)
	DeleteBot(ctx context.Context, organization, key string) (adminapi.Removal, error)
	PutWebhook(ctx context.Context, organization, key string, spec adminapi.WebhookSpec) (adminapi.Ensured[adminapi.Webhook], error)
	DeleteWebhook(ctx context.Context, organization, key string) (adminapi.Removal, error)
}

var _ API = (*adminclient.Client)(nil)
