// Package missed sends mail and push notifications about messages that people missed while they were away (rest-api.md, section 4.6;
// docs/decisions/0021-missed-messages.md).
//
// It promises:
//
//   - It adds no cost to sending a message: it finds new messages in the event log.
//   - A mail has only messages that are still unread when it is sent, with their current content. Messages that were read, deleted or
//     muted meanwhile aren't in it. If no messages remain, no mail is sent.
//   - The settings at the time of sending apply.
//   - The number of mails to a person in an hour is limited.
//   - A mail has no active content, and showing it loads no external content.
package missed
