package v1alpha1

// MailTLSMode determines how the connection to a mail server is encrypted.
// +kubebuilder:validation:Enum=StartTLS;TLS;None
type MailTLSMode string

// TLS modes of mail.
const (
	MailStartTLS MailTLSMode = "StartTLS" // required after a greeting in clear text
	MailTLS      MailTLSMode = "TLS"      // from the start
	MailNoTLS    MailTLSMode = "None"     // no encryption, for a local relay; without a login
)

// Mail configures the SMTP server through which mail is sent.
// +kubebuilder:validation:XValidation:rule="!has(self.loginSecretRef) || !has(self.tlsMode) || self.tlsMode != 'None'",message="a password isn't sent without TLS: leave loginSecretRef out, or set another tlsMode"
type Mail struct {
	// Host is the name or address of the SMTP server.
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^([a-zA-Z0-9]([-a-zA-Z0-9.]*[a-zA-Z0-9])?|[0-9a-fA-F:]*:[0-9a-fA-F:]*)$')`,message="host is the name or address of a server, without a scheme, port or path: smtp.example.com"
	Host string `json:"host"`
	// Port of the SMTP server. Default: 587 with StartTLS, 465 with TLS, 25 with None.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	Port int32 `json:"port,omitempty"`
	// TLSMode determines how the connection is encrypted.
	// +optional
	// +kubebuilder:default=StartTLS
	TLSMode MailTLSMode `json:"tlsMode,omitempty"`
	// From is the sender's address of the mail.
	// +kubebuilder:validation:MaxLength=254
	// +kubebuilder:validation:XValidation:rule=`self.matches(r"^[a-zA-Z0-9.!#$%&'*+/=?^_{|}~-]+@[a-zA-Z0-9]([-a-zA-Z0-9.]*[a-zA-Z0-9])?$")`,message="from is a mail address without a name: chat@chat.example"
	From string `json:"from"`
	// LoginSecretRef is the Secret with a user and a password for the SMTP server. Default: mail is sent without a login.
	// +optional
	LoginSecretRef *LoginSecret `json:"loginSecretRef,omitempty"`
}

// LoginSecret is a Secret with a user and a password.
type LoginSecret struct {
	// Name of the Secret.
	Name ObjectName `json:"name"`
	// UserKey is the key with the user.
	// +optional
	// +kubebuilder:default=username
	UserKey KeyName `json:"userKey,omitempty"`
	// PasswordKey is the key with the password.
	// +optional
	// +kubebuilder:default=password
	PasswordKey KeyName `json:"passwordKey,omitempty"`
}
