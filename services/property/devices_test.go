package property_test

import (
	"fmt"
	"net/http"

	"chatserver.dev/services/servicetest"
)

// deviceAct generates a registration of a browser for notifications, and perhaps its removal.
func (f *following) deviceAct(p *person, removed bool) func() {
	f.texts++
	browser := servicetest.Params{
		"endpoint": fmt.Sprintf("https://push.example/%d", f.texts), "auth": "BTBZMqHH6r4Tts7J_aSIgg",
		"p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
	}
	return func() {
		reply := struct{ ID int64 }{}
		answer := f.try(p, http.MethodPost, "/users/me/push_devices", browser)
		if answer.Status != http.StatusOK {
			return
		}
		answer.Decode(&reply)
		if removed && f.try(p, http.MethodDelete, fmt.Sprintf("/users/me/push_devices/%d", reply.ID), nil).Status == http.StatusOK {
			return
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		f.devices[p.id] = append(f.devices[p.id], reply.ID)
	}
}

// devicesOf returns the browsers that are registered for a person's notifications.
func devicesOf(p *person) []any {
	reply := struct {
		Devices []object `json:"push_devices"`
	}{}
	p.Do(http.MethodGet, "/users/me/push_devices", nil).OK().Decode(&reply)
	numbers := []int64{}
	for _, d := range reply.Devices {
		numbers = append(numbers, whole(d["id"]))
	}
	return numbersIn(numbers)
}
