package main

import (
	"encoding/json"

	"chatserver.dev/pkg/endpoint"
)

// examples returns examples of parameters' values, as JSON, by the parameter's name or, for a single endpoint, by the
// endpoint's route, a space and the name.
func examples() map[string]string {
	return map[string]string{
		"alert_words":       `["storm", "high water"]`,
		"command":           `"/ping"`,
		"content":           `"High water at **7:40**."`,
		"description":       `"What the sea does."`,
		"domain":            `"harbour.example"`,
		"draft":             `{"type": "stream", "to": [7], "topic": "tides", "content": "High water"}`,
		"drafts":            `[{"type": "stream", "to": [7], "topic": "tides", "content": "High water"}]`,
		"email":             `"ebbe@harbour.example"`,
		"emoji_name":        `"anchor"`,
		"full_name":         `"Ebbe Holm"`,
		"group_name":        `"crew"`,
		"hotspot":           `"intro_reply"`,
		"invitee_emails":    `"ebbe@harbour.example, flo@harbour.example"`,
		"issuer":            `"https://id.example"`,
		"last_event_id":     `-1`,
		"messages":          `[41, 42]`,
		"msg_ids":           `[41, 42]`,
		"narrow":            `[["stream", "general"], ["topic", "tides"]]`,
		"order":             `[2, 1]`,
		"pattern":           `"#(?P<id>[0-9]+)"`,
		"principals":        `[12, 14]`,
		"property":          `"color"`,
		"queue_id":          `"1.444RMFNNRSD5RX2DKNDNI45APU"`,
		"short_name":        `"ebbe"`,
		"storage":           `{"valve": "open"}`,
		"stream":            `"general"`,
		"stream_ids":        `[7]`,
		"stream_names":      `["tides"]`,
		"subdomain":         `"harbour"`,
		"subscription_data": `[{"stream_id": 7, "property": "color", "value": "#76ce90"}]`,
		"token":             `"a1b2c3d4"`,
		"topic":             `"tides"`,
		"topic_name":        `"tides"`,
		"url_format_string": `"https://tickets.example/%(id)s"`,
		"username":          `"ebbe@harbour.example"`,

		"DELETE /api/v1/users/me/profile_data data":                      `[7]`,
		"DELETE /api/v1/users/me/subscriptions subscriptions":            `["tides"]`,
		"GET /api/v1/messages anchor":                                    `"newest"`,
		"GET /api/v1/messages narrow":                                    `[["stream", "general"], ["topic", "tides"]]`,
		"GET /api/v1/messages num_before":                                `20`,
		"GET /api/v1/messages num_after":                                 `0`,
		"PATCH /api/v1/bots/{bot_id} full_name":                          `"Tide Bot"`,
		"PATCH /api/v1/default_stream_groups/{group_id} new_description": `"For those who sail."`,
		"PATCH /api/v1/messages/{message_id} content":                    `"High water at **7:50**."`,
		"PATCH /api/v1/realm waiting_period_threshold":                   `3`,
		"PATCH /api/v1/realm/profile_fields/{field_id} name":             `"Boat"`,
		"PATCH /api/v1/settings full_name":                               `"Ebbe Holm"`,
		"PATCH /api/v1/settings/display dense_mode":                      `false`,
		"PATCH /api/v1/settings/notifications enable_sounds":             `false`,
		"PATCH /api/v1/streams/{stream_id} description":                  `"What the sea does."`,
		"PATCH /api/v1/user_groups/{user_group_id} description":          `"Who sails."`,
		"PATCH /api/v1/users/me/profile_data data":                       `[{"id": 7, "value": "Seagull"}]`,
		"PATCH /api/v1/users/me/subscriptions add":                       `[{"name": "tides"}]`,
		"PATCH /api/v1/users/me/subscriptions/muted_topics stream_id":    `7`,
		"PATCH /api/v1/users/me/subscriptions/{stream_id} value":         `"#76ce90"`,
		"PATCH /api/v1/users/{user_id} full_name":                        `"Ebbe Holm"`,
		"POST /api/v1/external/alertmanager stream":                      `"alerts"`,
		"POST /api/v1/external/helloworld stream":                        `"general"`,
		"POST /api/v1/messages/flags flag":                               `"starred"`,
		"POST /api/v1/messages to":                                       `"general"`,
		"POST /api/v1/messages topic":                                    `"tides"`,
		"POST /api/v1/messages type":                                     `"stream"`,
		"POST /api/v1/realm/profile_fields field_type":                   `1`,
		"POST /api/v1/realm/profile_fields name":                         `"Boat"`,
		"POST /api/v1/register client_capabilities":                      `{"notification_settings_null": true, "bulk_message_deletion": true}`,
		"POST /api/v1/register event_types":                              `["message", "subscription"]`,
		"POST /api/v1/submessage content":                                `"{\"type\":\"vote\",\"key\":\"12,0\",\"vote\":1}"`,
		"POST /api/v1/submessage msg_type":                               `"widget"`,
		"POST /api/v1/typing op":                                         `"start"`,
		"POST /api/v1/typing to":                                         `[12]`,
		"POST /api/v1/user_groups/{user_group_id}/members add":           `[12, 14]`,
		"POST /api/v1/user_groups/create name":                           `"crew"`,
		"POST /api/v1/users/me/presence status":                          `"active"`,
		"POST /api/v1/users/me/status status_text":                       `"at sea"`,
		"POST /api/v1/users/me/subscriptions subscriptions":              `[{"name": "tides", "description": "What the sea does."}]`,
	}
}

// example returns the example of an endpoint's parameter, or nil if there is none.
func (g *generator) example(e endpoint.Endpoint, name string) json.RawMessage {
	for _, key := range []string{e.Route() + " " + name, name} {
		if text, ok := g.examples[key]; ok {
			g.shown[key] = true
			return json.RawMessage(text)
		}
	}
	return nil
}
