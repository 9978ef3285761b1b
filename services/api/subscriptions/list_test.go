package subscriptions_test

import "testing"

func TestList(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.want(t, `200 {"result":"success","msg":"","subscriptions":[]}`, "guest", "GET")
	s.call(t, "ann", "POST", "subscriptions", `[{"name":"turbine","color":"#00f"}]`, "principals", "[5,4]")
	const found = `200 {"result":"success","msg":"","subscriptions":[{"stream_id":1,"name":"turbine","description":"",` +
		`"rendered_description":"","invite_only":false,"is_web_public":false,"stream_post_policy":1,` +
		`"history_public_to_subscribers":true,"first_message_id":null,"message_retention_days":null,"is_announcement_only":false,` +
		`"color":"#00f","is_muted":false,"in_home_view":true,"pin_to_top":false,"desktop_notifications":null,` +
		`"audible_notifications":null,"push_notifications":null,"email_notifications":null,"wildcard_mentions_notify":null,` +
		`"email_address":"","stream_weekly_traffic":null`
	s.want(t, found+`}]}`, "guest", "GET")
	s.want(t, found+`,"subscribers":[4,5]}]}`, "guest", "GET", "include_subscribers", "true")
	s.want(t, `400 {"result":"error","msg":"include_subscribers is not a boolean","code":"BAD_REQUEST"}`,
		"guest", "GET", "include_subscribers", "1")
}
