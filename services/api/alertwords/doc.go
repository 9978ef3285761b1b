// Package alertwords has the endpoints of alert words: a message with one of them is marked for whoever chose it.
package alertwords

type reply struct {
	// All alert words of the caller, as they were written.
	AlertWords []string `json:"alert_words"`
}
