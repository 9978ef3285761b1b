package fault

// Codes of the shared faults (rest-api.md, section 1.2, and the decisions on added codes).
const (
	CodeMissing               = "REQUEST_VARIABLE_MISSING"
	CodeBadValue              = "REQUEST_VARIABLE_INVALID"
	CodeConfusing             = "REQUEST_CONFUSING_VAR"
	CodeInvalidJSON           = "INVALID_JSON"
	CodeMissingHeader         = "MISSING_HTTP_EVENT_HEADER"
	CodeUnauthorized          = "UNAUTHORIZED"
	CodeInvalidAPIKey         = "INVALID_API_KEY" //nolint:gosec // the name of a fault, no credential.
	CodeUnauthorizedPrincipal = "UNAUTHORIZED_PRINCIPAL"
	CodeNotFound              = "NOT_FOUND"
	CodeMethodNotAllowed      = "METHOD_NOT_ALLOWED"
	CodeTooLarge              = "REQUEST_TOO_LARGE"
	CodeUnsupportedEncoding   = "UNSUPPORTED_CONTENT_ENCODING"
	CodeRateLimitHit          = "RATE_LIMIT_HIT"
)

// The faults of checking credentials (rest-api.md, section 1.4, rows 9 to 13), in the form for HTTP Basic. Other ways of authentication
// convert them to their own form.
var (
	// ErrInvalidKey says that no account has this key, or that it isn't the named account's key.
	ErrInvalidKey = New(Unauthenticated, CodeUnauthorized, "Invalid API key")
	// ErrOrgDeactivated says that the account's organization was deactivated.
	ErrOrgDeactivated = New(Unauthenticated, CodeUnauthorized, "This organization has been deactivated")
	// ErrUserDeactivated says that the account was deactivated.
	ErrUserDeactivated = New(Unauthenticated, CodeUnauthorized, "Account is deactivated")
	// ErrWrongSubdomain says that the request went to another organization's host.
	ErrWrongSubdomain = New(Unauthenticated, CodeUnauthorized, "Account is not associated with this subdomain")
)

// Faults of parameters; [Missing], [BadValue] and [Confusing] fill them in.
var (
	// ErrMissing says that a required parameter wasn't sent.
	ErrMissing = New(Invalid, CodeMissing, "Missing '%s' argument")
	// ErrBadValue says that a parameter's text can't be converted.
	ErrBadValue = New(Invalid, CodeBadValue, "Bad value for '%s': %s")
	// ErrConfusing says that a parameter came under two names.
	ErrConfusing = New(Invalid, CodeConfusing, "Can't decide between '%s' and '%s' arguments")
)

// Missing returns the fault for the absent parameter name.
func Missing(name string) *Fault {
	return ErrMissing.Format(name).With("var_name", name)
}

// BadValue returns the fault for the parameter name whose text is value.
func BadValue(name, value string) *Fault {
	return ErrBadValue.Format(name, value).With("var_name", name).With("bad_value", value)
}

// Confusing returns the fault for a parameter that was sent both as name and as alias.
func Confusing(name, alias string) *Fault {
	return ErrConfusing.Format(name, alias).With("var_name1", name).With("var_name2", alias)
}
