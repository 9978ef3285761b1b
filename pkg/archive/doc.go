// Package archive reads and writes organizations in the reference's export format: a folder, or a tar.gz of one, with tables as JSON
// and the files that people uploaded.
//
//   - realm.json has the tables of the organization: accounts, streams, subscriptions, reactions and so on.
//   - messages-000001.json and so on have about a thousand messages each, and the flags of their readers.
//   - attachment.json has the table of uploaded files; uploads, avatars, emoji and realm_icons have files, each with a
//     records.json that lists their owners.
//
// It promises:
//
//   - Rows are read and written one at a time, so an archive may be larger than memory.
//   - No file outside of the archive is accessed, whatever names and links it has. The limit on its unpacked size depends on its
//     packed size.
//   - Errors of an archive name the file, the table and the row.
//
// It implements only the format. Package transfer handles the rows.
package archive
