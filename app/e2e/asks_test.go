//go:build linux

package e2e

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"patchbay/backend/mcpconn/mcptest"
)

// TestMain makes the test binary be the server that asks.
func TestMain(m *testing.M) {
	mcptest.Main()
	os.Exit(m.Run())
}

// A server asks for a form, for a visit and for an answer of the model; one call is
// cancelled; a result that does not fit is shown with a warning; the log is asked for by level.
func TestServersAskThePerson(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	store, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"asking": map[string]any{"command": self, "env": map[string]string{"PATCHBAY_FAKE": "asking"}}}})
	if err != nil {
		t.Fatal(err)
	}
	a := start(t, options{files: map[string]string{"~/.ai4j/mcp.json": string(store)}})
	a.by("button", "Enable asking").click()
	a.reaches("connected", "asking")
	a.fillsIn()
	a.visits()
	a.samples()
	a.cancelsOne()
	a.warned()
	a.logs()
}

// asks has the model call a tool and returns the card of what the server asks then.
func (a *app) asks(tool string) element {
	a.t.Helper()
	a.say("call " + tool + " with {}")
	a.answer(tool, "Allow for session")
	card := a.by("group", "asking asks")
	card.appears()
	return card
}

func (a *app) fillsIn() {
	a.t.Helper()
	card := a.asks("form")
	card.says("who asks what", has("asking", "Who are you?", "Name"))
	card.by("button", "Accept").click()
	card.says("what is missing", has("Name needs a value"))
	a.accessible("asks-form")
	card.by("textbox", "Name*").fill("Ada")
	card.by("checkbox", "b").click()
	card.by("button", "Accept").click()
	card.goes()
	a.conversation("what was sent", has(`accept`, `Ada`))
	a.idle()

	a.say("call form with {}")
	card.by("button", "Decline").click()
	card.goes()
	a.conversation("that it was declined", has("decline"))
	a.idle()

	a.say("call form with {}")
	card.appears()
	a.by("button", "Stop").click()
	card.goes()
	a.idle()
}

func (a *app) visits() {
	a.t.Helper()
	card := a.asks("link")
	card.says("where it leads", has("Sign in", "https://example.com/in?x=1"))
	a.accessible("asks-link")
	card.by("button", "Open link").click()
	dialog := a.by("dialog", "Open this link in the browser?")
	dialog.says("the target", has("https://example.com/in?x=1"))
	dialog.by("button", "Cancel").click()
	dialog.goes()
	card.by("button", "Done").click()
	card.goes()
	a.idle()
}

func (a *app) samples() {
	a.t.Helper()
	card := a.asks("sample")
	card.says("what is sent", has("Be short.", "Say it", "at most 7 tokens", "the server prefers small"))
	a.accessible("asks-sampling")
	card.by("button", "Edit").click()
	card.by("textbox", "Message of user").fill("Hello there")
	card.by("button", "Allow once").click()
	card.by("button", "Send answer").appears()
	a.accessible("asks-review")
	card.by("button", "Send answer").click()
	card.goes()
	a.by("article", "Tool call asking · sample").says("that it went well", has("ok"))
	a.idle()
}

func (a *app) cancelsOne() {
	a.t.Helper()
	a.say("call wait with {}")
	a.answer("wait", "Allow once")
	a.by("button", "Cancel call of wait").click()
	a.by("article", "Tool call asking · wait").says("that it was cancelled", has("cancelled", "Do not repeat it"))
	a.idle()
	a.conversation("that the turn went on", func(text string) bool {
		return !strings.Contains(text, "Stopped") || strings.Count(text, "Stopped") == 1
	})
}

func (a *app) warned() {
	a.t.Helper()
	a.say("call liar with {}")
	a.answer("liar", "Allow once")
	a.by("article", "Tool call asking · liar").says("that the result does not fit", has("output schema", "three"))
	a.idle()
	a.shot("asks-warning")
}

func (a *app) logs() {
	a.t.Helper()
	a.by("button", "Details of asking").click()
	a.by("region", "Details of asking").by("tab", "Log").click()
	a.by("combobox", "Level that the server sends").choose("debug")
	a.eventually("the server was asked", func() error {
		var level string
		err := a.session.await(a.t.Context(), `return (await window.go.app.MCP.ServerLog("asking", 0)).level`, &level)
		if err == nil && level != "debug" {
			return errLevel(level)
		}
		return err
	})
	a.say("call talk with {}")
	a.answer("talk", "Allow once")
	a.by("log", "Log of asking").says("messages of both levels", has("said at debug", "said at error"))
	a.by("combobox", "Level").choose("warning")
	a.by("log", "Log of asking").says("the urgent one alone", func(text string) bool {
		return strings.Contains(text, "said at error") && !strings.Contains(text, "said at debug")
	})
	a.accessible("asks-log")
}

// choose picks an option of a select by its value.
func (e element) choose(value string) {
	e.app.t.Helper()
	const pick = `const e = arguments[0]; e.value = arguments[1]; e.dispatchEvent(new Event("change", {bubbles: true})); return e.value`
	e.eventually("choose "+value+" of", func(id string) error {
		var now string
		err := e.app.session.run(e.app.t.Context(), pick, &now, map[string]string{elementKey: id}, value)
		if err == nil && now != value {
			err = errors.New("it is not offered")
		}
		return err
	})
}

type errLevel string

func (e errLevel) Error() string { return "its level is " + string(e) }

// The reference server asks by every means it has.
func TestTheReferenceServerAsks(t *testing.T) {
	a := start(t, options{files: map[string]string{"~/.ai4j/mcp.json": store(t, npm(t, "everything", "everything", nil, "stdio"))}})
	a.by("button", "Enable everything").click()
	a.reaches("connected", "everything")
	card := a.by("group", "everything asks")

	a.say("call trigger-elicitation-request with {}")
	a.answer("trigger-elicitation-request", "Allow once")
	card.says("its fields in their order", func(text string) bool {
		name, check, pet := strings.Index(text, "String*"), strings.Index(text, "Boolean"), strings.Index(text, "Legacy Titled")
		return 0 <= name && name < check && check < pet
	})
	card.by("textbox", "String*").fill("Ada Lovelace")
	card.by("checkbox", "Salmon").click()
	a.accessible("asks-many-fields")
	card.by("button", "Accept").click()
	card.goes()
	a.conversation("what it got", has("User provided the requested information", "Name: Ada Lovelace", "fish-2", "pet-1"))
	a.idle()

	// It refuses until a link was visited, and then asks for another one.
	a.say(`call trigger-url-elicitation with {"url": "https://example.com/one", "message": "Visit it", "errorPath": true}`)
	a.answer("trigger-url-elicitation", "Allow once")
	a.by("group", "everything asks").by("button", "Done").click()
	card.says("the second link", has("https://example.com/one"))
	card.by("button", "Done").click()
	card.goes()
	a.idle()

	a.say(`call trigger-sampling-request with {"prompt": "Say hello", "maxTokens": 20}`)
	a.answer("trigger-sampling-request", "Allow once")
	card.says("the prompt", has("Say hello", "at most 20 tokens"))
	card.by("button", "Allow once").click()
	card.by("button", "Send answer").click()
	card.goes()
	a.idle()
	a.by("article", "Tool call everything · trigger-sampling-request").says("that it went well", has("ok"))
}
