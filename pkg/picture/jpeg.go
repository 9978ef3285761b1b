package picture

import (
	"bytes"
	"encoding/binary"
	"image"
)

// maxScans is the maximum number of scans of a JPEG, which usually has ten. Each scan costs a pass over the whole
// image, but may have only a few bytes.
const maxScans = 100

// Markers of a JPEG.
const (
	markBaseline    = 0xc0
	markExtended    = 0xc1
	markProgressive = 0xc2
	markHuffman     = 0xc4 // these three are in the range of the marks of frames, but don't begin frames
	markExtension   = 0xc8
	markArithmetic  = 0xcc
	markRestart     = 0xd0 // to markRestart+7
	markBegin       = 0xd8
	markEnd         = 0xd9
	markScan        = 0xda
	markEXIF        = 0xe1
	markAdobe       = 0xee
)

// lookJPEG returns the memory for decoding a JPEG and its orientation, from its segments.
func lookJPEG(file []byte, config image.Config) (memory int64, turned orientation, err error) {
	turned = upright
	perPixel, scans, foundEXIF := 0.0, 0, false
	eachSegment(file, func(mark byte, segment []byte) {
		switch mark {
		case markBaseline, markExtended, markProgressive:
			perPixel += samples(segment, mark == markProgressive)
		case markScan:
			scans++
		case markEXIF:
			if !foundEXIF && bytes.HasPrefix(segment, []byte("Exif")) {
				foundEXIF, turned = true, orientationOf(segment)
			}
		case markAdobe:
			if len(segment) >= 12 && segment[11] == 0 {
				perPixel += 4 // colors in a form that is rare in JPEGs, and that the decoder copies
			}
		}
	})
	if scans > maxScans {
		return 0, upright, ErrLarge
	}
	return int64(perPixel * float64(pixels(config))), turned, nil
}

// samples returns the number of bytes for a pixel, from the segment that begins a frame. For a progressive image it
// includes the coefficients, at four bytes each.
func samples(frame []byte, progressive bool) (perPixel float64) {
	const head, component = 6, 3
	if len(frame) < head {
		return 0
	}
	components := frame[head:]
	count := min(int(frame[head-1]), len(components)/component)
	widest, highest, area := 1, 1, 0
	for i := range count {
		across, down := int(components[component*i+1]>>4), int(components[component*i+1]&15)
		widest, highest, area = max(widest, across), max(highest, down), area+across*down
	}
	perPixel = float64(area) / float64(widest*highest)
	if progressive {
		perPixel *= 5
	}
	if count == 4 || count == 3 && components[0] == 'R' {
		perPixel += 4 // copied, as above
	}
	return perPixel
}

// eachSegment calls do with the segments of a JPEG, without their lengths, up to the end or to the first one that it
// can't parse.
func eachSegment(file []byte, do func(mark byte, segment []byte)) {
	for {
		at := bytes.IndexByte(file, 0xff)
		if at < 0 || at+1 >= len(file) {
			return
		}
		mark := file[at+1]
		switch {
		case mark == 0xff: // padding
			file = file[at+1:]
			continue
		case mark == markEnd:
			return
		case mark <= 1, mark >= markRestart && mark <= markBegin: // inside of a scan, or without a segment
			file = file[at+2:]
			continue
		}
		file = file[at+2:]
		if len(file) < 2 {
			return
		}
		length := int(binary.BigEndian.Uint16(file))
		if length < 2 || length > len(file) {
			return
		}
		do(mark, file[2:length])
		file = file[length:]
	}
}
