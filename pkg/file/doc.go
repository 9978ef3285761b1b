// Package file keeps the bytes of what organizations upload, whatever it is for: the database knows each file that the
// storage has (package blob), and what nothing keeps is removed.
//
// It promises:
//
//   - A file is kept if and only if the transaction commits that it is kept in. If a process ends between the storage and the
//     transaction, the file is removed within about an hour.
//   - A file that a transaction drops, or whose organization is deleted, is removed from the storage within minutes, and for
//     as long as the storage doesn't answer, as soon as it does.
//   - No name in the storage has anything of what people type.
package file
