package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"patchbay/backend/model"
)

const (
	checkLimit   = 30 * time.Second
	listLimit    = 5 * time.Second
	checkTokens  = 64 // of an answer; some models think before they say one word
	maxModels    = 200
	shownModels  = 8
	maxListBytes = 4 << 20
)

// Checked is what one short request says about an endpoint.
type Checked struct {
	OK      bool
	Message string        // for people, never with a key
	Took    time.Duration // until the answer ended
	Models  []string      // what the endpoint lists, at most 200; nil when it lists none
}

// Check asks the model for one word, once, and says in words what is wrong when it does
// not come. It takes at most half a minute.
func Check(ctx context.Context, o Options) Checked {
	return check(ctx, o, checkLimit)
}

func check(ctx context.Context, o Options, limit time.Duration) Checked {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	began := time.Now()
	o.MaxRetries, o.MaxTokens = -1, checkTokens
	said, err := askOnce(ctx, o)
	var failed *model.Error
	if !said && errors.As(err, &failed) && needsMore(failed) {
		o.MaxTokens = 0
		said, err = askOnce(ctx, o)
	}
	out := Checked{Took: time.Since(began)}
	switch {
	case said && (err == nil || ctx.Err() != nil || isEmpty(err)):
		out.OK = true
		out.Message = fmt.Sprintf("%s answered in %s", o.Model, shortly(out.Took))
	case ctx.Err() != nil:
		out.Message = fmt.Sprintf("%s did not answer within %s. A model that is still being loaded may need longer: test again.", o.Model, limit)
		return out
	case errors.As(err, &failed) && failed.Code == model.Unreachable:
		out.Message = failed.Error()
		return out
	default:
		out.Message = sentence(err)
	}
	out.Models = list(ctx, o, o.BaseURL)
	if !out.OK {
		if more := advice(ctx, o, err, out.Models); more != "" {
			out.Message = strings.TrimSuffix(out.Message, ".") + more
		}
	}
	return out
}

// askOnce reports whether anything of an answer came.
func askOnce(ctx context.Context, o Options) (said bool, err error) {
	client, err := New(o)
	if err != nil {
		return false, err
	}
	hello := model.Message{Role: model.User, Text: "Reply with the single word: ok"}
	_, err = client.Stream(ctx, model.Request{Messages: []model.Message{hello}}, func(c model.Chunk) {
		said = said || c.Kind == model.TextChunk || c.Kind == model.ReasoningChunk
	})
	return said, err
}

// needsMore reports whether the limit of tokens may be what went wrong: the endpoint does
// not know it, or it was spent on thoughts that are not sent.
func needsMore(failed *model.Error) bool {
	return failed.Code == model.Empty || failed.Code == model.BadRequest && strings.Contains(failed.Message, "max_")
}

func isEmpty(err error) bool {
	var failed *model.Error
	return errors.As(err, &failed) && failed.Code == model.Empty
}

// advice is what the list of models, or its place, adds to a failure.
func advice(ctx context.Context, o Options, err error, models []string) string {
	var failed *model.Error
	if !errors.As(err, &failed) {
		return ""
	}
	switch failed.Code {
	case model.BadModel, model.BadRequest:
		if len(models) > 0 && !slices.Contains(models, o.Model) {
			return ". It offers " + some(models) + "."
		}
	case model.BadURL:
		base := strings.TrimRight(strings.TrimSpace(o.BaseURL), "/")
		if better := base + "/v1"; !strings.HasSuffix(base, "/v1") && list(ctx, o, better) != nil {
			return ". " + redacted(better) + " answers: use that."
		}
	}
	return ""
}

func some(models []string) string {
	if len(models) <= shownModels {
		return strings.Join(models, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(models[:shownModels], ", "), len(models)-shownModels)
}

// list is what GET base/models says, nil when it says nothing that can be used.
func list(ctx context.Context, o Options, base string) []string {
	ctx, cancel := context.WithTimeout(ctx, listLimit)
	defer cancel()
	base = strings.TrimSuffix(strings.TrimRight(strings.TrimSpace(base), "/"), "/chat/completions")
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/models", nil)
	if err != nil {
		return nil
	}
	o.authorize(r)
	client := o.HTTPClient
	if client == nil {
		client = &http.Client{}
	}
	resp, err := client.Do(r)
	if err != nil {
		return nil
	}
	defer resp.Body.Close()
	var body struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if resp.StatusCode != http.StatusOK || json.NewDecoder(io.LimitReader(resp.Body, maxListBytes)).Decode(&body) != nil {
		return nil
	}
	var ids []string
	for _, m := range body.Data {
		if m.ID != "" && len(ids) < maxModels {
			ids = append(ids, clip(m.ID))
		}
	}
	return ids
}

// shortly is a duration as a person says it.
func shortly(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%d ms", max(1, d.Milliseconds()))
	}
	return fmt.Sprintf("%d s", int(d.Seconds()))
}

// sentence is the error with a capital letter, where it does not begin with an address.
func sentence(err error) string {
	text := err.Error()
	if word, _, _ := strings.Cut(text, " "); strings.Contains(word, "://") {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// redacted is an address without the password it may hold.
func redacted(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Redacted()
}
