//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"strconv"
)

// firstEvent is the beginning of the events in an answer, up to the number of the first one.
const firstEvent = `"events":[{"id":`

// parseAnswer parses an HTTP answer that may have arrived only in part; complete reports whether it has arrived
// completely. It must have a Content-Length.
func parseAnswer(data []byte) (status int, body []byte, complete bool, err error) {
	head, body, found := bytes.Cut(data, []byte("\r\n\r\n"))
	if !found {
		return 0, nil, false, nil
	}
	line, headers, _ := bytes.Cut(head, []byte("\r\n"))
	const before = len("HTTP/1.1 ")
	if len(line) < before+3 {
		return 0, nil, false, fmt.Errorf("%q isn't an HTTP status line", line)
	}
	if status, err = strconv.Atoi(string(line[before : before+3])); err != nil {
		return 0, nil, false, err
	}
	length := -1
	for len(headers) > 0 && length < 0 {
		line, headers, _ = bytes.Cut(headers, []byte("\r\n"))
		if value, ok := contentLength(line); ok {
			length = value
		}
	}
	switch {
	case length < 0:
		return 0, nil, false, errors.New("the answer has no Content-Length")
	case len(body) < length:
		return status, nil, false, nil
	case len(body) > length:
		return 0, nil, false, errors.New("the answer is longer than its Content-Length")
	}
	return status, body, true, nil
}

// contentLength returns the value of a line that is a valid header Content-Length; ok reports whether it is one.
func contentLength(line []byte) (length int, ok bool) {
	const name = "content-length:"
	if len(line) < len(name) || !bytes.EqualFold(line[:len(name)], []byte(name)) {
		return 0, false
	}
	length, err := strconv.Atoi(string(bytes.TrimSpace(line[len(name):])))
	return length, err == nil && length >= 0
}

// recipient follows the id of a private message's recipient, an object with the same beginning as an event.
const recipient = `,"email":`

// eventsOf returns the numbers of the events in an answer and whether each is a heartbeat. It doesn't parse JSON, since
// nothing in the benchmark's texts looks like an event.
func eventsOf(body []byte) iter.Seq2[int64, bool] {
	return func(yield func(int64, bool) bool) {
		at := bytes.Index(body, []byte(firstEvent))
		if at < 0 {
			return
		}
		rest := body[at+len(firstEvent):]
		for rest != nil {
			// The next event begins after this one; a message's own id follows a colon.
			one, after, _ := bytes.Cut(rest, []byte(`,{"id":`))
			end := bytes.IndexByte(one, ',')
			if end < 0 {
				return
			}
			if bytes.HasPrefix(one[end:], []byte(recipient)) {
				rest = after
				continue
			}
			number, err := strconv.ParseInt(string(one[:end]), 10, 64)
			if err != nil {
				return
			}
			if !yield(number, bytes.Contains(one, []byte(`"type":"heartbeat"`))) {
				return
			}
			rest = after
		}
	}
}
