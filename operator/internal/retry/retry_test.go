package retry_test

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"chatserver.dev/operator/internal/retry"
)

func TestRetriesGoOn(t *testing.T) {
	limiter, one := retry.Limiter(), reconcile.Request{NamespacedName: types.NamespacedName{Name: "one"}}
	last := time.Duration(0)
	for i := range 40 {
		next := limiter.When(one)
		if next < last || next > time.Minute || i < 10 && next > 5*time.Second {
			t.Errorf("attempt %d comes after %s, the one before came after %s", i, next, last)
		}
		last = next
	}
	if last != time.Minute {
		t.Errorf("the last attempt comes after %s", last)
	}
	limiter.Forget(one)
	if next := limiter.When(one); next > time.Second {
		t.Errorf("after a success the next attempt comes after %s", next)
	}
}
