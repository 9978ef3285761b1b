package accountpages

import (
	"errors"

	"chatserver.dev/pkg/account"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/login"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/password"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/api/plain"
)

// causes returns the faults that are about a single field, by the field's name.
func causes() map[string][]*fault.Fault {
	return map[string][]*fault.Fault{
		"email":        {login.ErrAddress},
		"full_name":    {user.ErrNameTooLong, user.ErrNameTooShort, user.ErrNameCharacters, user.ErrNameFormat, user.ErrNameInUse},
		"organization": {org.ErrName},
		"password":     {account.ErrWeak, login.ErrWeak, password.ErrTooLong},
		"subdomain":    {org.ErrSubdomainShort, org.ErrSubdomainDash, org.ErrSubdomainCharacters, org.ErrSubdomainTaken},
	}
}

// beside shows a problem beside the field that it is about, and reports whether there is such a field.
func beside(fields []plain.Field, err error, problem string) bool {
	for i := range fields {
		for _, cause := range causes()[fields[i].Name] {
			if errors.Is(err, cause) {
				fields[i].Problem = problem
				return true
			}
		}
	}
	return false
}
