// Package missed writes to people about what they missed while they were away (rest-api.md, section 4.6;
// docs/decisions/0021-missed-messages.md).
//
// It promises:
//
//   - Sending a message costs nothing for it: what is new is found in the event log.
//   - A mail says what is still unread when it is sent, as it is then. What was read, deleted or muted meanwhile isn't in it, and
//     if nothing is left there is no mail.
//   - Settings count as they are when a mail is sent.
//   - Somebody is sent a bounded number of mails in an hour, however much they miss.
//   - Nothing of a message is active in a mail, and reading it loads nothing.
package missed
