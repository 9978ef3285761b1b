package archive

// Reaction is an emoji that somebody put to a message.
type Reaction struct {
	ID      int64  `json:"id"`
	User    int64  `json:"user_profile"`
	Message int64  `json:"message"`
	Name    string `json:"emoji_name"`
	Code    string `json:"emoji_code"`
	Type    string `json:"reaction_type"`
}

// Kinds of [ScheduledMessage].
const (
	SendLater = 1
	Remind    = 2
)

// ScheduledMessage is a message that is sent later.
type ScheduledMessage struct {
	ID        int64   `json:"id"`
	Realm     int64   `json:"realm"`
	Sender    int64   `json:"sender"`
	Recipient int64   `json:"recipient"`
	Stream    *int64  `json:"stream"`
	Subject   string  `json:"subject"`
	Content   string  `json:"content"`
	Widget    *string `json:"widget_content,omitempty"` // which the reference doesn't have here
	Client    int64   `json:"sending_client"`
	At        Time    `json:"scheduled_timestamp"`
	Delivered bool    `json:"delivered"`
	Kind      int     `json:"delivery_type"`
}

// Submessage belongs to a widget in a message.
type Submessage struct {
	ID      int64  `json:"id"`
	Message int64  `json:"message"`
	Sender  int64  `json:"sender"`
	Type    string `json:"msg_type"`
	Content string `json:"content"`
}

// Message is a message.
type Message struct {
	ID          int64   `json:"id"`
	Sender      int64   `json:"sender"`
	Recipient   int64   `json:"recipient"`
	Subject     string  `json:"subject"` // the topic
	Content     string  `json:"content"`
	Rendered    string  `json:"rendered_content"`
	Renderer    int     `json:"rendered_content_version"`
	Sent        Time    `json:"date_sent"`
	Client      int64   `json:"sending_client"`
	Edited      *Time   `json:"last_edit_time"`
	EditHistory *string `json:"edit_history"` // JSON; nil: it wasn't edited
	HasFile     bool    `json:"has_attachment"`
	HasImage    bool    `json:"has_image"`
	HasLink     bool    `json:"has_link"`
}

// UserMessage is what a reader did with a message.
type UserMessage struct {
	ID      int64 `json:"id"`
	User    int64 `json:"user_profile"`
	Message int64 `json:"message"`
	Flags   int64 `json:"flags_mask"` // bits as in event.Flags
}

// Attachment is an uploaded file; its bytes are in [UploadFolder], at its path.
type Attachment struct {
	ID       int64   `json:"id"`
	Realm    int64   `json:"realm"`
	Name     string  `json:"file_name"`
	Path     string  `json:"path_id"`
	Owner    int64   `json:"owner"`
	Public   bool    `json:"is_realm_public"`
	Created  Time    `json:"create_time"`
	Size     int64   `json:"size"`
	Messages []int64 `json:"messages"` // that it is in, so that their readers may open it; null: those that link to it
	// SourceURL is where the file can be downloaded if it isn't in the archive. The reference has no such member.
	SourceURL string `json:"source_url,omitempty"`
}

// Record says whose a file is.
type Record struct {
	Realm        int64  `json:"realm_id"`
	User         int64  `json:"user_profile_id"`
	Email        string `json:"user_profile_email,omitempty"`
	Path         string `json:"path"` // in its folder
	StoredPath   string `json:"s3_path"`
	FileName     string `json:"file_name,omitempty"`
	Name         string `json:"name,omitempty"` // of an emoji
	Size         int64  `json:"size,omitempty"`
	LastModified any    `json:"last_modified"` // a [Time], or a text if the reference has its files in S3; nobody reads it
	ContentType  string `json:"content_type,omitempty"`
	SourceURL    string `json:"source_url,omitempty"` // as of [Attachment]
}
