// Package push stores which browsers show notifications, and of which messages each is still to be notified (RFC
// 8030, RFC 8291, RFC 8292; docs/decisions/0022-web-push.md). Package missed selects these messages and the content
// of notifications, and package services/push sends notifications to the browsers' push services.
//
// It promises:
//
//   - A browser is removed when the login that added it ends.
//   - The number of browsers of an account, and the number of messages that wait for each, are limited.
//   - Only one process at a time sends to a browser. A message that a push service has accepted may be sent again
//     if a process ends right then. No message is sent after [maxAttempts] failed attempts.
package push
