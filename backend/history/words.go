package history

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// term is a word of a query, or several that stand together.
type term struct {
	words  []string // folded
	text   string   // as the index reads it
	prefix bool     // the last word may be longer
}

// The limits of a query are more than a person types; what is beyond them is left out.
const (
	maxQuery = 1000 // bytes
	maxTerms = 32
)

// parseQuery splits a query at blanks outside of double quotes. What holds no letter and no
// digit finds nothing and is left out.
func parseQuery(query string) []term {
	var terms []term
	query = query[:min(len(query), maxQuery)]
	query = strings.ToValidUTF8(strings.ReplaceAll(query, "\x00", " "), " ")
	query = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`).Replace(query)
	for i, part := range strings.Split(query, `"`) {
		parts := []string{part}
		quoted := i%2 == 1
		if !quoted {
			parts = strings.Fields(part)
		}
		for _, p := range parts {
			if words := split(p); len(words) > 0 {
				terms = append(terms, term{words: folded(words), text: segmented(p), prefix: !quoted})
			}
		}
	}
	terms = terms[:min(len(terms), maxTerms)]
	for i := range terms {
		terms[i].prefix = terms[i].prefix && i == len(terms)-1
	}
	return terms
}

// matchText is a query of FTS5: every term in quotes, where nothing has a meaning.
func matchText(terms []term) string {
	var parts []string
	for _, t := range terms {
		part := `"` + strings.ReplaceAll(t.text, `"`, " ") + `"`
		if t.prefix {
			part += " *"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, " AND ")
}

// unspaced reports whether a letter belongs to a script that puts no blanks between words:
// each is a word of its own, so that a part of a sentence is found.
func unspaced(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// segmented sets blanks between words that have none.
func segmented(text string) string {
	if strings.IndexFunc(text, unspaced) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if unspaced(r) {
			b.WriteByte(' ')
			b.WriteRune(r)
			b.WriteByte(' ')
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// span is a word of a text: its runes from start to end.
type span struct {
	start, end int
	folded     []rune
	at         []int // of each folded rune
}

// split finds the words of a text the way the index does: letters and digits without case
// and accents.
func split(text string) []span {
	var list []span
	var now span
	end := func() {
		if len(now.folded) > 0 {
			list = append(list, now)
		}
		now = span{}
	}
	i := 0
	for _, r := range text {
		switch {
		case unspaced(r):
			end()
			list = append(list, span{i, i + 1, []rune{r}, []int{i}})
		case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.Co, r):
			if len(now.folded) == 0 {
				now.start = i
			}
			now.folded, now.at, now.end = append(now.folded, foldRune(r)), append(now.at, i), i+1
		case unicode.Is(unicode.Mn, r) && len(now.folded) > 0: // an accent of its own
			now.end = i + 1
		default:
			end()
		}
		i++
	}
	end()
	return list
}

func foldRune(r rune) rune {
	r = unicode.ToLower(r)
	if r < 0x80 {
		return r
	}
	for _, base := range norm.NFD.String(string(r)) {
		return base
	}
	return r
}

func folded(words []span) []string {
	var list []string
	for _, w := range words {
		list = append(list, string(w.folded))
	}
	return list
}

// Excerpt is a piece of a text around what was found, blanks made one.
type Excerpt struct {
	Before string
	Match  string
	After  string
}

const (
	excerptBefore = 40 // characters
	excerptMatch  = 80
	excerptAfter  = 60
)

// excerpt is the text around the first match of a term; its beginning when none is found,
// because the index folds a letter that this does not.
func excerpt(text string, terms []term) Excerpt {
	start, end := firstMatch(split(text), terms)
	runes := []rune(text)
	end = min(end, start+excerptMatch)
	from, to := max(0, start-excerptBefore), min(len(runes), end+excerptAfter)
	e := Excerpt{Before: oneLine(runes[from:start]), Match: oneLine(runes[start:end]), After: oneLine(runes[end:to])}
	if from > 0 {
		e.Before = "…" + strings.TrimLeft(e.Before, " ")
	} else {
		e.Before = strings.TrimLeft(e.Before, " ")
	}
	if to < len(runes) {
		e.After = strings.TrimRight(e.After, " ") + "…"
	} else {
		e.After = strings.TrimRight(e.After, " ")
	}
	return e
}

func firstMatch(words []span, terms []term) (start, end int) {
	for i := range words {
		for _, t := range terms {
			if end := t.matches(words[i:]); end > 0 {
				return words[i].start, end
			}
		}
	}
	return 0, 0
}

// matches returns the end of the term when words begin with it, else 0. Of a longer word
// only what was asked for belongs to it.
func (t term) matches(words []span) int {
	if len(words) < len(t.words) {
		return 0
	}
	for i, want := range t.words {
		got := words[i]
		last := i == len(t.words)-1
		asked := []rune(want)
		switch {
		case slices.Equal(got.folded, asked):
		case last && t.prefix && len(got.folded) > len(asked) && slices.Equal(got.folded[:len(asked)], asked):
			return got.at[len(asked)]
		default:
			return 0
		}
	}
	return words[len(t.words)-1].end
}

// oneLine makes every run of blanks and control characters one blank.
func oneLine(runes []rune) string {
	var b strings.Builder
	blank := false
	for _, r := range runes {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			blank = true
			continue
		}
		if blank {
			b.WriteByte(' ')
			blank = false
		}
		b.WriteRune(r)
	}
	if blank {
		b.WriteByte(' ')
	}
	return b.String()
}
