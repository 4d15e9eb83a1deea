package app

// AskKind says what a server asks for: form, link or sampling.
type AskKind string

// AskStage says where a sampling is: requested, answering or review.
type AskStage string

// AskAction is what a person answers: accept, decline or cancel.
type AskAction string

// The values of the enums above.
const (
	AskForm     AskKind = "form"
	AskLink     AskKind = "link"
	AskSampling AskKind = "sampling"

	AskRequested AskStage = "requested"
	AskAnswering AskStage = "answering"
	AskReview    AskStage = "review"

	AskAccept  AskAction = "accept"
	AskDecline AskAction = "decline"
	AskCancel  AskAction = "cancel"
)

// AllAskKinds lists every AskKind.
var AllAskKinds = []EnumValue[AskKind]{{AskForm, "Form"}, {AskLink, "Link"}, {AskSampling, "Sampling"}}

// AllAskStages lists every AskStage.
var AllAskStages = []EnumValue[AskStage]{{AskRequested, "Requested"}, {AskAnswering, "Answering"}, {AskReview, "Review"}}

// AllAskActions lists every AskAction.
var AllAskActions = []EnumValue[AskAction]{{AskAccept, "Accept"}, {AskDecline, "Decline"}, {AskCancel, "Cancel"}}

// AsksSnapshot is topic "asks": what servers ask of the person now, oldest first.
type AsksSnapshot struct {
	Rev  uint64 `json:"rev"`
	Asks []Ask  `json:"asks"`
}

// Ask is one question of a server.
type Ask struct {
	ID       string       `json:"id"`
	Server   string       `json:"server"`
	Sessions []string     `json:"sessions"` // whose conversation shows it
	Kind     AskKind      `json:"kind"`
	Message  string       `json:"message"` // form and link
	Schema   string       `json:"schema"`  // form: JSON text of a flat object schema
	URL      string       `json:"url"`     // link
	Sampling *AskedSample `json:"sampling,omitempty"`
	AtMs     int64        `json:"atMs"`
}

// AskedSample is what a server wants to send to the model, and what came back.
type AskedSample struct {
	Stage       AskStage     `json:"stage"`
	Model       string       `json:"model"` // that answers
	System      string       `json:"system"`
	Messages    []AskMessage `json:"messages"`
	MaxTokens   int          `json:"maxTokens"`
	Temperature *float64     `json:"temperature,omitempty"`
	Stop        []string     `json:"stop"`
	Hints       []string     `json:"hints"` // models the server would like
	Text        string       `json:"text"`  // review: what the model said
}

// AskMessage is one message of a sampling.
type AskMessage struct {
	Role    string      `json:"role"`
	Content ChatContent `json:"content"`
}

// AskAnswer is what the person answers. Edited says that System and Messages, or in review
// Text, stand in the place of what was shown.
type AskAnswer struct {
	Action     AskAction `json:"action"`
	Content    string    `json:"content"` // form: JSON text of an object
	ForSession bool      `json:"forSession"`
	Edited     bool      `json:"edited"`
	System     string    `json:"system"`
	Messages   []string  `json:"messages"`
	Text       string    `json:"text"`
}
