// Package file stores all uploaded files of organizations. Each file in the storage (package blob) has a row in the database. Files
// that aren't kept are removed.
//
// It promises:
//
//   - A file is kept if and only if the transaction that adds it commits. If a process ends before that, the file is removed from the
//     storage within about an hour.
//   - A file that a transaction drops, or whose organization is deleted, is removed from the storage within minutes. If the storage is
//     unavailable, it is removed when the storage is available again.
//   - Names in the storage contain no text from users.
package file
