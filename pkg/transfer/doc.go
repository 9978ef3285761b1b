// Package transfer exports organizations to archives (package archive), and imports them from archives.
//
// It promises:
//
//   - An export doesn't block others: it reads in portions, each in a short transaction. It contains the messages that existed
//     when it began, and other data as it is when it is read. Its memory depends on the number of accounts, streams and files,
//     not on that of messages, their sizes and their readers.
//   - An imported organization can't be reached until it is complete. If an import is interrupted and started again, it
//     continues, and a process that still runs it writes nothing more. Its transactions are short, since the events of all
//     organizations wait for them (docs/decisions/0014).
//   - Archives aren't trusted: HTML is rendered again, pictures are encoded again, and rows that can't be stored are counted
//     in the report, with the reason.
//   - Archives contain no keys and passwords, and imports ignore them.
package transfer
