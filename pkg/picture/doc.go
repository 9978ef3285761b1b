// Package picture makes pictures of files that people upload: PNG or, for animated emoji, GIF, in fixed sizes
// (rest-api.md, sections 4.4, 5.6 and 5.8), and thumbnails, which may be JPEG (section 7.9).
//
// It promises:
//
//   - Nothing of a file is stored: a picture is encoded from pixels, so it has no metadata, no comments, and nothing
//     that something else than an image decoder understands. It is upright, as the file's EXIF orientation says.
//   - What a file can cost is bounded before anything of it is decoded: sides, bytes of memory, frames of an animation,
//     scans of a JPEG. Decoding ends with its context, or after [mostTime].
//   - A few files are decoded at a time, and a few wait.
//
// PNG, JPEG, GIF and WebP are decoded; of anything animated but a GIF emoji, the first frame is.
package picture
