//go:build unix

// Command payouts pays the recipients of a list, and goes on where an earlier run of it ended, whatever ended it.
//
//	payouts -new LIST JOURNAL   begins: JOURNAL must not exist
//	payouts LIST JOURNAL        goes on: JOURNAL must exist
//
// LIST is a file with a JSON array: the recipients of PayoutBulk. JOURNAL is a file that this program writes: one line for each
// step. Without it nobody would know after a crash who was paid, so keep it, and name it again to go on. A new journal for a list
// that was begun with another one pays the whole list again. Status 0: all were accepted. 1: some were not, run it again. 2:
// UNKNOWN ones are left, ask a person. 3: it could not run, see the error.
//
// It is configured by environment variables: PAYSVC_BASE_URL, PAYSVC_PUBLIC_KEY, PAYSVC_SECRET_KEY and PAYSVC_ENCRYPTION_KEY.
// The journals of examples/payouts.c are alike.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"paysvc.example/go/paysvc"
)

// A journal is a file of this process alone, with one line for each step of a list.
type journal struct {
	file   *os.File
	steps  json.RawMessage
	size   int64 // of its whole lines
	failed error // a line could not be written: nothing may follow it
}

func openJournal(name string, isNew bool) (*journal, error) {
	flags := os.O_RDWR
	if isNew {
		flags |= os.O_CREATE | os.O_EXCL
	}
	file, err := os.OpenFile(name, flags, 0o600)
	if err != nil {
		return nil, err
	}
	// It ends with the process.
	if err := syscall.FcntlFlock(file.Fd(), syscall.F_SETLK, &syscall.Flock_t{Type: syscall.F_WRLCK}); err != nil {
		return nil, fmt.Errorf("another process is paying with this journal: %w", err)
	}
	text, err := io.ReadAll(file)
	if err != nil {
		return nil, err
	}
	// A last line that was being written when the process died, or the power failed, is cut off: otherwise the next line would
	// continue it.
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	j := &journal{file: file, size: int64(len(whole))}
	if err := errors.Join(file.Truncate(j.size), file.Sync(), syncDirectory(name)); err != nil {
		return nil, err
	}
	if _, err := file.Seek(j.size, io.SeekStart); err != nil {
		return nil, err
	}
	j.steps = bytes.Join([][]byte{{'['}, bytes.ReplaceAll(bytes.TrimSuffix(whole, []byte{'\n'}), []byte{'\n'}, []byte{','}), {']'}}, nil)
	return j, nil
}

// A file is found after a power cut only if its directory was written as well.
func syncDirectory(name string) error {
	directory, err := os.Open(filepath.Dir(name))
	if err != nil {
		return err
	}
	return errors.Join(directory.Sync(), directory.Close())
}

// Writes a step down before the call goes on. If that fails, no further batch is sent.
func (j *journal) write(progress paysvc.Progress) error {
	fmt.Println(progress.Done, "of", progress.Total)
	if j.failed != nil {
		return j.failed
	}
	line := append(bytes.Clone(progress.JSON), '\n')
	_, err := j.file.Write(line)
	if j.failed = errors.Join(err, j.file.Sync()); j.failed != nil {
		// Nothing may follow a line that is not whole. If this fails too, the next run cuts it off.
		j.failed = errors.Join(j.failed, j.file.Truncate(j.size))
		return j.failed
	}
	j.size += int64(len(line))
	return nil
}

func pay(client *paysvc.Client, payouts []paysvc.PayoutBulkPayoutDetails, j *journal) (status int, err error) {
	var report json.RawMessage
	var failed *paysvc.Error
	reply, err := client.PayoutBulk(context.Background(), paysvc.PayoutBulkRequest{PayoutDetails: &payouts, Earlier: j.steps, Progress: j.write})
	switch {
	case err == nil:
		report = reply.Body
	case errors.As(err, &failed):
		report, status = failed.Body, 1
		fmt.Println(failed.Message)
	default:
		return 3, err
	}
	var rows struct {
		Unknown *int
		Payouts []struct{ ClientReference, Outcome string }
	}
	// A request that was refused as a whole has no report.
	if err := json.Unmarshal(report, &rows); err != nil || rows.Unknown == nil {
		return 3, errors.New("the call was refused as a whole")
	}
	for _, row := range rows.Payouts {
		if row.Outcome != "ACCEPTED" {
			fmt.Println(row.Outcome, row.ClientReference)
		}
	}
	if *rows.Unknown > 0 {
		return 2, j.failed
	}
	if j.failed != nil {
		return 3, j.failed
	}
	return status, nil
}

func run() (int, error) {
	isNew := flag.Bool("new", false, "begins a list that nobody has begun")
	flag.Parse()
	if flag.NArg() != 2 {
		return 3, errors.New("give [-new], the file of the list and the file of the journal")
	}
	text, err := os.ReadFile(flag.Arg(0))
	if err != nil {
		return 3, err
	}
	var payouts []paysvc.PayoutBulkPayoutDetails
	if err := json.Unmarshal(text, &payouts); err != nil {
		return 3, err
	}
	client, err := paysvc.New(paysvc.Config{})
	if err != nil {
		return 3, err
	}
	defer client.Close()
	j, err := openJournal(flag.Arg(1), *isNew)
	if err != nil {
		return 3, err
	}
	return pay(client, payouts, j)
}

func main() {
	status, err := run()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(status)
}
