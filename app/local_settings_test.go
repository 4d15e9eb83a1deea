package app

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"patchbay/backend/model/modeltest"
)

const storedKey = "sk-stored-0123456789"

// openHere is a Local whose files are the test's own.
func openHere(t *testing.T) *Local {
	t.Helper()
	home := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"} {
		t.Setenv(name, home)
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	backend, err := OpenLocal(LocalOptions{Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := backend.Close(); err != nil {
			t.Error(err)
		}
	})
	return backend.(*Local)
}

func TestLayoutReachesThePage(t *testing.T) {
	l := openHere(t)
	want := Layout{SessionsWidth: 260, BoardWidth: 700, BoardWide: true}
	if err := l.SetLayout(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	for rev := uint64(0); ; {
		v, next, err := l.SettingsValue().Wait(t.Context(), rev)
		if err != nil {
			t.Fatal(err)
		}
		if rev = next; v.Layout == want {
			return
		}
	}
}

func TestTestProfileSendsTheStoredKeyToItsHostOnly(t *testing.T) {
	l := openHere(t)
	own := modeltest.New(t, modeltest.Limits{}, modeltest.Text("ok"), modeltest.Text("ok"))
	var keys []string
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		keys = append(keys, r.Header.Get("Authorization"))
		http.Error(w, `{"error":"no"}`, http.StatusUnauthorized)
	}))
	defer other.Close()
	profile := ModelProfile{Name: "own", BaseURL: own.URL(), Model: "m"}
	if err := l.SaveProfile(t.Context(), profile, storedKey, true); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, url, key string
		ok             bool
		says           string
	}{
		{"its host", own.URL(), "", true, "m answered in"},
		{"its host, a slash more", own.URL() + "/", "", true, "m answered in"},
		{"another host", other.URL + "/v1", "", false, "Type the key for it"},
		{"another host, the stored key by name", other.URL + "/v1", "${keyring:model-key}", false, "Type the key for it"},
		{"another host, a typed key", other.URL + "/v1", "sk-typed", false, "refused the key"},
		{"a variable that is not set", other.URL + "/v1", "${env:PATCHBAY_NO_SUCH_KEY}", false, "PATCHBAY_NO_SUCH_KEY is not set"},
		{"no address", "", "sk-typed", false, "needs a base URL"},
		{"no URL", "localhost:8080", "sk-typed", false, "https://host/v1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := l.TestProfile(t.Context(), ModelProfile{BaseURL: tt.url, Model: "m"}, tt.key)
			if err != nil || got.OK != tt.ok || !strings.Contains(got.Message, tt.says) || got.Models == nil {
				t.Fatalf("TestProfile = %+v, %v; want ok %v and %q", got, err, tt.ok, tt.says)
			}
			if strings.Contains(got.Message, storedKey) {
				t.Error("the message tells the key")
			}
		})
	}
	for _, r := range own.Requests() {
		if got := r.Header.Get("Authorization"); got != "Bearer "+storedKey {
			t.Errorf("its own host got %q", got)
		}
	}
	if slices.ContainsFunc(keys, func(k string) bool { return k != "Bearer sk-typed" }) || len(keys) == 0 {
		t.Errorf("the other host got %q", keys)
	}
}
