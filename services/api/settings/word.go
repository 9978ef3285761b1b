package settings

import "encoding/json"

// word is a text that is sent as it is, as http-api.md says of texts, or with JSON's quotes, as other
// clients of the interface send it. No text that is accepted begins with a quote, so both can be told apart.
type word string

// ParseParam reads both forms. It never fails: what the text may be is checked later.
func (w *word) ParseParam(raw string) error {
	if json.Unmarshal([]byte(raw), (*string)(w)) != nil {
		*w = word(raw)
	}
	return nil
}
