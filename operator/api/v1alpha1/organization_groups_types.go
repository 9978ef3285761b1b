package v1alpha1

// OrganizationUserGroup is a named list of users who can be mentioned together.
type OrganizationUserGroup struct {
	// Name of the group. Changing it removes the group and creates another one.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=100
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^\S(.*\S)?$')`,message="the name of a group is one line that neither begins nor ends with a blank"
	Name string `json:"name"`
	// Description is a one-line description of the group. If unset, it is not managed.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Description *string `json:"description,omitempty"`
	// Members are the addresses of all members. Those without an account become members once they have one. If unset, the members are
	// not managed here; User resources that name the group may still add and remove theirs.
	// +optional
	// +kubebuilder:validation:MaxItems=1000
	// +kubebuilder:validation:items:MinLength=3
	// +kubebuilder:validation:items:MaxLength=254
	// +listType=set
	Members []string `json:"members,omitempty"`
	// Adopt takes over an existing user group with that name.
	// +optional
	Adopt bool `json:"adopt,omitempty"`
}

// OrganizationUserGroupStatus describes a user group.
type OrganizationUserGroupStatus struct {
	// Name of the group.
	Name string `json:"name"`
	// ID of the group in the server.
	ID string `json:"id"`
	// Members is the number of accounts in the group.
	Members int32 `json:"members"`
	// Absent are up to 20 of the addresses in the spec that have no account yet.
	// +optional
	// +listType=set
	Absent []string `json:"absent,omitempty"`
}
