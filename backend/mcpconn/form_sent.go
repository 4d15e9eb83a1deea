package mcpconn

import (
	"encoding/json"
	"slices"
	"sync"
)

// maxForms is how many schemas are kept until their question is asked.
const maxForms = 32

// formsSent keeps the schemas of elicitations as they were sent: go-sdk decodes them into
// maps, and with that loses the order in which the server wants its fields filled in.
type formsSent struct {
	mu   sync.Mutex
	kept []sentForm // oldest first
}

type sentForm struct {
	sorted string // the same with sorted keys, as go-sdk hands it over
	raw    json.RawMessage
}

// keep keeps the schema of the params of an elicitation/create.
func (f *formsSent) keep(params json.RawMessage) {
	var p struct {
		Schema json.RawMessage `json:"requestedSchema"`
	}
	var v any
	if json.Unmarshal(params, &p) != nil || len(p.Schema) == 0 || len(p.Schema) > maxFormBytes || json.Unmarshal(p.Schema, &v) != nil {
		return
	}
	sorted, err := json.Marshal(v)
	if err != nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.kept = append(f.kept, sentForm{string(sorted), p.Schema})
	if len(f.kept) > maxForms {
		f.kept = slices.Delete(f.kept, 0, len(f.kept)-maxForms)
	}
}

// keepAll keeps the schemas of a result that asks (2026-07-28).
func (f *formsSent) keepAll(result json.RawMessage) {
	var r struct {
		Requests map[string]struct {
			Params json.RawMessage `json:"params"`
		} `json:"inputRequests"`
	}
	_ = json.Unmarshal(result, &r) // what cannot be read is asked in the order go-sdk gives
	for _, request := range r.Requests {
		f.keep(request.Params)
	}
}

// asSent is the schema as it was sent, or as it is when that is not known.
func (f *formsSent) asSent(sorted json.RawMessage) json.RawMessage {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := len(f.kept) - 1; i >= 0; i-- {
		if f.kept[i].sorted == string(sorted) {
			return f.kept[i].raw
		}
	}
	return sorted
}
