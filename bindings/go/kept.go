//go:build cgo

package paysvc

import (
	"bytes"
	"encoding/json"
)

// What is kept of a member: its value, or only that it is there. An added member is not a member of the request: the caller adds
// it when the request is resolved.
const (
	keepValue = iota
	keepPresence
	keepAdded
)

type kept struct {
	of   int
	path []string
}

// The members of a request by which it is looked up, as a JSON object; nil if there are none. Other members of the request may
// be secret.
func keep(name string, request []byte, withAdded bool) json.RawMessage {
	found := map[string]any{}
	for _, it := range keptOf(name) {
		raw := at(request, it.path)
		switch {
		case it.of == keepPresence && bytes.HasPrefix(raw, []byte("{")):
			put(found, it.path, struct{}{})
		case it.of == keepValue || it.of == keepAdded && withAdded:
			if len(raw) > 0 && (raw[0] == '"' || raw[0] == '-' || '0' <= raw[0] && raw[0] <= '9') {
				put(found, it.path, bytes.Clone(raw))
			}
		}
		clear(raw)
	}
	if len(found) == 0 {
		return nil
	}
	text, err := encode(found)
	if err != nil {
		return nil
	}
	return text
}

// What is stored about a request before it is sent. A request that cannot be written has no members, and is not sent either.
func lookUp(name string, request any) ResolveRequest {
	text, err := encode(request)
	defer clear(text)
	found := ResolveRequest{Endpoint: name}
	if err == nil {
		found.Request = keep(name, text, false)
	}
	if err == nil && uncharged(name, text) {
		found.Charged = Ptr(false)
	}
	return found
}

// Whether the request is known to make no charge: it has at least one member, and none with which it might.
func uncharged(name string, request []byte) bool {
	var members map[string]json.RawMessage
	return json.Unmarshal(request, &members) == nil && len(members) > 0 && harmless(name, "", request)
}

func harmless(name, within string, object []byte) bool {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil {
		return false
	}
	all := true
	for member, value := range members {
		if bytes.HasPrefix(value, []byte("{")) {
			all = all && harmless(name, within+member+".", value)
		} else {
			all = all && !mayCharge(name, within+member)
		}
		clear(value)
	}
	return all
}

// A copy of the value at that path; nil if there is none.
func at(object []byte, path []string) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil {
		return nil
	}
	found := members[path[0]]
	if len(path) > 1 {
		found = at(found, path[1:])
	} else {
		found = bytes.Clone(found)
	}
	for _, member := range members {
		clear(member)
	}
	return found
}

func put(object map[string]any, path []string, value any) {
	if raw, ok := value.([]byte); ok {
		value = json.RawMessage(raw)
	}
	for ; len(path) > 1; path = path[1:] {
		inner, ok := object[path[0]].(map[string]any)
		if !ok {
			inner = map[string]any{}
			object[path[0]] = inner
		}
		object = inner
	}
	object[path[0]] = value
}
