package mcpconn

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// expression is what stands between the braces of a URI template (RFC 6570, 2.2).
var (
	expression = regexp.MustCompile(`\{[^{}]*\}`)
	varspec    = regexp.MustCompile(`^((?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})(?:\.?(?:[A-Za-z0-9_-]|%[0-9A-Fa-f]{2}))*)(\*|:([1-9][0-9]{0,3}))?$`)
)

// operator is how an expression is written out (RFC 6570, appendix A).
type operator struct {
	first, sep string
	named      bool
	ifEmpty    string // behind the name of an empty value
	reserved   bool   // reserved characters stay as they are
}

var operators = map[byte]operator{
	0:   {sep: ","},
	'+': {sep: ",", reserved: true},
	'#': {first: "#", sep: ",", reserved: true},
	'.': {first: ".", sep: "."},
	'/': {first: "/", sep: "/"},
	';': {first: ";", sep: ";", named: true},
	'?': {first: "?", sep: "&", named: true, ifEmpty: "="},
	'&': {first: "&", sep: "&", named: true, ifEmpty: "="},
}

type variable struct {
	name    string
	explode bool
	most    int // runes, 0 for all
}

// readExpression takes an expression apart.
func readExpression(text string) (op operator, vars []variable, err error) {
	body := text[1 : len(text)-1]
	sign := byte(0)
	if body != "" && operators[body[0]] != (operator{}) {
		sign, body = body[0], body[1:]
	}
	for part := range strings.SplitSeq(body, ",") {
		found := varspec.FindStringSubmatch(part)
		if found == nil {
			return op, nil, fmt.Errorf("%s is no expression of a URI template", text)
		}
		most, _ := strconv.Atoi(found[3]) // digits or nothing
		vars = append(vars, variable{found[1], found[2] == "*", most})
	}
	return operators[sign], vars, nil
}

// TemplateVariables are the variables of a URI template (RFC 6570), in order, each once.
func TemplateVariables(template string) ([]string, error) {
	var names []string
	_, err := eachExpression(template, func(_ operator, vars []variable) string {
		for _, v := range vars {
			if !slices.Contains(names, v.name) {
				names = append(names, v.name)
			}
		}
		return ""
	})
	return names, err
}

// ExpandTemplate puts values in the place of a URI template's variables. A value that is
// missing or "" is left out. An exploded variable of a path ({/path*}) takes its parts
// divided by slashes.
func ExpandTemplate(template string, values map[string]string) (string, error) {
	return eachExpression(template, func(op operator, vars []variable) string {
		var parts []string
		for _, v := range vars {
			value := values[v.name]
			if value == "" {
				continue
			}
			parts = append(parts, op.expand(v, value)...)
		}
		if len(parts) == 0 {
			return ""
		}
		return op.first + strings.Join(parts, op.sep)
	})
}

func (op operator) expand(v variable, value string) []string {
	pieces := []string{value}
	if v.explode && op.first == "/" {
		pieces = strings.Split(value, "/")
	}
	for i, piece := range pieces {
		if runes := []rune(piece); v.most > 0 && len(runes) > v.most {
			piece = string(runes[:v.most])
		}
		piece = percentEncoded(piece, op.reserved)
		if op.named {
			if piece == "" {
				piece = op.ifEmpty
			} else {
				piece = "=" + piece
			}
			piece = v.name + piece
		}
		pieces[i] = piece
	}
	return pieces
}

// eachExpression replaces the expressions of a template.
func eachExpression(template string, with func(operator, []variable) string) (string, error) {
	var b strings.Builder
	last := 0
	for _, at := range expression.FindAllStringIndex(template, -1) {
		op, vars, err := readExpression(template[at[0]:at[1]])
		if err != nil {
			return "", err
		}
		b.WriteString(percentEncoded(template[last:at[0]], true))
		b.WriteString(with(op, vars))
		last = at[1]
	}
	b.WriteString(percentEncoded(template[last:], true))
	if rest := expression.ReplaceAllString(template, ""); strings.ContainsAny(rest, "{}") {
		return "", fmt.Errorf("%s is no URI template: a brace stands alone", template)
	}
	return b.String(), nil
}

const (
	unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
	reserved   = ":/?#[]@!$&'()*+,;="
)

// percentEncoded encodes every byte that may not stand in a URI. With keep, reserved
// characters and what is encoded already stay.
func percentEncoded(text string, keep bool) string {
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		already := keep && c == '%' && i+2 < len(text) && isHex(text[i+1]) && isHex(text[i+2])
		if already || strings.IndexByte(unreserved, c) >= 0 || keep && strings.IndexByte(reserved, c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}
