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

// Health reports whether PostgreSQL and Redis respond, accept writes and have room.
func (c *Client) Health(ctx context.Context) (adminapi.Health, error) {
	return call[adminapi.Health](ctx, c, http.MethodGet, nil, "health")
}

// PutOrganization creates the organization with a key, or changes what differs from the specification.
func (c *Client) PutOrganization(ctx context.Context, key string, spec adminapi.OrganizationSpec) (adminapi.Ensured[adminapi.Organization], error) {
	return call[adminapi.Ensured[adminapi.Organization]](ctx, c, http.MethodPut, spec, "organizations", key)
}

// Organization returns the current state of the organization with a key.
func (c *Client) Organization(ctx context.Context, key string) (adminapi.Organization, error) {
	return call[adminapi.Organization](ctx, c, http.MethodGet, nil, "organizations", key)
}

// IssueScimToken issues a token by which an identity provider manages the people of the organization with a key.
func (c *Client) IssueScimToken(ctx context.Context, key string) (adminapi.Token, error) {
	return call[adminapi.Token](ctx, c, http.MethodPost, nil, "organizations", key, "scim-token")
}

// RevokeScimTokens revokes all such tokens at once.
func (c *Client) RevokeScimTokens(ctx context.Context, key string) (adminapi.Removal, error) {
	return call[adminapi.Removal](ctx, c, http.MethodDelete, nil, "organizations", key, "scim-token")
}

// DeleteIdentityLinks unlinks the account with an address, in the organization with a key, from people at identity providers.
func (c *Client) DeleteIdentityLinks(ctx context.Context, key, email string) (adminapi.Removal, error) {
	return call[adminapi.Removal](ctx, c, http.MethodDelete, nil, "organizations", key, "identity-links", email)
}

// DeleteOrganization deletes a part of the organization with a key. It must be repeated until it is done, see
// [Client.DeleteWholeOrganization].
func (c *Client) DeleteOrganization(ctx context.Context, key string) (adminapi.Deletion, error) {
	return call[adminapi.Deletion](ctx, c, http.MethodDelete, nil, "organizations", key)
}

// DeleteWholeOrganization deletes the organization with a key completely, and returns how many rows it had.
func (c *Client) DeleteWholeOrganization(ctx context.Context, key string) (rows int64, err error) {
	for {
		part, err := c.DeleteOrganization(ctx, key)
		rows += part.Rows
		if err != nil || part.Done {
			return rows, err
		}
	}
}
