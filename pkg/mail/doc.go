// Package mail writes to people: it keeps what to send, composes it when its time comes, and hands it to a server by SMTP,
// or puts it into a folder (docs/decisions/0018-mail.md).
//
// It promises:
//
//   - A mail is sent if and only if the transaction that adds it is committed. It is sent at least once, and more than once only
//     if a process dies between sending it and recording that, or if the other server's answer is lost.
//   - Queued mail contains no secrets: links are made when a mail is composed, and only hashes of their tokens are stored.
//   - Nothing that people chose (names, subjects) can become a header or markup.
//   - The number of mails to an address and of an organization is limited, whoever causes them.
package mail
