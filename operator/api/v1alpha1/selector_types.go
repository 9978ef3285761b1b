package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// LabelKey is the key of a label.
// +kubebuilder:validation:MaxLength=317
// +kubebuilder:validation:XValidation:rule=`self.matches(r'^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$')`,message="the key of a label is a name such as team or corp.example/team"
type LabelKey = string

// LabelValue is the value of a label.
// +kubebuilder:validation:MaxLength=63
// +kubebuilder:validation:XValidation:rule=`self.matches(r'^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$')`,message="the value of a label has letters and digits, and dots, hyphens and underscores between them"
type LabelValue string

// AnnotationValue is the value of an annotation.
// +kubebuilder:validation:MaxLength=4096
type AnnotationValue string

// LabelSelector selects objects by label. All requirements must be met; {} selects all objects. In contrast to
// [metav1.LabelSelector], the API server refuses an invalid one.
type LabelSelector struct {
	// MatchLabels are labels that objects must have.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	// +kubebuilder:validation:XValidation:rule=`self.all(key, key.matches(r'^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$'))`,message="the key of a label is a name such as team or corp.example/team"
	MatchLabels map[string]LabelValue `json:"matchLabels,omitempty"`
	// MatchExpressions are further requirements.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	MatchExpressions []LabelRequirement `json:"matchExpressions,omitempty"`
}

// LabelRequirement is a requirement for a label.
// +kubebuilder:validation:XValidation:rule="(self.operator in ['In', 'NotIn']) == (has(self.values) && self.values.size() > 0)",message="the operators In and NotIn need values; Exists and DoesNotExist have none"
type LabelRequirement struct {
	// Key of the label.
	Key LabelKey `json:"key"`
	// Operator is In, NotIn, Exists or DoesNotExist.
	// +kubebuilder:validation:Enum=In;NotIn;Exists;DoesNotExist
	Operator metav1.LabelSelectorOperator `json:"operator"`
	// Values of the label, for In and NotIn.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Values []LabelValue `json:"values,omitempty"`
}

// Kubernetes returns the selector as one of Kubernetes' own type.
func (s *LabelSelector) Kubernetes() *metav1.LabelSelector {
	if s == nil {
		return nil
	}
	result := &metav1.LabelSelector{}
	for key, value := range s.MatchLabels {
		metav1.AddLabelToSelector(result, key, string(value))
	}
	for _, e := range s.MatchExpressions {
		requirement := metav1.LabelSelectorRequirement{Key: e.Key, Operator: e.Operator}
		for _, value := range e.Values {
			requirement.Values = append(requirement.Values, string(value))
		}
		result.MatchExpressions = append(result.MatchExpressions, requirement)
	}
	return result
}
