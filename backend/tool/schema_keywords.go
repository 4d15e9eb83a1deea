package tool

import (
	"encoding/json"
	"maps"
	"slices"
)

// kind is what the value of a keyword must be.
type kind int

const (
	aString kind = iota
	aNumber
	aBool
	aNameList
	aList
)

// keywordKinds are keywords with the kind of their value (JSON Schema 2020-12, validation
// 6 and 9). Older drafts and careless generators write others: required: true,
// exclusiveMinimum: true, description: null. Endpoints refuse the whole request for one.
var keywordKinds = map[string]kind{
	"title": aString, "description": aString, "pattern": aString, "format": aString, "$ref": aString,
	"minimum": aNumber, "maximum": aNumber, "exclusiveMinimum": aNumber, "exclusiveMaximum": aNumber, "multipleOf": aNumber,
	"minLength": aNumber, "maxLength": aNumber, "minItems": aNumber, "maxItems": aNumber,
	"minProperties": aNumber, "maxProperties": aNumber,
	"uniqueItems": aBool, "nullable": aBool, "deprecated": aBool, "readOnly": aBool, "writeOnly": aBool,
	"required": aNameList, "enum": aList,
}

// schemaTypes are the names that type may have.
var schemaTypes = []string{"string", "number", "integer", "boolean", "object", "array", "null"}

// keywords leaves out keywords whose value is not of their kind.
func (f *fixer) keywords(s schema, at string) {
	for _, key := range slices.Sorted(maps.Keys(s)) {
		if want, known := keywordKinds[key]; known && !isKind(want, s[key]) {
			delete(s, key)
			f.note("%s.%s is not what the keyword holds", at, key)
		}
	}
	f.types(s, at)
}

func isKind(want kind, v any) bool {
	switch want {
	case aString:
		_, ok := v.(string)
		return ok
	case aNumber:
		_, ok := v.(json.Number)
		return ok
	case aBool:
		_, ok := v.(bool)
		return ok
	case aNameList:
		return isStrings(v)
	case aList:
		list, ok := v.([]any)
		return ok && len(list) > 0
	}
	return true
}

func isStrings(v any) bool {
	list, ok := v.([]any)
	return ok && len(names(list)) == len(list)
}

// types leaves out types that JSON Schema does not have, such as "any" or "date".
func (f *fixer) types(s schema, at string) {
	switch v := s["type"].(type) {
	case string:
		if slices.Contains(schemaTypes, v) {
			return
		}
	case []any:
		known := slices.DeleteFunc(slices.Clone(v), func(t any) bool {
			name, _ := t.(string)
			return !slices.Contains(schemaTypes, name)
		})
		if len(known) == len(v) && len(v) > 0 {
			return
		}
		if len(known) > 0 {
			s["type"] = known
			f.note("%s.type names an unknown type", at)
			return
		}
	case nil:
		if _, there := s["type"]; !there {
			return
		}
	}
	delete(s, "type")
	f.note("%s.type is unknown", at)
}
