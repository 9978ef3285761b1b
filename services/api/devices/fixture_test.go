package devices_test

import (
	"net/http"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/push"
	"chatserver.dev/services/servicetest"
)

type params = servicetest.Params

const (
	route = "/users/me/push_devices"
	// key and auth are those in RFC 8291, section 5.
	key  = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
	auth = "BTBZMqHH6r4Tts7J_aSIgg"
)

// browser contains the parameters of a browser.
func browser(endpoint string) params {
	return params{"endpoint": endpoint, "p256dh": key, "auth": auth}
}

// add adds a browser.
func add(by servicetest.Account, endpoint string) id.Device {
	reply := struct{ ID id.Device }{}
	by.Do(http.MethodPost, route, browser(endpoint)).OK().Decode(&reply)
	return reply.ID
}

// listed returns the browsers of an account.
type listed struct {
	Devices []push.Device `json:"push_devices"`
	Key     *string       `json:"vapid_public_key"`
}

func list(by servicetest.Account) listed {
	reply := listed{}
	by.Do(http.MethodGet, route, nil).OK().Decode(&reply)
	return reply
}

// endpoints returns the endpoints of an account's browsers.
func endpoints(by servicetest.Account) []string {
	all := []string{}
	for _, d := range list(by).Devices {
		all = append(all, d.Endpoint)
	}
	return all
}
