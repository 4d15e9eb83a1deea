//go:build linux

package e2e

import (
	"fmt"
	"testing"
)

// Resources and prompts of a real server: browse, read, subscribe, fill in a template, mention
// from the detail and by "@", use a prompt by "/", and see what a message carries.
func TestResourcesAndPrompts(t *testing.T) {
	a := start(t, options{files: map[string]string{
		"~/.ai4j/mcp.json":     store(t, npm(t, "everything", "everything", nil, "stdio")),
		".ai4j/workspace.json": enablement("everything"),
	}})
	a.trustAll([]string{"everything"})
	a.reaches("connected", "everything")
	a.browsesResources()
	a.usesPrompts()
	a.mentionsByAt()
	a.fitsEveryWidth()
}

// detail opens the detail of a server at a tab.
func (a *app) detail(server, tab string) element {
	a.t.Helper()
	a.by("button", "Details of "+server).click()
	panel := a.by("region", "Details of "+server)
	panel.by("tab", tab).click()
	return panel
}

func (a *app) browsesResources() {
	a.t.Helper()
	panel := a.detail("everything", "Resources")
	panel.by("list", "Resources of everything").holds("its documents", "architecture.md", "text/markdown")
	a.shot("library-1-resources")
	a.accessible("resources")
	panel.by("button", "features.md").click()
	view := panel.by("region", "Resource features.md")
	view.by("heading", "Everything Server - Features").appears()
	view.by("switch", "Subscribe to features.md").click()
	a.eventually("it is subscribed to", func() error { return a.checked("Subscribe to features.md") })
	a.shot("library-2-read")
	a.accessible("a resource")
	view.by("button", "All resources").click()
	a.shot("library-3-subscribed")
	panel.by("button", "Dynamic Text Resource").click()
	template := panel.by("region", "Template Dynamic Text Resource")
	template.by("combobox", "resourceId").fill("7")
	template.by("button", "Read").click()
	template.holds("what it names", "Resource 7: This is a plaintext resource")
	a.shot("library-3-template")
	a.theme("dark")
	a.shot("library-3-template-dark")
	template.by("button", "Mention in message").click()
	a.by("list", "Attached resources").holds("the resource", "everything: demo://resource/dynamic/text/7")
	a.theme("light")
}

// holds waits until the text of an element, shown in full or cut, has these parts.
func (e element) holds(what string, parts ...string) {
	e.app.t.Helper()
	e.eventually(what+" in", func(id string) error {
		var text string
		err := e.app.session.run(e.app.t.Context(), `return arguments[0].textContent`, &text, map[string]string{elementKey: id})
		if err == nil && !has(parts...)(text) {
			err = fmt.Errorf("it holds %q", text)
		}
		return err
	})
}

// checked is an error while a switch is not on.
func (a *app) checked(name string) error {
	var on string
	err := a.session.run(a.t.Context(), `return document.querySelector('[role=switch][aria-label="' + arguments[0] + '"]')?.getAttribute("aria-checked") ?? "missing"`, &on, name)
	if err == nil && on != "true" {
		err = fmt.Errorf("it is %s", on)
	}
	return err
}

func (a *app) usesPrompts() {
	a.t.Helper()
	panel := a.by("region", "Details of everything")
	panel.by("tab", "Prompts").click()
	panel.by("button", "Team Management").click()
	view := panel.by("region", "Prompt Team Management")
	view.by("combobox", "department").fill("Eng")
	view.by("option", "Engineering").click()
	view.by("combobox", "name").fill("A")
	view.by("option", "Alice").click()
	view.by("button", "Get").click()
	view.by("region", "Messages of the prompt").holds("both names", "Alice", "Engineering")
	a.shot("library-4-prompt")
	a.accessible("a prompt")
	panel.by("button", "Close details").click()

	a.by("textbox", "Message").fill("/args")
	a.by("listbox", "Prompts").holds("the prompt", "args-prompt")
	a.shot("library-5-slash")
	a.accessible("the list of prompts")
	a.press("\uE007") // Enter
	form := a.by("group", "Arguments of args-prompt")
	form.by("combobox", "city").fill("Bern")
	a.shot("library-6-arguments")
	a.accessible("arguments of a prompt")
	form.by("button", "Use prompt").click()
	form.goes()
	a.eventually("the prompt's text is in the message", func() error {
		if text := a.value(a.by("textbox", "Message")); text != "What's weather in Bern?" {
			return fmt.Errorf("it holds %q", text)
		}
		return nil
	})
}

func (a *app) mentionsByAt() {
	a.t.Helper()
	a.types(" And what is this? @struct")
	a.by("listbox", "Resources").holds("the resource", "structure.md")
	a.shot("library-7-at")
	a.accessible("the list of resources")
	a.press("\uE007") // Enter
	a.by("list", "Attached resources").holds("both", "dynamic/text/7", "everything: structure.md")
	a.by("button", "Send").click()
	a.conversation("what the model read", has("Your message carries 2 resources", `"structure.md" of MCP server everything`))
	a.idle()
	a.by("log", "Conversation").by("button", "everything: structure.md").click()
	a.by("region", "Content of structure.md").by("heading", "Everything Server - Project Structure").appears()
	a.shot("library-8-sent")
	a.accessible("a message with resources")
	a.theme("dark")
	a.shot("library-8-sent-dark")
	a.theme("light")
}

// fitsEveryWidth takes pictures of the tab in the narrowest and the widest board.
func (a *app) fitsEveryWidth() {
	a.t.Helper()
	for _, width := range []string{`{boardWidth: 380}`, `{boardWide: true}`} {
		if err := a.session.await(a.t.Context(), `await window.go.app.Settings.SetLayout({sessionsWidth: 0, boardWidth: 0, sessionsHidden: false, boardHidden: false, boardWide: false, ...`+width+`}); return null`, nil); err != nil {
			a.t.Fatal(err)
		}
		panel := a.detail("everything", "Resources 7")
		panel.by("button", "structure.md").click()
		panel.by("region", "Resource structure.md").by("heading", "Everything Server - Project Structure").appears()
		a.shot("library-9-" + map[bool]string{true: "narrow", false: "wide"}[width == `{boardWidth: 380}`])
		a.accessible("a resource in " + width)
		panel.by("button", "Close details").click()
	}
}
