package admin

import (
	"context"
	"net/http"
	"reflect"
	"strings"

	"chatserver.dev/pkg/admin"
	"chatserver.dev/pkg/adminapi"
)

// Prefix is the prefix of the interface's paths.
const Prefix = "/admin/v1"

// Operation is an operation of the interface.
type Operation struct {
	Method  string
	Path    string // below [Prefix], in the form of http.ServeMux
	ID      string // its name in the OpenAPI document
	Summary string
	Body    reflect.Type // of the request's JSON; nil: none
	Reply   reflect.Type // of the response's JSON, without the envelope
	// handle handles a call. If it has a body, allow checks the caller again.
	handle func(r *http.Request, allow func() error) (any, error)
}

const (
	organization = "/organizations/{organization}"
	owner        = organization + "/owners/{email}"
	person       = organization + "/users/{key}"
	stream       = organization + "/streams/{key}"
	bot          = organization + "/bots/{key}"
	webhook      = organization + "/webhooks/{key}"
	scimToken    = organization + "/scim-token"
	identityLink = organization + "/identity-links/{email}"
)

// Operations returns all operations. The service may be nil if only their documentation is needed.
func Operations(s *admin.Service) []Operation {
	return []Operation{
		plain("GET /status", "getStatus", "Versions of program and schema, and a summary of all organizations.", func(r *http.Request) (adminapi.Status, error) {
			return s.Status(r.Context())
		}),
		plain("GET /health", "getHealth", "Whether PostgreSQL and Redis respond, accept writes and have space.", func(r *http.Request) (adminapi.Health, error) {
			return s.Health(r.Context()), nil
		}),
		with("PUT "+organization, "putOrganization", "Create or update an organization.",
			func(r *http.Request, spec adminapi.OrganizationSpec) (adminapi.Ensured[adminapi.Organization], error) {
				return s.EnsureOrganization(r.Context(), r.PathValue("organization"), spec)
			}),
		plain("GET "+organization, "getOrganization", "Get an organization.", func(r *http.Request) (adminapi.Organization, error) {
			return s.Organization(r.Context(), r.PathValue("organization"))
		}),
		plain("DELETE "+organization, "deleteOrganization", "Delete an organization and everything in it; repeat until the deletion is complete.",
			func(r *http.Request) (adminapi.Deletion, error) {
				return s.DeleteOrganization(r.Context(), r.PathValue("organization"))
			}),

		plain("POST "+scimToken, "issueScimToken", "Issue a token with which an identity provider manages people; the previous one stays valid until the next call.",
			func(r *http.Request) (adminapi.Token, error) {
				return s.IssueScimToken(r.Context(), r.PathValue("organization"))
			}),
		plain("DELETE "+scimToken, "revokeScimTokens", "Revoke all tokens of identity providers at once.", func(r *http.Request) (adminapi.Removal, error) {
			return s.RevokeScimTokens(r.Context(), r.PathValue("organization"))
		}),

		with("PUT "+owner, "putOwner", "Make a person an owner; an account is created if there is none.", by("email", s.EnsureOwner)),
		plain("GET "+owner, "getOwner", "Get an owner.", of("email", s.Owner)),
		rotate(s, admin.Owner, owner, "email"),
		revoke(s, admin.Owner, owner, "email"),

		with("PUT "+person, "putUser", "Create or update a person's account.", by("key", s.EnsureUser)),
		plain("GET "+person, "getUser", "Get a person's account.", of("key", s.User)),
		plain("DELETE "+person, "deleteUser", "Deactivate a person's account.", of("key", s.RemoveUser)),

		plain("DELETE "+identityLink, "deleteIdentityLinks",
			"Unlink the account with an address from people at identity providers; whoever has the verified address there is linked at the next sign-in.",
			of("email", s.Unlink)),

		with("PUT "+stream, "putStream", "Create or update a stream.", by("key", s.EnsureStream)),
		plain("GET "+stream, "getStream", "Get a stream.", of("key", s.Stream)),
		plain("DELETE "+stream, "deleteStream", "Archive a stream.", of("key", s.RemoveStream)),

		with("PUT "+bot, "putBot", "Create or update a generic bot.", by("key", s.EnsureBot)),
		plain("GET "+bot, "getBot", "Get a bot.", of("key", s.Bot)),
		plain("DELETE "+bot, "deleteBot", "Deactivate a bot, and revoke its API keys.", of("key", account(s.RemoveAccount, admin.Bot))),
		rotate(s, admin.Bot, bot, "key"),
		revoke(s, admin.Bot, bot, "key"),

		with("PUT "+webhook, "putWebhook", "Create or update an incoming webhook.", by("key", s.EnsureWebhook)),
		plain("GET "+webhook, "getWebhook", "Get an incoming webhook, with its address without the API key.", of("key", s.Webhook)),
		plain("DELETE "+webhook, "deleteWebhook", "Deactivate an incoming webhook, and revoke its API keys.",
			of("key", account(s.RemoveAccount, admin.Webhook))),
		rotate(s, admin.Webhook, webhook, "key"),
		revoke(s, admin.Webhook, webhook, "key"),
	}
}

// of returns the handler of a call about an object in an organization. The object's key is the path value named key.
func of[R any](key string, f func(ctx context.Context, organization, key string) (R, error)) func(*http.Request) (R, error) {
	return func(r *http.Request) (R, error) { return f(r.Context(), r.PathValue("organization"), r.PathValue(key)) }
}

// by is [of] for a call with a document.
func by[B, R any](key string, f func(ctx context.Context, organization, key string, body B) (R, error)) func(*http.Request, B) (R, error) {
	return func(r *http.Request, body B) (R, error) {
		return f(r.Context(), r.PathValue("organization"), r.PathValue(key), body)
	}
}

// account binds the kind of accounts to a call.
func account[R any](
	f func(ctx context.Context, kind admin.Kind, organization, key string) (R, error), kind admin.Kind,
) func(ctx context.Context, organization, key string) (R, error) {
	return func(ctx context.Context, organization, key string) (R, error) { return f(ctx, kind, organization, key) }
}

func title(kind admin.Kind) string { return strings.ToUpper(string(kind[:1])) + string(kind[1:]) }

func rotate(s *admin.Service, kind admin.Kind, path, key string) Operation {
	return with("POST "+path+"/api-key", "rotate"+title(kind)+"Key", "Replace the API key; the previous one works for a while.",
		by(key, func(ctx context.Context, organization, key string, spec adminapi.KeySpec) (adminapi.Issued, error) {
			return s.RotateKey(ctx, kind, organization, key, spec)
		}))
}

func revoke(s *admin.Service, kind admin.Kind, path, key string) Operation {
	return plain("DELETE "+path+"/api-key", "revoke"+title(kind)+"Key", "Revoke the API keys at once, including a key in its grace period.",
		of(key, account(s.RevokeKey, kind)))
}
