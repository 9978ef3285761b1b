package property_test

import (
	"fmt"
	"net/http"
	"strconv"

	"chatserver.dev/services/servicetest"
)

// applyAnswer applies the custom profile fields in an update of an account, and removes them from the update.
func applyAnswer(of, update object) {
	answer, ok := update["custom_profile_field"].(object)
	if !ok {
		return
	}
	delete(update, "custom_profile_field")
	answers, _ := of["profile_data"].(object)
	number := strconv.FormatInt(whole(answer["id"]), 10)
	delete(answers, number)
	if answer["value"] != nil {
		delete(answer, "id")
		answers[number] = answer
	}
}

// applyFields replaces the custom profile fields, and removes answers to removed fields.
func (c *client) applyFields(fields any) {
	c.state["custom_profile_fields"] = fields
	there := map[string]bool{}
	for _, field := range objects(fields) {
		there[strconv.FormatInt(whole(field["id"]), 10)] = true
	}
	for _, list := range []string{"realm_users", "realm_non_active_users"} {
		for _, u := range objects(c.state[list]) {
			answers, _ := u["profile_data"].(object)
			for number := range answers {
				if !there[number] {
					delete(answers, number)
				}
			}
		}
	}
}

// profileAct generates a change of custom profile fields, or of answers.
func (f *following) profileAct(human *person, which int) func() {
	const path = "/realm/profile_fields"
	olga, label := f.person("Olga"), strconv.Itoa(which%4)
	op := draw(f.history, "op", []string{"create", "create", "answer", "answer", "answer", "clear", "of others", "rename", "order", "remove"})
	return func() {
		reply := struct {
			Fields []struct{ ID int64 } `json:"custom_fields"`
		}{}
		olga.Do(http.MethodGet, path, nil).OK().Decode(&reply)
		number, order := int64(987654321), []int64{}
		for _, field := range reply.Fields {
			order = append([]int64{field.ID}, order...)
		}
		if len(order) > 0 {
			number = order[which%len(order)]
		}
		answer := []map[string]any{{"id": number, "value": "*" + label + "*"}}
		at := fmt.Sprintf("%s/%d", path, number)
		switch op {
		case "create":
			f.try(olga, http.MethodPost, path, servicetest.Params{"name": label, "field_type": 1 + which%2})
		case "answer":
			f.try(human, http.MethodPatch, "/users/me/profile_data", servicetest.Params{"data": answer})
		case "clear":
			f.try(human, http.MethodDelete, "/users/me/profile_data", servicetest.Params{"data": []int64{number}})
		case "of others":
			f.try(f.person("Adam"), http.MethodPatch, fmt.Sprintf("/users/%d", human.id), servicetest.Params{"profile_data": answer})
		case "rename":
			f.try(olga, http.MethodPatch, at, servicetest.Params{"name": label, "hint": label})
		case "order":
			f.try(olga, http.MethodPatch, path, servicetest.Params{"order": order})
		case "remove":
			f.try(olga, http.MethodDelete, at, nil)
		}
	}
}
