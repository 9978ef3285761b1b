package adminclient

import (
	"context"
	"net/http"

	"chatserver.dev/pkg/adminapi"
)

// Status returns the versions of program and schema, and a summary of all organizations.
func (c *Client) Status(ctx context.Context) (adminapi.Status, error) {
	return call[adminapi.Status](ctx, c, http.MethodGet, nil, "status")
}

// Health says whether PostgreSQL and Redis answer, take writes and have room.
func (c *Client) Health(ctx context.Context) (adminapi.Health, error) {
	return call[adminapi.Health](ctx, c, http.MethodGet, nil, "health")
}

// PutOrganization makes the organization with a key what the document says.
func (c *Client) PutOrganization(ctx context.Context, key string, spec adminapi.OrganizationSpec) (adminapi.Ensured[adminapi.Organization], error) {
	return call[adminapi.Ensured[adminapi.Organization]](ctx, c, http.MethodPut, spec, "organizations", key)
}

// Organization returns the current state of the organization with a key.
func (c *Client) Organization(ctx context.Context, key string) (adminapi.Organization, error) {
	return call[adminapi.Organization](ctx, c, http.MethodGet, nil, "organizations", key)
}

// DeleteOrganization does a part of the deletion of the organization with a key. Call it until it is done,
// or see [Client.DeleteWholeOrganization].
func (c *Client) DeleteOrganization(ctx context.Context, key string) (adminapi.Deletion, error) {
	return call[adminapi.Deletion](ctx, c, http.MethodDelete, nil, "organizations", key)
}

// DeleteWholeOrganization deletes the organization with a key, and returns when nothing is left of it. It
// returns how many rows there were.
func (c *Client) DeleteWholeOrganization(ctx context.Context, key string) (rows int64, err error) {
	for {
		part, err := c.DeleteOrganization(ctx, key)
		rows += part.Rows
		if err != nil || part.Done {
			return rows, err
		}
	}
}

// PutOwner makes the person with an address an owner as the document says.
func (c *Client) PutOwner(ctx context.Context, organization, email string, spec adminapi.OwnerSpec) (adminapi.Ensured[adminapi.Owner], error) {
	return call[adminapi.Ensured[adminapi.Owner]](ctx, c, http.MethodPut, spec, "organizations", organization, "owners", email)
}

// Owner returns the current state of the owner with an address.
func (c *Client) Owner(ctx context.Context, organization, email string) (adminapi.Owner, error) {
	return call[adminapi.Owner](ctx, c, http.MethodGet, nil, "organizations", organization, "owners", email)
}

// RotateOwnerKey replaces the API key of the owner with an address.
func (c *Client) RotateOwnerKey(ctx context.Context, organization, email string, spec adminapi.KeySpec) (adminapi.Issued, error) {
	return call[adminapi.Issued](ctx, c, http.MethodPost, spec, "organizations", organization, "owners", email, "api-key")
}

// RevokeOwnerKey ends the API keys of the owner with an address, also one in its grace.
func (c *Client) RevokeOwnerKey(ctx context.Context, organization, email string) (adminapi.Removal, error) {
	return call[adminapi.Removal](ctx, c, http.MethodDelete, nil, "organizations", organization, "owners", email, "api-key")
}
