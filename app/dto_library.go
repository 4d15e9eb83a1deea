package app

// ServerResources is what a server offers to read.
type ServerResources struct {
	Resources    []ServerResource `json:"resources"`
	Templates    []ServerTemplate `json:"templates"`
	Followed     []string         `json:"followed"` // URIs that are subscribed to
	Changed      []string         `json:"changed"`  // URIs told to have changed since they were last read
	CanSubscribe bool             `json:"canSubscribe"`
}

// ServerResource is one resource of a server.
type ServerResource struct {
	URI         string `json:"uri"`
	Name        string `json:"name"`
	Title       string `json:"title"`
	Description string `json:"description"`
	MIMEType    string `json:"mimeType"`
	Size        int64  `json:"size"` // bytes, 0 when the server does not say
}

// ServerTemplate makes the address of a resource from variables.
type ServerTemplate struct {
	URITemplate string   `json:"uriTemplate"` // RFC 6570
	Name        string   `json:"name"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	MIMEType    string   `json:"mimeType"`
	Variables   []string `json:"variables"`
	Invalid     string   `json:"invalid"` // why it cannot be used, "" when it can
}

// ServerPrompt is one prompt of a server.
type ServerPrompt struct {
	Name        string           `json:"name"`
	Title       string           `json:"title"`
	Description string           `json:"description"`
	Arguments   []PromptArgument `json:"arguments"`
}

// PromptArgument is one argument of a prompt.
type PromptArgument struct {
	Name        string `json:"name"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
}

// PromptOutcome is a prompt with its arguments filled in.
type PromptOutcome struct {
	Description string          `json:"description"`
	Messages    []PromptMessage `json:"messages"`
	Text        string          `json:"text"` // of all messages, for the composer
	Mentions    []Mention       `json:"mentions"`
}

// PromptMessage is one message of a prompt.
type PromptMessage struct {
	Role    string      `json:"role"` // user or assistant
	Content ChatContent `json:"content"`
}

// Mention is a resource that a message is to carry; it is read when the message is sent.
type Mention struct {
	Server string `json:"server"`
	URI    string `json:"uri"`
	Name   string `json:"name"`
	Held   string `json:"held"` // id of content that came along with a prompt, "" for none
}

// CompletionAsk asks for values of one argument of a prompt, or of one variable of a
// template.
type CompletionAsk struct {
	Prompt   string            `json:"prompt"`
	Template string            `json:"template"`
	Argument string            `json:"argument"`
	Value    string            `json:"value"`
	Known    map[string]string `json:"known"` // arguments that have a value already
}

// Attachment is a resource that a sent message carries; its content is asked for.
type Attachment struct {
	Server   string `json:"server"`
	URI      string `json:"uri"`
	Name     string `json:"name"`
	MIMEType string `json:"mimeType"` // of its first part
	Size     int    `json:"size"`     // bytes
}
