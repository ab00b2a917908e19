// Package worker is what every Go program of the benchmark does; see c/worker.h.
package worker

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Threads is how many calls are under way at once in the mode "threads".
const Threads = 64

// Mode, BaseURL and Folder are the program's arguments.
var Mode, BaseURL, Folder = os.Args[1], os.Args[2], os.Args[3]

// Must ends the program: a benchmark of failing calls measures nothing.
func Must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Text is a file of the folder without its last line break.
func Text(name string) string {
	text, err := os.ReadFile(filepath.Join(Folder, name))
	Must(err)
	return strings.TrimRight(string(text), "\n")
}

func cpu() time.Duration {
	var usage syscall.Rusage
	Must(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// Work answers standard input until its end.
func Work(step func()) {
	step()
	work(func(count int) {
		for i := 0; i < count; i++ {
			step()
		}
	})
}

// InThreads is the same with so many calls by each of 64 goroutines, all at once.
func InThreads(step func()) {
	together := func(count int) {
		var group sync.WaitGroup
		for i := 0; i < Threads; i++ {
			group.Add(1)
			go func() {
				defer group.Done()
				for i := 0; i < count; i++ {
					step()
				}
			}()
		}
		group.Wait()
	}
	together(1)
	work(together)
}

func work(steps func(int)) {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		count, err := strconv.Atoi(lines.Text())
		Must(err)
		wall, used := time.Now(), cpu()
		steps(count)
		fmt.Println(time.Since(wall).Nanoseconds(), (cpu() - used).Nanoseconds())
	}
}
