// Package mail queues mail, composes it when it is due, and sends it to an SMTP server or writes it to a folder
// (docs/decisions/0018-mail.md).
//
// It promises:
//
//   - A mail is sent if and only if the transaction that adds it is committed. It is sent at least once, and more than once only
//     if a process ends between sending it and recording that, or if the reply of the SMTP server is lost.
//   - Queued mail contains no secrets: links are made when a mail is composed, and only hashes of their tokens are stored.
//   - Texts that people have chosen, such as names and subjects, can't become headers or markup.
//   - The number of mails to an address and that of an organization are limited.
package mail
