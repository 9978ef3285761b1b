package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
)

// verb matches a formatting verb of a fault's message.
var verb = regexp.MustCompile(`%[a-z]`)

// message returns a fault's message with an ellipsis in place of each formatting verb.
func message(f *fault.Fault) string { return verb.ReplaceAllString(f.Msg, "…") }

// failures returns the error responses: one for each status of the endpoint's own faults, and those
// that the framework adds.
func failures(e endpoint.Endpoint) map[string]response {
	byStatus := map[string]response{}
	for i, f := range e.About().Faults {
		status := strconv.Itoa(int(f.Kind))
		r, ok := byStatus[status]
		if !ok {
			r = response{
				Description: framework(status, e),
				Content: map[string]media{"application/json": {
					Schema: &jsonschema.Schema{Ref: "#/components/schemas/Error"}, Examples: map[string]example{},
				}},
			}
		}
		code := ""
		if f.Code != "" {
			code = fmt.Sprintf(" (`%s`)", f.Code)
		}
		r.Description = strings.TrimSpace(fmt.Sprintf("%s\n- %s%s", r.Description, message(f), code))
		r.Content["application/json"].Examples["fault"+strconv.Itoa(i+1)] = example{Summary: message(f), Value: envelope(f)}
		byStatus[status] = r
	}
	for status, name := range map[string]string{"400": "Invalid", "default": "Failure"} {
		if _, ok := byStatus[status]; !ok {
			byStatus[status] = response{Ref: "#/components/responses/" + name}
		}
	}
	if _, ok := byStatus["401"]; !ok && e.Kind() != endpoint.KindPublic {
		byStatus["401"] = response{Ref: "#/components/responses/Unauthorized"}
	}
	if e.Kind() != endpoint.KindPublic {
		byStatus["429"] = response{Ref: "#/components/responses/TooMany"}
	}
	return byStatus
}

// framework returns a description of the framework's errors that have the same status as faults of the endpoint.
func framework(status string, e endpoint.Endpoint) string {
	if status == "400" && len(e.Params()) > 0 {
		return "A parameter is missing or wrong, or one of these:\n"
	}
	return ""
}

func envelope(f *fault.Fault) map[string]any {
	body := map[string]any{"result": "error", "msg": message(f)}
	if f.Code != "" {
		body["code"] = f.Code
	}
	for key, value := range f.Data {
		body[key] = value
	}
	return body
}

// shared are the parts that endpoints refer to.
func shared() components {
	failed := map[string]media{"application/json": {Schema: &jsonschema.Schema{Ref: "#/components/schemas/Error"}}}
	text := func(description string) *jsonschema.Schema {
		return &jsonschema.Schema{Type: "string", Description: description}
	}
	return components{
		Schemas: map[string]*jsonschema.Schema{"Error": {
			Type: "object", Description: "What every failed request is answered with. Each member but the first two is there for some errors only.",
			Required:      []string{"result", "msg"},
			PropertyOrder: []string{"result", "msg", "code"}, // and the others by name
			Properties: map[string]*jsonschema.Schema{
				"result": {Type: "string", Const: new(any("error"))},
				"msg":    text("What went wrong, for people."),
				"code":   text("What went wrong, for programs."),

				"allowed_methods":  {Type: "array", Items: &jsonschema.Schema{Type: "string"}, Description: "The methods that the path has."},
				"bad_value":        text("The value of the parameter `var_name`."),
				"desc":             text("What is wrong with a narrow."),
				"entity":           text("Whose last one can't be deactivated: an organization owner, or a user."),
				"errors":           {Description: "What is wrong with each part of the request: of addresses lists of address, reason, and whether the account is deactivated; of a linkifier lists of texts by the name of the field."},
				"event_type":       text("The kind of event that an integration doesn't know."),
				"header":           text("The header that a request to an integration lacks."),
				"is_last_owner":    {Type: "boolean", Description: "Whether `entity` is an organization owner."},
				"max_bytes":        {Type: "integer", Description: "The largest size of a request's body."},
				"principal":        {Types: []string{"integer", "string"}, Description: "The account that can't be subscribed, as the request names it."},
				"queue_id":         text("The queue that doesn't exist."),
				"reason":           text("Why somebody can't sign in, for programs."),
				"retry-after":      {Type: "number", Description: "The seconds to wait before the next attempt."},
				"sent_invitations": {Type: "boolean", Description: "Whether invitations were sent to the other addresses."},
				"setting":          text("The setting that names a stream that doesn't exist."),
				"stream":           text("The name of the stream that doesn't exist, as HTML."),
				"stream_id":        {Type: "integer", Description: "The id of the stream that doesn't exist."},
				"untranslated":     text("`msg` in English, if it is in another language."),
				"var_name":         text("The parameter that is missing or wrong."),
				"var_name1":        text("One of two parameters of which only one may be given."),
				"var_name2":        text("The other one."),
				"webhook_name":     text("The integration of `event_type`."),
			},
		}},
		Responses: map[string]response{
			"Invalid":      {Description: "The request can't be carried out as it is: a parameter is missing or wrong.", Content: failed},
			"Unauthorized": {Description: "The caller didn't prove who they are.", Content: failed},
			"TooMany":      {Description: "The caller has exceeded a rate limit; the member retry-after is the number of seconds to wait.", Content: failed},
			"Failure":      {Description: "Any other failure.", Content: failed},
		},
		SecuritySchemes: map[string]securityScheme{
			"basic": {Type: "http", Scheme: "basic", Description: "Real email address and API key of a person or a bot."},
			"key":   {Type: "apiKey", In: "query", Name: "api_key", Description: "API key of a bot, or of a person."},
		},
	}
}
