package paysvc

/*
#include "binding.h"
*/
import "C"

import (
	"context"
	"fmt"
)

// NewReference makes a reference that no other program and no other till makes: the prefix, "-", and 26 letters and digits.
// References are ordered by time, and nobody can guess them. The prefix, e.g. of a till, may be empty; it has at most 32 letters,
// digits, "-", "_" and ".".
func NewReference(prefix string) (string, error) {
	made := newReference(nil, prefix)
	if made == "" {
		return "", fmt.Errorf("paysvc: no reference can be made with the prefix %q", prefix)
	}
	return made, nil
}

// NewReference is as the function [NewReference], and the client remembers that it made the reference. With a journal, the first
// charge of an order asks the service for earlier attempts to pay it; an order with such a reference is charged without that. The
// client remembers its last 10,000, until it is closed. Without a journal the error is [ErrConfig].
func (c *Client) NewReference(prefix string) (string, error) {
	const name = "journal_reference_new"
	if failure := c.unusable(name, context.Background()); failure != nil {
		return "", failure
	}
	client := c.begin()
	if client == nil {
		return "", refuse(name, StatusArgument, "the client is closed", ErrClosed)
	}
	defer c.end()
	if made := newReference(client, prefix); made != "" {
		return made, nil
	}
	if _, err := NewReference(prefix); err != nil {
		return "", err
	}
	return "", refuse(name, StatusConfig, "NewReference of a client needs a journal: configure Journal, or give WithStore", nil)
}

// Makes a reference; with a client, as one of its journal. "": the library refuses it.
func newReference(client *C.paysvc_client, prefix string) string {
	var text [128]byte
	given, err := cText([]byte(prefix))
	if err != nil {
		return ""
	}
	var length C.int
	if client == nil {
		length = C.paysvc_reference_new(char(given), char(text[:]), C.size_t(len(text)))
	} else {
		length = C.paysvc_journal_reference_new(client, char(given), char(text[:]), C.size_t(len(text)))
	}
	return string(text[:max(length, 0)])
}
