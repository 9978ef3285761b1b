// Package slack reads organizations in Slack's export format, a folder or a zip file, and writes them as archives (package
// archive).
//
//   - users.json (org_users.json, if the export is of several workspaces) has the accounts.
//   - channels.json, groups.json, dms.json and mpims.json have public channels, private channels, and conversations of two and of more.
//   - Each of these has a folder, by its name or its id, with a file for each day.
//   - Uploaded files aren't in Slack's own exports, which only say where Slack has them. Tools that fetch them put them into __uploads,
//     or next to the messages into attachments.
//
// It promises:
//
//   - The same export becomes the same archive, so an import can be continued.
//   - What it takes in memory is the messages of one day, and some 100 bytes for each account, member, thread and uploaded file.
//   - Whatever has no place in an archive is reported, and whatever can't be read is an error that names the file and the row.
//   - Addresses that are written to messages have no query: there Slack's exports have a key to all their files.
package slack
