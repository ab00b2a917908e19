package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"paysvc.example/go/paysvc"
	"paysvc.example/go/paysvc/internal/tested"
	"paysvc.example/go/paysvc/paysvctest"
)

// A sandbox, a receiver of its events, and what the receiver handled.
type service struct {
	t       *testing.T
	sandbox *paysvctest.Sandbox
	client  *paysvc.Client
	url     string

	mu         sync.Mutex
	handled    []*paysvc.Reply
	unverified int
}

func start(t *testing.T, handle Func, options Options, configure ...func(*paysvc.Config)) *service {
	t.Helper()
	s := &service{t: t, sandbox: paysvctest.Start(t, "--seed", "7")}
	config := s.sandbox.Config
	for _, configure := range configure {
		configure(&config)
	}
	s.client = tested.Connect(t, config)
	if options.Log == nil {
		options.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	options.Unverified = func(context.Context, *paysvc.Reply) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.unverified++
	}
	receiver := httptest.NewServer(NewHandler(s.client, func(ctx context.Context, reply *paysvc.Reply) error {
		if err := handle(ctx, reply); err != nil {
			return err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.handled = append(s.handled, reply)
		return nil
	}, options))
	t.Cleanup(receiver.Close)
	s.url = receiver.URL
	return s
}

func accept(context.Context, *paysvc.Reply) error { return nil }

// Pays into a virtual account, and returns the body of the event.
func (s *service) fund(amount string) string {
	s.t.Helper()
	reply := tested.Need(s.client.Call(context.Background(), "virtual_account_generate", []byte(`{"Alias":"A-1","Reference":"C-1"}`)))(s.t, "make an account")
	account, _ := reply.Get("/accountNumber")
	s.sandbox.Post("/sandbox/fund", map[string]any{"accountNumber": account, "amount": amount, "senderName": "Ada"}, nil)
	return s.newest()
}

// The body of the newest event.
func (s *service) newest() string {
	s.t.Helper()
	var log struct{ Deliveries []struct{ Body string } }
	s.sandbox.Get("/sandbox/webhooks", &log)
	if len(log.Deliveries) == 0 {
		s.t.Fatal("no event")
	}
	return log.Deliveries[len(log.Deliveries)-1].Body
}

// The event of a payment with a higher amount.
func (s *service) forged(genuine string) string {
	s.t.Helper()
	var parsed struct{ Data struct{ SessionID string } }
	tested.Must(s.t, "decode the event", json.Unmarshal([]byte(genuine), &parsed))
	change := map[string]any{"totalAmountCharged": "5000"}
	s.sandbox.Post("/sandbox/webhooks/forge", map[string]any{"session": parsed.Data.SessionID, "change": change}, nil)
	return s.newest()
}

func (s *service) post(body string) *http.Response {
	s.t.Helper()
	return s.send(http.MethodPost, s.url, strings.NewReader(body))
}

func (s *service) send(method, url string, body io.Reader) *http.Response {
	s.t.Helper()
	request := tested.Need(http.NewRequest(method, url, body))(s.t, "make a request")
	answer := tested.Need(http.DefaultClient.Do(request))(s.t, "send the request")
	text, err := io.ReadAll(answer.Body)
	answer.Body.Close()
	if err != nil || url == s.url && len(text) > 0 {
		s.t.Errorf("a body: %q, %v", text, err)
	}
	return answer
}

func (s *service) expect(answer *http.Response, status, handled, unverified int) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if answer.StatusCode != status || len(s.handled) != handled || s.unverified != unverified {
		s.t.Errorf("status %d, handled %d, unverified %d; want %d, %d, %d", answer.StatusCode, len(s.handled), s.unverified,
			status, handled, unverified)
	}
}

func (s *service) asked() (times int) {
	var log struct{ Requests []struct{ Path string } }
	s.sandbox.Get("/sandbox/requests", &log)
	for _, request := range log.Requests {
		if strings.Contains(request.Path, "transaction-details") {
			times++
		}
	}
	return
}

func TestAnEventIsHandledOnceWithTheServicesAnswer(t *testing.T) {
	s := start(t, accept, Options{})
	body := s.fund("50.25")
	for range [3]int{} {
		s.expect(s.post(body), http.StatusOK, 1, 0)
	}
	reply := s.handled[0]
	account, _ := reply.Get("/data/accountReference")
	amount, _ := reply.Get("/data/totalAmountCharged")
	if reply.State != paysvc.StateSuccessful || account != "C-1" || !strings.HasPrefix(amount, "50.25") {
		t.Errorf("%v %s %s", reply, account, amount)
	}
	s.expect(s.post(s.fund("7.00")), http.StatusOK, 2, 0)
	for amount, matches := range map[string]bool{"50.25": true, "50.52": false} {
		asked := paysvc.WebhookVerifyRequest{Body: []byte(body), Expect: &paysvc.WebhookVerifyExpect{Amount: paysvc.Ptr(amount)}}
		reply, err := s.client.WebhookVerify(context.Background(), asked)
		if err != nil || reply.Webhook.Match == nil || *reply.Webhook.Match != matches || !*reply.Webhook.Authentic {
			t.Errorf("%s: %v %s", amount, err, reply)
		}
	}
}

func TestAForgedEventIsNotHandledAndAnsweredAsAGenuineOne(t *testing.T) {
	s := start(t, accept, Options{})
	genuine := s.fund("50.25")
	s.expect(s.post(s.forged(genuine)), http.StatusOK, 0, 1)
	s.expect(s.post(genuine), http.StatusOK, 1, 1)
}

func TestWhatIsNoEventIsRefused(t *testing.T) {
	s := start(t, accept, Options{})
	s.expect(s.post("[]"), http.StatusBadRequest, 0, 1)
	s.expect(s.post("{\"sessionId\":\"\xff\"}"), http.StatusBadRequest, 0, 1)
	s.expect(s.post(strings.Repeat(" ", MaxLength+1)), http.StatusRequestEntityTooLarge, 0, 1)
	// Without a length: it is counted while it is read.
	s.expect(s.send(http.MethodPost, s.url, io.LimitReader(blanks{}, 1<<30)), http.StatusRequestEntityTooLarge, 0, 1)
	answer := s.send(http.MethodGet, s.url, nil)
	s.expect(answer, http.StatusMethodNotAllowed, 0, 1)
	if allow := answer.Header.Get("Allow"); allow != http.MethodPost || s.asked() != 0 {
		t.Error("Allow, and requests:", allow, s.asked())
	}
}

type blanks struct{}

func (blanks) Read(into []byte) (int, error) {
	for index := range into {
		into[index] = ' '
	}
	return len(into), nil
}

func TestDoubtIsAnsweredWith503(t *testing.T) {
	s := start(t, accept, Options{})
	body := s.fund("50.25")
	for fault, seconds := range map[string]string{"unauthorized": "30", "status_429_retry_after": "1"} { // The second as the service says.
		rule := map[string]any{"path": "/payment/transaction-details/{sessionId}", "fault": fault, "count": 3}
		s.sandbox.Post("/sandbox/faults", rule, nil)
		answer := s.post(body)
		s.expect(answer, http.StatusServiceUnavailable, 0, 0)
		if after := answer.Header.Get("Retry-After"); after != seconds {
			t.Errorf("%s: Retry-After is %q, not %s", fault, after, seconds)
		}
		s.send(http.MethodDelete, s.sandbox.Config.BaseURL+"/sandbox/faults", nil)
	}
	s.expect(s.post(body), http.StatusOK, 1, 0)
	s.client.Close() // The library is not asked.
	answer := s.post(body)
	s.expect(answer, http.StatusServiceUnavailable, 1, 0)
	if after := answer.Header.Get("Retry-After"); after != "30" {
		t.Error("Retry-After of a closed client:", after)
	}
}

// The lines that were logged.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(text)
}

// Returns the lines logged since the last call.
func (l *lines) taken() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.text.Reset()
	return l.text.String()
}

func (l *lines) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

func TestAHandlerThatFailsIsLoggedAndCalledAgain(t *testing.T) {
	calls, about := 0, ""
	var log lines
	s := start(t, func(_ context.Context, reply *paysvc.Reply) error {
		calls++
		about = fmt.Sprintf("reference=%s call_id=%s key=%s", reply.Webhook.About, reply.CallID, reply.Webhook.Key)
		switch calls {
		case 1:
			return errors.New("the database is down")
		case 2:
			panic(http.ErrAbortHandler)
		}
		return nil
	}, Options{Log: log.logger()})
	body := s.fund("50.25")
	answer := s.post(body)
	s.expect(answer, http.StatusInternalServerError, 0, 0)
	if answer.Header.Get("Retry-After") != "30" {
		t.Error("Retry-After is not 30:", answer.Header)
	}
	logged := func(what string) {
		t.Helper()
		if text := log.taken(); !strings.Contains(text, what) || !strings.Contains(text, about) || strings.Count(text, "\n") != 1 {
			t.Errorf("%q, want %s, %s", text, what, about)
		}
	}
	logged(`level=ERROR msg="paysvc webhook: an event was not handled" error="the database is down"`)
	if _, err := http.Post(s.url, "application/json", strings.NewReader(body)); err == nil {
		t.Error("the panic was answered")
	}
	logged(`msg="paysvc webhook: an event was not handled: its function panicked" error="net/http: abort Handler"`)
	s.expect(s.post(body), http.StatusOK, 1, 0)
	s.expect(s.post(body), http.StatusOK, 1, 0)
	if text := log.taken(); text != "" {
		t.Error("logged after success:", text)
	}
}

func TestAClientWithoutASecretKeyIsLoggedAtTheStartAndAtEachEvent(t *testing.T) {
	var log lines
	s := start(t, accept, Options{Log: log.logger()}, func(config *paysvc.Config) { config.SecretKey = paysvc.Secret{} })
	if text := log.taken(); !strings.Contains(text, "level=ERROR") || !strings.Contains(text, "no secret key") || s.client.HasSecretKey() {
		t.Errorf("at the start: %q", text)
	}
	s.expect(s.post(`{"orderReference":"ORDER-1","orderAmount":"1.00","statusId":5}`), http.StatusServiceUnavailable, 0, 0)
	text := log.taken()
	if !strings.Contains(text, "level=ERROR") || !strings.Contains(text, "reference=ORDER-1 call_id=") || !strings.Contains(text, "secret_key is not configured") {
		t.Errorf("at an event: %q", text)
	}
}

func TestTwoDeliveriesAtOnceAreHandledOnce(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	var calls atomic.Int32
	s := start(t, func(context.Context, *paysvc.Reply) error {
		if calls.Add(1) == 1 {
			close(entered)
			<-leave
		}
		return nil
	}, Options{})
	body := s.fund("50.25")
	first := make(chan *http.Response)
	go func() { first <- s.post(body) }()
	<-entered
	s.expect(s.post(body), http.StatusServiceUnavailable, 0, 0)
	close(leave)
	s.expect(<-first, http.StatusOK, 1, 0)
	s.expect(s.post(body), http.StatusOK, 1, 0)
}

// The library has the limits; its own tests are tests/integration/webhooks/limits.rs.
func TestAFloodIsAnsweredAsTheLibrarySays(t *testing.T) {
	var log lines
	s := start(t, accept, Options{Log: log.logger()}, func(config *paysvc.Config) { config.WebhookPerMinute = paysvc.Ptr[int64](12) })
	forged := s.forged(s.fund("7.00"))
	for range [3]int{} {
		s.expect(s.post(forged), http.StatusOK, 0, 1)
	}
	s.expect(s.post(strings.Replace(forged, "{", `{"x":1,`, 1)), http.StatusOK, 0, 2)
	answer := s.post(strings.Replace(forged, "{", `{"x":2,`, 1))
	s.expect(answer, http.StatusServiceUnavailable, 0, 2)
	if after, err := strconv.Atoi(answer.Header.Get("Retry-After")); err != nil || after < 1 || after > 30 {
		t.Error("Retry-After:", answer.Header)
	}
	if text := log.taken(); text != "" {
		t.Error("a flood is logged:", text)
	}
	if asked := s.asked(); asked != 2 {
		t.Errorf("asked %d times", asked)
	}
}

// A sender that hangs up gets no request back: the status query goes on, and counts.
func TestHangingUpCancelsNothing(t *testing.T) {
	s := start(t, accept, Options{})
	body := s.fund("50.25")
	rule := map[string]any{"path": "/payment/transaction-details/{sessionId}", "fault": "slow_headers", "delay_ms": 300, "count": 1}
	s.sandbox.Post("/sandbox/faults", rule, nil)
	ctx, cancel := context.WithCancel(context.Background())
	request := tested.Need(http.NewRequestWithContext(ctx, http.MethodPost, s.url, strings.NewReader(body)))(t, "make a request")
	ended := make(chan error)
	go func() {
		_, err := http.DefaultClient.Do(request)
		ended <- err
	}()
	tested.Eventually(t, "the service is asked", func() bool { return s.asked() > 0 })
	cancel()
	if err := <-ended; err == nil {
		t.Error("the sender did not hang up")
	}
	tested.Eventually(t, "the event is handled", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.handled) == 1
	})
	s.expect(s.post(body), http.StatusOK, 1, 0)
	if asked := s.asked(); asked != 2 {
		t.Errorf("asked %d times", asked)
	}
}

func TestTheMemoryStoreKeepsTheNewestKeys(t *testing.T) {
	store, ctx := NewMemoryStore(2), context.Background()
	begin := func(key string, want Begin) {
		t.Helper()
		if found, err := store.Begin(ctx, key); found != want || err != nil {
			t.Errorf("%s: %v %v", key, found, err)
		}
	}
	for _, key := range []string{"a", "b"} {
		begin(key, Handle)
		begin(key, Busy)
		store.Done(ctx, key)
		begin(key, Done)
	}
	begin("a", Done) // Used again: it is the newest.
	begin("c", Handle)
	store.Done(ctx, "c")
	begin("a", Done)
	begin("b", Handle)
	store.Failed(ctx, "b")
	begin("b", Handle)
}

func TestAZeroStoreKeepsAsManyKeysAsThatOfAHandlerWithoutAny(t *testing.T) {
	for _, store := range []*MemoryStore{{}, NewMemoryStore(-1)} {
		ctx := context.Background()
		for index := 0; index <= 10_000; index++ {
			store.Done(ctx, fmt.Sprint(index))
		}
		oldest, _ := store.Begin(ctx, "0")
		second, _ := store.Begin(ctx, "1")
		if oldest != Handle || second != Done {
			t.Error("Begin of the oldest and the second oldest key:", oldest, second)
		}
	}
}

func TestAStoreThatFailsHandlesNothing(t *testing.T) {
	s := start(t, accept, Options{Store: broken{}})
	s.expect(s.post(s.fund("50.25")), http.StatusInternalServerError, 0, 0)
}

type broken struct{}

var errBroken = errors.New("broken")

func (broken) Begin(context.Context, string) (Begin, error) { return Handle, errBroken }
func (broken) Done(context.Context, string) error           { return errBroken }
func (broken) Failed(context.Context, string) error         { return errBroken }
