package app

import (
	"strings"
	"testing"
	"time"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn/mcptest"
)

func TestTheLibraryCrossesToThePage(t *testing.T) {
	r := newServerRig(t, []mcpconf.Definition{mcptest.Definition("library")})
	got, err := r.ServerResources(r.ctx(), "library")
	if err != nil || len(got.Resources) != 6 || len(got.Templates) != 1 || got.Templates[0].Variables[0] != "name" || !got.CanSubscribe || got.Followed == nil || got.Changed == nil {
		t.Errorf("resources %+v, %v", got, err)
	}
	image, err := r.ReadResource(r.ctx(), "library", "test://image")
	if err != nil || len(image) != 1 || !strings.HasPrefix(image[0].URL, mediaPath) || image[0].Size == 0 {
		t.Errorf("image %+v, %v", image, err)
	}
	blob, err := r.ReadResource(r.ctx(), "library", "test://blob")
	if err != nil || blob[0].URL != "" || blob[0].Text != "" || blob[0].Size != 4 {
		t.Errorf("blob %+v, %v", blob, err)
	}
	uri, err := r.ExpandTemplate(r.ctx(), got.Templates[0].URITemplate, map[string]string{"name": "bern"})
	if err != nil || uri != "test://city/bern" {
		t.Errorf("uri %q, %v", uri, err)
	}
	if err := r.SubscribeResource(r.ctx(), "library", "test://notes", true); err != nil {
		t.Error(err)
	}
	prompts, err := r.ServerPrompts(r.ctx(), "library")
	if err != nil || len(prompts) != 1 || len(prompts[0].Arguments) != 2 || !prompts[0].Arguments[0].Required {
		t.Errorf("prompts %+v, %v", prompts, err)
	}
	prompt, err := r.GetPrompt(r.ctx(), "library", "greet", map[string]string{"who": "Ann"})
	if err != nil || prompt.Text != "Greet Ann." || len(prompt.Messages) != 3 || len(prompt.Mentions) != 2 || prompt.Mentions[0].Held == "" {
		t.Errorf("prompt %+v, %v", prompt, err)
	}
	values, err := r.CompleteArgument(r.ctx(), "library", CompletionAsk{Prompt: "greet", Argument: "city", Value: "par"})
	if err != nil || len(values) != 1 || values[0] != "paris" {
		t.Errorf("values %v, %v", values, err)
	}
	if err := r.ForgetLibrary(r.ctx(), "library"); err != nil {
		t.Error(err)
	}
	snap, _ := r.manager.Current().Runtime().Now()
	row := toRow(snap.Rows[0])
	if row.ResourceCount != 6 || row.PromptCount != 1 || row.LibraryRev == 0 {
		t.Errorf("row %+v", row)
	}
}

func TestAMessageThatCannotCarryWhatItMentionsIsNotSent(t *testing.T) {
	r := newServerRig(t, []mcpconf.Definition{mcptest.Definition("library")})
	id := r.manager.Current().ID()
	err := r.SendMessage(r.ctx(), id, "look", []Mention{{Server: "library", URI: "test://secret", Name: "secret"}})
	if err == nil || !strings.Contains(err.Error(), "secret cannot be sent along") {
		t.Errorf("got %v", err)
	}
	if tr, err := r.Transcript(r.ctx(), id); err != nil || len(tr.Events) != 0 {
		t.Errorf("transcript %+v, %v", tr, err)
	}
	// The practice model answers, and the event says what the message carries.
	if err := r.SendMessage(r.ctx(), id, "look", []Mention{{Server: "library", URI: "test://text", Name: "text"}}); err != nil {
		t.Fatal(err)
	}
	tr, err := r.Transcript(r.ctx(), id)
	for begin := time.Now(); err == nil && len(tr.Events) == 0 && time.Since(begin) < patience; time.Sleep(10 * time.Millisecond) {
		tr, err = r.Transcript(r.ctx(), id) // the turn first looks at its servers
	}
	if err != nil || len(tr.Events) == 0 || len(tr.Events[0].Attached) != 1 || tr.Events[0].Attached[0] != (Attachment{Server: "library", URI: "test://text", Name: "text", MIMEType: "text/plain", Size: 5}) {
		t.Fatalf("transcript %+v, %v", tr, err)
	}
	content, err := r.AttachedContent(r.ctx(), id, tr.Events[0].Seq, 0)
	if err != nil || len(content) != 1 || content[0].Text != "hello" {
		t.Errorf("content %+v, %v", content, err)
	}
}
