// Package blob stores uploaded files in a folder or in a bucket of a server with the S3 protocol. It handles only their names and
// bytes. Package file records their organizations.
//
// It promises for both kinds of storage:
//
//   - A file that Put has stored is complete, and survives a crash of the process or the machine. If Put fails, no file
//     can be opened under the name. Remove deletes the remains.
//   - Neither storing nor reading holds a whole file in memory.
//   - No name reaches a file outside of the folder or the bucket.
package blob
