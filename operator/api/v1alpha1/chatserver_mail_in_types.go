package v1alpha1

// MailIn configures incoming mail: mail to streams, and replies to mail about missed messages. A mail server delivers
// it by LMTP to the Service NAME-mail, port 24, which selects the pods of webhook.
// +kubebuilder:validation:XValidation:rule="(has(self.from) && size(self.from) > 0) || (has(self.fromNetworks) && size(self.fromNetworks) > 0)",message="from or fromNetworks is needed: mail is taken from whoever can connect, without a password"
type MailIn struct {
	// Addresses is the pattern of addresses that receive mail: *@in.chat.example, or chat+*@chat.example. Each address
	// has a different value in place of the *.
	// +kubebuilder:validation:MaxLength=254
	// +kubebuilder:validation:XValidation:rule=`self.matches(r"^[a-zA-Z0-9.!#$%&'+/=?^_{|}~-]{0,12}\*[a-zA-Z0-9.!#$%&'+/=?^_{|}~-]{0,12}@[a-zA-Z0-9]([-a-zA-Z0-9.]*[a-zA-Z0-9])?$")`,message="addresses is a mail address with one * before the @, where addresses differ: *@in.chat.example, or chat+*@chat.example"
	// +kubebuilder:validation:XValidation:rule="size(self.split('@')[0]) <= 13",message="before the @, addresses has at most 12 characters beside the *: the server needs the others, and mail servers take 64"
	Addresses string `json:"addresses"`
	// From selects the pods that may connect: those of the mail server.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	From []PodPeer `json:"from,omitempty"`
	// FromNetworks are the networks that may connect: 10.1.0.0/16.
	// +optional
	// +kubebuilder:validation:MaxItems=32
	// +listType=set
	FromNetworks []Network `json:"fromNetworks,omitempty"`
	// TLS encrypts connections of the mail server, by STARTTLS. Default: connections are in clear text.
	// +optional
	TLS *MailInTLS `json:"tls,omitempty"`
	// RateLimit is the number of mails per organization; the mail server has to retry further ones later. Default:
	// 600/1h.
	// +optional
	RateLimit RateLimit `json:"rateLimit,omitempty"`
}

// MailInTLS configures the encryption of incoming mail.
type MailInTLS struct {
	// SecretName is the Secret with the certificate and its key, tls.crt and tls.key. A changed certificate is used
	// within two minutes.
	SecretName ObjectName `json:"secretName"`
	// ClearText determines whether mail is also accepted without encryption.
	// +optional
	// +kubebuilder:default=Disabled
	ClearText Switch `json:"clearText,omitempty"`
}
