// Package mail writes to people: it keeps what to send, composes it when its time comes, and hands it to a server by SMTP,
// or puts it into a folder (docs/decisions/0018-mail.md).
//
// It promises:
//
//   - A mail is to be sent exactly if the transaction is committed that adds it. It is sent at least once, and more often only
//     where a process dies between sending and noting it, or the other server's answer is lost.
//   - What waits has no secrets: links are made when a mail is composed, and of their tokens only hashes are stored.
//   - Nothing that people chose (names, subjects) makes a header, or markup.
//   - What one address and one organization are sent is limited, whoever causes it.
package mail
