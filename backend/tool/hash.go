package tool

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Hash is what a grant is bound to: it changes when the owner changes the tool's name,
// description or schemas, and not when it only writes the same JSON in another way.
func Hash(name, description string, input, output json.RawMessage) string {
	h := sha256.New()
	for _, part := range [][]byte{[]byte(name), []byte(description), canonical(input), canonical(output)} {
		length, _ := json.Marshal(len(part))
		h.Write(length)
		h.Write([]byte{0})
		h.Write(part)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// canonical is the JSON with sorted keys and without spaces; what is no JSON stays.
func canonical(raw json.RawMessage) []byte {
	v, err := decodeOne(raw)
	if err != nil {
		return raw
	}
	out, err := json.Marshal(v)
	if err != nil {
		return raw
	}
	return out
}
