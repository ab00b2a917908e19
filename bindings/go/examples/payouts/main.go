//go:build unix

// Command payouts pays the recipients of a list, and continues where an earlier run ended, whatever ended it.
//
//	payouts -new LIST STEPS   begins: STEPS must not exist
//	payouts LIST STEPS        goes on: STEPS must exist
//
// It is for those who have no journal: with the setting Journal all of this is one call, see examples/payouts.c. LIST is a file with
// a JSON array: the recipients of PayoutBulk. STEPS is a file that this program writes: one line for each step. Without it nobody
// would know after a crash who was paid, so keep it, and name it again to continue. A new file for a list that was begun with another
// one pays the whole list again. Status 0: all were accepted. 1: some were not, run it again. 2:
// UNKNOWN ones are left, ask a person. 3: it could not run, see the error.
//
// It is configured by environment variables: PAYSVC_BASE_URL, PAYSVC_PUBLIC_KEY, PAYSVC_SECRET_KEY and PAYSVC_ENCRYPTION_KEY.
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

// A file of this process alone, with one line for each step of a list.
type stepsFile struct {
	file   *os.File
	steps  json.RawMessage
	size   int64 // of its whole lines
	failed error // a line could not be written: nothing may follow it
}

func openSteps(name string, isNew bool) (*stepsFile, error) {
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
		return nil, fmt.Errorf("another process is paying with this file: %w", err)
	}
	text, err := io.ReadAll(file)
	if err != nil {
		return nil, err
	}
	// A last line that was being written when the process died, or the power failed, is cut off: otherwise the next line would
	// continue it.
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	s := &stepsFile{file: file, size: int64(len(whole))}
	if err := errors.Join(file.Truncate(s.size), file.Sync(), syncDirectory(name)); err != nil {
		return nil, err
	}
	if _, err := file.Seek(s.size, io.SeekStart); err != nil {
		return nil, err
	}
	s.steps = bytes.Join([][]byte{{'['}, bytes.ReplaceAll(bytes.TrimSuffix(whole, []byte{'\n'}), []byte{'\n'}, []byte{','}), {']'}}, nil)
	return s, nil
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
func (s *stepsFile) write(progress paysvc.Progress) error {
	fmt.Println(progress.Done, "of", progress.Total)
	if s.failed != nil {
		return s.failed
	}
	line := append(bytes.Clone(progress.JSON), '\n')
	_, err := s.file.Write(line)
	if s.failed = errors.Join(err, s.file.Sync()); s.failed != nil {
		// Nothing may follow a line that is not whole. If this fails too, the next run cuts it off.
		s.failed = errors.Join(s.failed, s.file.Truncate(s.size))
		return s.failed
	}
	s.size += int64(len(line))
	return nil
}

func pay(client *paysvc.Client, payouts []paysvc.PayoutBulkPayoutDetails, s *stepsFile) (status int, err error) {
	var report json.RawMessage
	var failed *paysvc.Error
	reply, err := client.PayoutBulk(context.Background(), paysvc.PayoutBulkRequest{PayoutDetails: &payouts, Earlier: s.steps, Progress: s.write})
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
		return 2, s.failed
	}
	if s.failed != nil {
		return 3, s.failed
	}
	return status, nil
}

func run() (int, error) {
	isNew := flag.Bool("new", false, "begins a list that has not been begun")
	flag.Parse()
	if flag.NArg() != 2 {
		return 3, errors.New("give [-new], the file with the list and the file with the steps")
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
	s, err := openSteps(flag.Arg(1), *isNew)
	if err != nil {
		return 3, err
	}
	return pay(client, payouts, s)
}

func main() {
	status, err := run()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(status)
}
