package event

import "chatserver.dev/pkg/id"

// AttachmentObject is an uploaded file as its owner sees it (events.md, section 3.20).
type AttachmentObject struct {
	ID         id.Attachment       `json:"id"`          // of the file
	Name       string              `json:"name"`        // as its owner calls it
	PathID     string              `json:"path_id"`     // its address is /user_uploads/ and this
	Size       int64               `json:"size"`        // bytes
	CreateTime int64               `json:"create_time"` // when it was uploaded, in Unix milliseconds
	Messages   []AttachmentMessage `json:"messages"`    // that it is in, the newest 50
}

// AttachmentMessage is a message that an uploaded file is in.
type AttachmentMessage struct {
	ID       id.Message `json:"id"`        // of the message
	DateSent int64      `json:"date_sent"` // when it was sent, in Unix milliseconds
}

// AttachmentAdded is sent to somebody who uploaded a file.
type AttachmentAdded struct {
	Owner      id.User          `json:"-"`
	Attachment AttachmentObject `json:"attachment"`
	// UploadSpaceUsed is by all files of the organization, in bytes.
	UploadSpaceUsed int64 `json:"upload_space_used"`
}

// Kind implements [Event].
func (AttachmentAdded) Kind() Kind { return Kind{"attachment", "add"} }

// Audience is the file's owner.
func (e AttachmentAdded) Audience() Audience { return Audience{Users: []id.User{e.Owner}} }

// AttachmentUpdated is sent to the sender of a message, before its own event, about a file that it has, whoever owns the file.
// The database records it (claim_attachments).
type AttachmentUpdated struct {
	Sender     id.User          `json:"-"`
	Attachment AttachmentObject `json:"attachment"`
	// UploadSpaceUsed is by all files of the organization, in bytes.
	UploadSpaceUsed int64 `json:"upload_space_used"`
}

// Kind implements [Event].
func (AttachmentUpdated) Kind() Kind { return Kind{"attachment", "update"} }

// Audience is the message's sender.
func (e AttachmentUpdated) Audience() Audience { return Audience{Users: []id.User{e.Sender}} }

// AttachmentRemoved is sent to the owner of a file that is gone.
type AttachmentRemoved struct {
	Owner      id.User           `json:"-"`
	Attachment RemovedAttachment `json:"attachment"`
	// UploadSpaceUsed is by all files of the organization, in bytes.
	UploadSpaceUsed int64 `json:"upload_space_used"`
}

// RemovedAttachment names a file that is gone.
type RemovedAttachment struct {
	ID id.Attachment `json:"id"` // of the file
}

// Kind implements [Event].
func (AttachmentRemoved) Kind() Kind { return Kind{"attachment", "remove"} }

// Audience is the file's owner.
func (e AttachmentRemoved) Audience() Audience { return Audience{Users: []id.User{e.Owner}} }
