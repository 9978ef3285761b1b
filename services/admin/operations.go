package admin

import (
	"context"
	"net/http"
	"reflect"

	"chatserver.dev/pkg/admin"
	"chatserver.dev/pkg/adminapi"
)

// Prefix begins the paths of the interface.
const Prefix = "/admin/v1"

// Operation is something that can be called.
type Operation struct {
	Method  string
	Path    string // below [Prefix], in the form of http.ServeMux
	ID      string // its name in the OpenAPI document
	Summary string
	Body    reflect.Type // of the JSON that it takes; nil: none
	Reply   reflect.Type // of the JSON that it answers with, without the envelope
	handle  func(r *http.Request) (any, error)
}

const (
	organization = "/organizations/{organization}"
	owner        = organization + "/owners/{email}"
	stream       = organization + "/streams/{key}"
	bot          = organization + "/bots/{key}"
	webhook      = organization + "/webhooks/{key}"
)

// Operations are all there are. The service may be nil where only their documentation is wanted.
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
		plain("DELETE "+organization, "deleteOrganization", "Delete an organization and everything in it; repeat until it is done.",
			func(r *http.Request) (adminapi.Deletion, error) {
				return s.DeleteOrganization(r.Context(), r.PathValue("organization"))
			}),

		ensure(owner, "email", "Owner", "Make somebody an owner; an account is created if there is none.", s.EnsureOwner),
		get(owner, "email", "Owner", "Get an owner.", s.Owner),
		rotate(owner, "email", "Owner", s.RotateOwnerKey),
		revoke(owner, "email", "Owner", s.RevokeOwnerKey),

		ensure(stream, "key", "Stream", "Create or update a stream.", s.EnsureStream),
		get(stream, "key", "Stream", "Get a stream.", s.Stream),
		remove(stream, "Stream", "Archive a stream.", s.RemoveStream),

		ensure(bot, "key", "Bot", "Create or update a generic bot.", s.EnsureBot),
		get(bot, "key", "Bot", "Get a bot.", s.Bot),
		remove(bot, "Bot", "Deactivate a bot, and revoke its API keys.", s.RemoveBot),
		rotate(bot, "key", "Bot", s.RotateBotKey),
		revoke(bot, "key", "Bot", s.RevokeBotKey),

		ensure(webhook, "key", "Webhook", "Create or update an incoming webhook.", s.EnsureWebhook),
		get(webhook, "key", "Webhook", "Get an incoming webhook, with its address without the API key.", s.Webhook),
		remove(webhook, "Webhook", "Deactivate an incoming webhook, and revoke its API keys.", s.RemoveWebhook),
		rotate(webhook, "key", "Webhook", s.RotateWebhookKey),
		revoke(webhook, "key", "Webhook", s.RevokeWebhookKey),
	}
}

// within is a call about something in an organization.
type within[R any] = func(ctx context.Context, organization, key string) (R, error)

// withinBy is such a call with a document.
type withinBy[B, R any] = func(ctx context.Context, organization, key string, body B) (R, error)

func ensure[B, R any](path, key, noun, summary string, f withinBy[B, adminapi.Ensured[R]]) Operation {
	return with("PUT "+path, "put"+noun, summary, func(r *http.Request, body B) (adminapi.Ensured[R], error) {
		return f(r.Context(), r.PathValue("organization"), r.PathValue(key), body)
	})
}

func get[R any](path, key, noun, summary string, f within[R]) Operation {
	return plain("GET "+path, "get"+noun, summary, func(r *http.Request) (R, error) {
		return f(r.Context(), r.PathValue("organization"), r.PathValue(key))
	})
}

func remove(path, noun, summary string, f within[adminapi.Removal]) Operation {
	return plain("DELETE "+path, "delete"+noun, summary, func(r *http.Request) (adminapi.Removal, error) {
		return f(r.Context(), r.PathValue("organization"), r.PathValue("key"))
	})
}

func rotate(path, key, noun string, f withinBy[adminapi.KeySpec, adminapi.Issued]) Operation {
	summary := "Replace the API key; the previous one works for a while."
	return with("POST "+path+"/api-key", "rotate"+noun+"Key", summary, func(r *http.Request, body adminapi.KeySpec) (adminapi.Issued, error) {
		return f(r.Context(), r.PathValue("organization"), r.PathValue(key), body)
	})
}

func revoke(path, key, noun string, f within[adminapi.Removal]) Operation {
	summary := "Revoke the API keys at once, also a key in its grace period."
	return plain("DELETE "+path+"/api-key", "revoke"+noun+"Key", summary, func(r *http.Request) (adminapi.Removal, error) {
		return f(r.Context(), r.PathValue("organization"), r.PathValue(key))
	})
}
