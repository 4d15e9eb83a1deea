package tool

import (
	"maps"
	"slices"
)

// maxRefChain is how many references the root may lead through.
const maxRefChain = 16

// root makes the root an object with properties and without what OpenAI refuses there:
// anyOf, oneOf, allOf, enum, not, and a reference in its place.
func (f *fixer) root(s schema) {
	f.inlineRoot(s)
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		if v, there := s[key]; there {
			branches, _ := v.([]any)
			f.mergeRoot(s, key, branches)
		}
	}
	for _, key := range []string{"enum", "not"} {
		if _, there := s[key]; there {
			delete(s, key)
			f.note("%s at the root is left out", key)
		}
	}
	if s["type"] != "object" {
		s["type"] = "object"
		f.note("the root's type is object")
	}
	if _, ok := s["properties"].(schema); !ok {
		s["properties"] = schema{}
		f.note("the root has properties")
	}
}

// inlineRoot replaces a $ref at the root by what it points to.
func (f *fixer) inlineRoot(s schema) {
	for range maxRefChain {
		v, there := s["$ref"]
		if !there {
			return
		}
		delete(s, "$ref")
		f.note("the root's $ref is inlined")
		ref, _ := v.(string)
		for key, value := range resolveRef(s, ref) {
			if _, there := s[key]; !there {
				s[key] = value
			}
		}
	}
	delete(s, "$ref") // a circle
}

// mergeRoot puts the properties of the root's alternatives side by side; what only some of
// them require is not required.
func (f *fixer) mergeRoot(s schema, key string, branches []any) {
	delete(s, key)
	f.note("%s at the root is merged", key)
	properties, _ := s["properties"].(schema)
	if properties = maps.Clone(properties); properties == nil { // it may be shared with $defs
		properties = schema{}
	}
	s["properties"] = properties
	var required []string
	for i, branch := range branches {
		b, _ := branch.(schema) // of nil nothing is read
		if ref, ok := b["$ref"].(string); ok {
			b = resolveRef(s, ref)
		}
		own, _ := b["properties"].(schema)
		for name, p := range own {
			if _, there := properties[name]; !there {
				properties[name] = p
			}
		}
		required = mergeRequired(required, names(b["required"]), i == 0, key == "allOf")
	}
	addRequired(s, required)
}

func mergeRequired(have, more []string, first, all bool) []string {
	if first || all {
		return append(have, more...)
	}
	return slices.DeleteFunc(have, func(name string) bool { return !slices.Contains(more, name) })
}

func addRequired(s schema, more []string) {
	have, _ := s["required"].([]any)
	have = slices.Clone(have)
	for _, name := range more {
		if !slices.Contains(names(have), name) {
			have = append(have, name)
		}
	}
	if len(more) > 0 {
		s["required"] = have
	}
}
