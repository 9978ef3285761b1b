// Package images serves images of other servers to readers. It fetches them for the readers' browsers, so that other
// servers don't learn who reads what, and when (docs/decisions/0015-images.md).
//
// It promises:
//
//   - Only addresses that this server signed when it rendered a text (package imagelink) are fetched.
//   - Connections go only to public addresses, at ports 80 and 443. The address is checked when the connection is made,
//     for redirects, too, so earlier results of name resolution don't matter.
//   - A request to another server has no cookie, no password and no data of the reader.
//   - Only images are passed on, as identified by their first bytes, of at most picture.MaxShown pixels: larger ones
//     take gigabytes in browsers. An image that is opened as a page can't run scripts.
//   - Size, time, redirects and the number of concurrent fetches are limited. Images are passed on without being stored.
package images
