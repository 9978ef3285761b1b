// Package alertwords has the endpoints of alert words: a message that contains one is flagged for the account that
// chose it.
package alertwords

type reply struct {
	// All alert words of the caller, as they were written.
	AlertWords []string `json:"alert_words"`
}
