// Package ask holds what MCP servers ask of the person at the keyboard: a form, a link to
// open, or an answer of the model.
package ask

import (
	"encoding/json"

	"patchbay/backend/mcpconn"
)

// Kind is what a question asks for.
type Kind string

// The kinds.
const (
	Form     Kind = "form"     // elicitation, form mode
	Link     Kind = "link"     // elicitation, url mode
	Sampling Kind = "sampling" // an answer of the model
)

// AllKinds lists every Kind.
var AllKinds = []Kind{Form, Link, Sampling}

// Stage is where a sampling is.
type Stage string

// The stages, in order.
const (
	Requested Stage = "requested" // the person reads what the server sends
	Answering Stage = "answering" // the model answers
	Review    Stage = "review"    // the person reads what goes back
)

// AllStages lists every Stage.
var AllStages = []Stage{Requested, Answering, Review}

// From says who asks.
type From struct {
	Server   string
	Key      string   // what "for this session" is bound to: another one asks again
	Sessions []string // that are concerned
}

// Question is an open question. Immutable.
type Question struct {
	ID       string // unique in the process
	Server   string
	Sessions []string
	Kind     Kind
	Message  string          // as the server wrote it; "" for sampling
	Schema   json.RawMessage // form: a flat object schema
	URL      string          // link
	AtMs     int64

	Request mcpconn.Sampling // sampling; as the person edited it, once they have
	Model   string           // sampling: that answers
	Stage   Stage            // sampling
	Text    string           // sampling, review: what the model said
}

// Action is what a person does with a question, in the words of elicitation.
type Action string

// The actions. For sampling both Decline and Cancel reject.
const (
	Accept  Action = "accept"
	Decline Action = "decline"
	Cancel  Action = "cancel"
)

// AllActions lists every Action.
var AllActions = []Action{Accept, Decline, Cancel}

// Answer is what a person answers.
type Answer struct {
	Action  Action
	Content json.RawMessage // form and Accept: an object that fits the schema

	// Of a sampling that is Requested: what is sent to the model in the place of the
	// server's words, nil for those, and whether further ones of this server are answered
	// without asking for as long as the session lives.
	System     *string
	Messages   []string // texts, one for each message of the request
	ForSession bool
	// Of a sampling in Review: what goes back in the place of the model's words, nil for those.
	Text *string
}
