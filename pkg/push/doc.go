// Package push keeps which browsers show notifications, and of which messages each is still to be notified (RFC 8030, RFC 8291,
// RFC 8292; docs/decisions/0022-web-push.md). Package missed says which messages these are and what is shown of them, and package push of
// services hands notifications to the browsers' push services.
//
// It promises:
//
//   - A browser ends with the login that added it.
//   - An account has a bounded number of browsers, and a bounded number of messages wait for each.
//   - Of several processes one sends to a browser at a time. A message that a push service has taken may be sent again if a process
//     dies right then, and no message is sent for longer than [mostAttempts] attempts take.
package push
