// Package endpoint turns typed functions into the HTTP interface. An endpoint is declared next to
// its parameters, in one small file:
//
//	type muteParams struct {
//		// Stream that holds the topic.
//		StreamID id.Stream `param:"stream_id"`
//		// Topic to mute; it need not have messages yet.
//		Topic string `param:"topic" max:"60 characters"`
//		// Whether to mute or to unmute.
//		Op string `param:"op" enum:"add,remove"`
//	}
//
//	// Mute mutes or unmutes a topic.
//	func Mute(topics *topic.Service) endpoint.Endpoint {
//		return endpoint.New(endpoint.About{
//			Route:  "PATCH /users/me/subscriptions/muted_topics",
//			Who:    permit.Anyone,
//			Faults: endpoint.Faults{topic.ErrAlreadyMuted, topic.ErrNotMuted},
//		}, func(ctx context.Context, who actor.Actor, in muteParams) (endpoint.Nothing, error) {
//			return endpoint.Nothing{}, topics.SetMuted(ctx, who, in.StreamID, in.Topic, in.Op == "add")
//		})
//	}
//
// The package implements section 1 of rest-api.md for all handlers: the envelope,
// authentication and permissions and the order of their checks, rate limits, the reading of parameters, and the
// message of every refusal. A handler runs only for a caller who may call, with parameters that
// are valid UTF-8 without U+0000 and obey their tags. If it returns a [fault.Fault], that is the
// response. Every other error is logged once, here, and answered with "Internal server error".
//
// # Parameters
//
// The fields of a parameter struct are read in their order, and the first failure is the response.
//
//	param:"name"            from the form body, else from the query string
//	path:"stream_id"        from the path; an integer field matches digits only
//	header:"X-Event"        from a header
//	body:"json"             the whole body; webhooks only
//	form:"payload"          of the body: if it is a form with this parameter, that is the JSON
//	form:"*"                of the body: if it is a form, its parameters are the members of the JSON object
//	alias:"subject"         an older name; both at once are refused
//	compat:"client_x"       the reference server's name, with [Config.Compat]; the name of param takes precedence
//	default:"true"          the text used for an absent parameter
//	enum:"add,remove"       the allowed values of a string or an integer
//	max:"60 characters"     the maximum length of a string
//	check:"color"           the form of a string: color, or text, which isn't blank
//	nul:"passed"            passes U+0000 to a handler that has its own message for it
//	absent:"refused"        of a member of a struct, a pointer: it may be null, but must be there
//
// A pointer is optional, and nil when absent; a field with a default is optional, too. A string is
// the text as sent, with or without JSON's quotes if it is a [JSONString]; integers, booleans, floats,
// lists, maps and structs are JSON, except for [NNInt]. Members of structs are named by json tags and may have the tags from enum
// on. A struct refuses members that it doesn't declare, except for a webhook's body. A type that is a [Parser]
// parses its own text. Embedded structs are replaced by their fields. A struct that is a [Checker] is checked last.
// Files in a multipart body are ignored, except for the one that an endpoint of [Upload] takes.
package endpoint
