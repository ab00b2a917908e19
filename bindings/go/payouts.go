//go:build cgo

package paysvc

import (
	"context"
	"encoding/json"
)

// PayoutBulk pays any number of recipients, in the largest batches that fit the encryption key, one after the other. The client's
// timeout bounds a batch, the context's deadline the list.
//
// It returns a reply if the service accepted all; accepted is not paid: see [Client.PayoutBulkStatus]. Otherwise the body of the
// [*Error] is the report as well, which [ParsePayoutBulkAnswer] reads: it has the outcome of each recipient. To go on, call it
// again with the same list and that body as Earlier: only what was provably not executed is sent.
func (c *Client) PayoutBulk(ctx context.Context, request PayoutBulkRequest) (*PayoutBulkReply, error) {
	reply, err := c.sendWith(ctx, "payout_bulk", request, request.Progress)
	if err != nil {
		return nil, err
	}
	return &PayoutBulkReply{reply}, nil
}

// PayoutBulkStatus asks for the state of all batches of an earlier [Client.PayoutBulk], by the body of its reply or of its
// error. It sends no payout. Unless all have a final state, the error is [ErrUnresolved], and its body is the report.
func (c *Client) PayoutBulkStatus(ctx context.Context, report json.RawMessage) (*PayoutBulkReply, error) {
	return c.PayoutBulk(ctx, PayoutBulkRequest{StatusOf: report})
}
