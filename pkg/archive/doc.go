// Package archive reads and writes organizations in the reference's export format: a folder, or a tar.gz of one, with tables as JSON
// and the files that people uploaded.
//
//   - realm.json has the tables of the organization: accounts, streams, subscriptions, reactions and so on.
//   - messages-000001.json and so on have about a thousand messages each, and what each of their readers did with them.
//   - attachment.json has the table of uploaded files; uploads, avatars, emoji and realm_icons have files, each with a
//     records.json that says whose they are.
//
// It promises:
//
//   - Rows are read and written one at a time, so an archive may be larger than memory.
//   - Nothing outside of the archive is reached, whatever names and links it has. How large it may be when unpacked depends on its
//     size when packed.
//   - Whatever is wrong with an archive is an error that names the file, the table and the row.
//
// It knows only the format: what happens to the rows is up to package transfer.
package archive
