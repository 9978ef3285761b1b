// Package alertwords has the endpoints of the words that callers want to be alerted of.
package alertwords

type reply struct {
	// All words that the caller is alerted of, as they were written.
	AlertWords []string `json:"alert_words"`
}
