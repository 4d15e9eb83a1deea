package app

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"patchbay/backend/mcpconf"
)

// What a form says about stored values: an empty one is kept, a typed one replaces it, a
// renamed entry takes its value along, and what cannot be told is refused, never emptied.
func TestEditKeepsAndReplacesStoredValues(t *testing.T) {
	stored := func(name, value string) NamedValue { return NamedValue{Name: name, Value: value, HasValue: true} }
	for _, tt := range []struct {
		name    string
		entries []NamedValue
		want    string // of A, B and what is new; "" for a refusal
	}{
		{"kept", []NamedValue{stored("A", ""), stored("B", "")}, "A=one B=two"},
		{"typed over", []NamedValue{stored("A", "new"), stored("B", "")}, "A=new B=two"},
		{"removed", []NamedValue{stored("B", "")}, "B=two"},
		{"renamed", []NamedValue{stored("A2", ""), stored("B", "")}, "A2=one B=two"},
		{"both renamed", []NamedValue{stored("Z", ""), stored("Y", "")}, "Z=one Y=two"},
		{"renamed and typed over", []NamedValue{stored("A2", "new"), stored("B", "")}, "A2=new B=two"},
		{"renamed and added", []NamedValue{stored("A2", ""), stored("B", ""), {Name: "C", Value: "three"}}, "A2=one B=two C=three"},
		{"one removed, one renamed: which was it?", []NamedValue{stored("C", "")}, ""},
		{"added empty", []NamedValue{stored("A", ""), stored("B", ""), {Name: "C"}}, "A=one B=two C="},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newChangeRig(t)
			r.write(r.store, `{"mcpServers": {"a": {"command": "false", "env": {"A": "one", "B": "two"}}}}`)
			r.manager.Store().Reload()
			r.open("one")
			before := r.read(r.store)
			form := ServerForm{Name: "a", Type: "stdio", Command: "false", Env: tt.entries}
			_, err := r.EditServer(r.ctx(), "a", form)
			if tt.want == "" {
				var refused *CommandError
				if !errors.As(err, &refused) || refused.Code != CodeInvalid || r.read(r.store) != before {
					t.Errorf("%v; the file is\n%s", err, r.read(r.store))
				}
				return
			}
			def, e := r.manager.Current().Definition("a")
			if err != nil || e != nil || len(def.Env) != strings.Count(tt.want, "=") {
				t.Fatalf("%v, %v, %v", def.Env, err, e)
			}
			for _, pair := range strings.Fields(tt.want) {
				if name, value, _ := strings.Cut(pair, "="); def.Env[name] != value {
					t.Errorf("%v; want %s", def.Env, tt.want)
				}
			}
		})
	}
}

// The limits and the revision of a definition go through the form and back.
func TestLimitsAndRevisionOfTheForm(t *testing.T) {
	r := newServerRig(t, nil)
	form := ServerForm{Name: "slow", Type: "stdio", Command: "false", TimeoutMs: 1500, CallTimeoutMs: 90_000, Protocol: "2025-06-18"}
	done(t)(r.AddServer(r.ctx(), form))
	got, err := r.GetServer(r.ctx(), "slow")
	if err != nil || got.TimeoutMs != 1500 || got.CallTimeoutMs != 90_000 || got.Protocol != "2025-06-18" {
		t.Errorf("form %+v, %v", got, err)
	}
	got.TimeoutMs, got.CallTimeoutMs, got.Protocol = 0, 0, ""
	done(t)(r.EditServer(r.ctx(), "slow", got))
	if text, err := os.ReadFile(r.store); err != nil || strings.Contains(string(text), "imeoutMs") || strings.Contains(string(text), "protocol") {
		t.Errorf("defaults are written: %s, %v", text, err)
	}
	got.TimeoutMs = -1
	if _, err := r.EditServer(r.ctx(), "slow", got); err == nil || commandError(err).Code != CodeInvalid {
		t.Errorf("a limit below zero: %v", err)
	}
}

// The form offers every revision that a definition can pin, newest first: the page has a list of its own.
func TestThePageOffersEveryRevision(t *testing.T) {
	page, err := os.ReadFile("../frontend/src/features/mcp/words.ts")
	if err != nil {
		t.Fatal(err)
	}
	revisions := slices.Clone(mcpconf.Revisions)
	slices.Reverse(revisions)
	if want := `REVISIONS = ["` + strings.Join(revisions, `", "`) + `"]`; !strings.Contains(string(page), want) {
		t.Errorf("words.ts does not say %s", want)
	}
}
