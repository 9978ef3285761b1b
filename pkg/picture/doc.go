// Package picture makes pictures in fixed sizes from files that people upload: PNG or, for animated emoji, GIF
// (rest-api.md, sections 4.4, 5.6 and 5.8), and thumbnails, which may be JPEG (section 7.9).
//
// It promises:
//
//   - A picture is encoded from the pixels of a file. It contains no metadata, no comments, and nothing else that
//     a program other than an image decoder could interpret. It is upright, according to the file's EXIF
//     orientation.
//   - The cost of a file is limited before it is decoded: sides, bytes of memory, frames of an animation, scans
//     of a JPEG. Decoding stops when the context ends, or at the timeout of the [Maker].
//   - The numbers of files that are decoded at a time, and that wait, are limited. Organizations take turns, and none of them has more than
//     half of the places.
//
// It decodes PNG, JPEG, GIF and WebP. Of animations it decodes only the first frame, except for emoji in GIF.
package picture
