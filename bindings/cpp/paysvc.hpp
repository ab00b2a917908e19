/// libpaysvc for C++11 and newer: handles that free themselves, exceptions, and a builder for each request.
///
/// Header-only. The rules at the top of paysvc.h apply. In addition:
/// - client, call and reply can be moved, not copied. One that was moved from behaves as a NULL handle does: calls return
///   E_ARGUMENT and NOT_SENT.
/// - A method throws a paysvc::error unless the status is OK: catch outcome_unknown before you repeat anything. With
///   std::nothrow as the first argument it returns the reply instead. With -fno-exceptions there are only these methods.
/// - Text is returned as std::string. Amounts are text in major units, e.g. "100.10", never floating point.
#ifndef PAYSVC_HPP
#define PAYSVC_HPP

#include <paysvc.h>

#include <chrono>
#include <climits>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(__cpp_exceptions) || defined(__EXCEPTIONS) || defined(_CPPUNWIND)
#define PAYSVC_EXCEPTIONS 1
#else
#define PAYSVC_EXCEPTIONS 0
#endif

#include "paysvc_json.hpp"
#include "paysvc_view.hpp"

namespace paysvc {

enum class status : int;
enum class outcome : int;
enum class state : int;

/// The name in paysvc.h without its prefix, e.g. "E_TIMEOUT", "UNKNOWN", "SUCCESSFUL"; "?" for a number that is not known.
inline const char *name(status of) noexcept { return paysvc_status_name(static_cast<int>(of)); }
inline const char *name(outcome of) noexcept { return paysvc_outcome_name(static_cast<int>(of)); }
inline const char *name(state of) noexcept { return paysvc_state_name(static_cast<int>(of)); }

namespace detail {
template <class T, void (PAYSVC_CDECL *free)(T *)> struct freer {
    void operator()(T *handle) const noexcept { free(handle); }
};
template <class T, void (PAYSVC_CDECL *free)(T *)> using handle = std::unique_ptr<T, freer<T, free>>;
} // namespace detail

/// The result of a call. One that was moved from, or never filled, has status E_ARGUMENT and outcome UNKNOWN.
class reply {
  public:
    reply() noexcept = default;
    /// Takes ownership of a handle of the C interface.
    explicit reply(paysvc_reply *owned) noexcept : handle_(owned) {}

    bool ok() const noexcept { return paysvc_reply_status(handle_.get()) == PAYSVC_OK; }
    paysvc::status status() const noexcept { return static_cast<paysvc::status>(paysvc_reply_status(handle_.get())); }
    /// What is known of the request: whether it may be repeated.
    paysvc::outcome outcome() const noexcept { return static_cast<paysvc::outcome>(paysvc_reply_outcome(handle_.get())); }
    /// Paid means outcome::confirmed and state::successful, both.
    paysvc::state state() const noexcept { return static_cast<paysvc::state>(paysvc_reply_state(handle_.get())); }
    /// 0: there was no answer.
    int http_status() const noexcept { return paysvc_reply_http_status(handle_.get()); }
    /// How many requests of this call were sent that may have changed something, each resend counted; a call that only reads
    /// counts how often it asked. What the library asks in between, e.g. with a journal, is not counted.
    int attempts() const noexcept { return paysvc_reply_attempts(handle_.get()); }
    /// How long to wait before trying again; negative: the service did not say.
    std::chrono::milliseconds retry_after() const noexcept {
        return std::chrono::milliseconds(paysvc_reply_retry_after_ms(handle_.get()));
    }
    /// The service's own code, or "".
    std::string code() const { return paysvc_reply_code(handle_.get()); }
    /// One line for a person; never a secret of the caller's.
    std::string message() const { return paysvc_reply_message(handle_.get()); }
    /// Always one JSON document: the service's own bytes, or a failure envelope of its form.
    std::string body() const { return std::string(paysvc_reply_body(handle_.get()), paysvc_reply_body_len(handle_.get())); }
    /// Names this call: the lines of the log have it too.
    std::string call_id() const { return paysvc_reply_call_id(handle_.get()); }

    /// Number by which the service finds the request in its own log, or "".
    std::string request_id() const { return paysvc_reply_request_id(handle_.get()); }

    /// Gets a value of the body by JSON pointer, e.g. "/data/mandateCode"; numbers as they are written in the JSON.
    /// Returns false, and leaves the text as it is, if the value is absent or null.
    bool get(const std::string &pointer, std::string &text) const {
        const char *found = paysvc_reply_get(handle_.get(), detail::c_text(pointer));
        if (found != nullptr) {
            text = found;
        }
        return found != nullptr;
    }
    /// As get(), in Windows-1252, to be shown or printed: what that lacks becomes "?".
    bool get_cp1252(const std::string &pointer, std::string &text) const {
        const char *found = paysvc_reply_get_cp1252(handle_.get(), detail::c_text(pointer));
        if (found != nullptr) {
            text = found;
        }
        return found != nullptr;
    }
    /// True if this is the recorded end of an earlier call with the same key, or for the same order: nothing was sent.
    bool replayed() const noexcept { return paysvc_reply_replayed(handle_.get()) != 0; }
    /// Returns the value, or the fallback if it is absent or null.
    std::string get_or(const std::string &pointer, std::string fallback) const {
        get(pointer, fallback);
        return fallback;
    }
    /// True only if this order is paid: confirmed, successful, and order, price (text such as "25.50", without the fee) and
    /// currency are these. "*" is not compared. An order that the answer does not name is the request's; a currency also as
    /// resolve() has proved it. Of webhook_verify() and order_wait() it is about what the service said. A refund or a payout
    /// is never paid.
    bool is_paid(const std::string &reference, const std::string &amount, const std::string &currency) const noexcept {
        return why_not_paid(reference, amount, currency)[0] == '\0';
    }
    /// Why is_paid() is false, in one line for a person; "" if it is true.
    const char *why_not_paid(const std::string &reference, const std::string &amount, const std::string &currency) const noexcept {
        const char *why = "";
        // A text with a NUL becomes one that nothing equals.
        paysvc_reply_is_paid(handle_.get(), detail::c_text(reference, "\n"), detail::c_text(amount, "\n"),
                             detail::c_text(currency, "\n"), &why);
        return why;
    }
    /// Of direct_debit_status(): true only if the service says that the mandate is active. False for a wording that the
    /// library does not know: message() has it.
    bool is_active() const noexcept { return paysvc_reply_is_active(handle_.get()) != 0; }
    /// For the functions of the C interface, e.g. paysvc_reply_name(). Freed with this reply.
    const paysvc_reply *handle() const noexcept { return handle_.get(); }

  private:
    detail::handle<paysvc_reply, paysvc_reply_free> handle_;
};

/// The reply of an endpoint, whose answer has named members.
template <class Answer> class reply_of : public reply {
  public:
    reply_of() noexcept = default;
    explicit reply_of(reply &&any) noexcept : reply(std::move(any)) {}

    /// Looks into this reply, or the one that it is moved to, which must outlive it. All its members are absent if this reply
    /// was moved from.
    Answer answer() const & { return Answer(static_cast<const reply &>(*this)); }
    Answer answer() const && = delete;
};

/// Timeout and cancel of a request; threads may share it.
class call {
  public:
    call() : handle_(paysvc_call_new()) {}
    /// The timeout is for the whole call, retries and waits included.
    explicit call(std::chrono::milliseconds timeout) : call() { set_timeout(timeout); }

    /// Sets the timeout of later requests with this token; zero or less: the client's own.
    void set_timeout(std::chrono::milliseconds timeout) const noexcept {
        const long long ms = timeout.count();
        paysvc_call_set_timeout_ms(handle_.get(), ms > INT_MAX ? INT_MAX : ms < 0 ? 0 : static_cast<int>(ms));
    }
    /// Receives the progress of a call of several steps: done of total, which is 0 if it is not known, and the step as JSON.
    using progress_function = std::function<int(std::size_t done, std::size_t total, const std::string &step)>;
    /// Sets the function for the progress of later calls with this token, which must outlive them. It runs on the thread that
    /// makes the call. Unless it returns PAYSVC_CONTINUE the call stops before its next step, also if it throws: then
    /// progress_failure() has the exception. An empty function ends that.
    void set_progress(progress_function progress) {
        if (!progress) {
            paysvc_call_set_progress(handle_.get(), nullptr, nullptr);
            return;
        }
        // A running call may still use the previous function: all of them live as long as the token.
        listeners_.push_back(std::unique_ptr<listener>(new listener(std::move(progress))));
        paysvc_call_set_progress(handle_.get(), &call::step, listeners_.back().get());
    }
#if PAYSVC_EXCEPTIONS
    /// What the progress function threw last; nullptr if it did not throw. The reply of the call is as good as ever.
    std::exception_ptr progress_failure() const {
        if (listeners_.empty()) {
            return nullptr;
        }
        const std::lock_guard<std::mutex> lock(listeners_.back()->mutex);
        return listeners_.back()->failure;
    }
#endif
    /// Keeps the lines of the log of later calls with this token, at most of this level: 1 (errors) to 4 (debug); 0: none.
    void keep_log(int level) const noexcept { paysvc_call_keep_log(handle_.get(), level); }
    /// Takes the oldest kept line, as JSON (see paysvc_call_next_log); false: none is left. Not while a call runs on another
    /// thread.
    bool next_log(std::string &line) const {
        const char *found = paysvc_call_next_log(handle_.get());
        if (found != nullptr) {
            line = found;
        }
        return found != nullptr;
    }
    /// Sets the header traceparent (W3C Trace Context) of later requests with this token; false if it is malformed.
    bool set_traceparent(const std::string &traceparent) const noexcept {
        return paysvc_call_set_traceparent(handle_.get(), detail::c_text(traceparent)) == PAYSVC_OK;
    }
    /// Gives the next request with this token an idempotency key, of 1 to 200 bytes: with a journal all requests with this key
    /// are one request, which is sent at most once, see paysvc_call_set_key(). The token then serves one request. False if the
    /// key is not accepted or the token has one: do not send the request.
    bool set_key(std::nothrow_t, const std::string &key) const noexcept {
        return paysvc_call_set_key(handle_.get(), detail::c_text(key, "\n")) == PAYSVC_OK;
    }
#if PAYSVC_EXCEPTIONS
    /// The same; throws std::invalid_argument instead.
    void set_key(const std::string &key) const {
        if (!set_key(std::nothrow, key)) {
            throw std::invalid_argument("set_key: a key has 1 to 200 bytes that neither begin nor end with a blank, without control or "
                                        "invisible characters, and a token has one key");
        }
    }
#endif
    /// Cancels, from any thread: the request returns promptly with E_CANCELLED, and so does every later one.
    void cancel() const noexcept { paysvc_call_cancel(handle_.get()); }

    /// No token: the client's own timeout, and no cancel.
    static call none() noexcept { return call(nullptr); }
    const paysvc_call *get() const noexcept { return handle_.get(); }

  private:
    /// A function for progress, and what it threw last.
    struct listener {
        explicit listener(progress_function function) : told(std::move(function)) {}
        progress_function told;
#if PAYSVC_EXCEPTIONS
        std::mutex mutex; // Threads may share the token.
        std::exception_ptr failure;
#endif
    };

    static int PAYSVC_CALLBACK step(void *userdata, std::size_t done, std::size_t total, const char *step_json) noexcept {
        listener &to = *static_cast<listener *>(userdata);
#if PAYSVC_EXCEPTIONS
        try {
            return to.told(done, total, step_json);
        } catch (...) { // An exception must not pass through C.
            const std::lock_guard<std::mutex> lock(to.mutex);
            to.failure = std::current_exception();
            return 0;
        }
#else
        return to.told(done, total, step_json);
#endif
    }

    explicit call(std::nullptr_t) noexcept {}
    // Members are destroyed in reverse order, so the handle is freed before the functions.
    std::vector<std::unique_ptr<listener>> listeners_;
    detail::handle<paysvc_call, paysvc_call_free> handle_;
};

/// A database that keeps the journal: one table with the primary key (key, seq), whose rows are never changed. Threads call its
/// functions at once. One that throws has failed, and then nothing that moves money is sent. They must return within the timeout.
/// Never write a row in a transaction of the program. paysvc.h tells more, at paysvc_store.
class store {
  public:
    /// What append() did.
    enum class appended { failed, done, exists };

    virtual ~store() = default;
    /// Inserts a row, which is durable on return: done. If there is a row with this key and seq: exists, and nothing is written.
    virtual appended append(const std::string &key, int seq, const std::string &row_json, std::chrono::milliseconds timeout) = 0;
    /// Gives `found` each row that the query asks for, as append() got it, until `found` returns false. False: it failed.
    virtual bool read(const std::string &query_json, std::chrono::milliseconds timeout,
                      const std::function<bool(const std::string &row_json)> &found) = 0;
};

namespace detail {
/// Passes the library's callbacks on to a store. An exception must not pass through C.
struct store_callbacks {
    static paysvc_store table() noexcept {
        paysvc_store made = paysvc_store();
        made.size = sizeof made;
        made.append = &append;
        made.read = &read;
        made.release = &release;
        return made;
    }

  private:
    /// Neither PAYSVC_STORE_DONE nor PAYSVC_STORE_EXISTS.
    static const int failed = 0;

    template <class Ask> static int guarded(Ask ask) noexcept {
#if PAYSVC_EXCEPTIONS
        try {
            return ask();
        } catch (...) {
            return failed;
        }
#else
        return ask();
#endif
    }
    static int PAYSVC_CALLBACK append(void *userdata, const char *key, int seq, const char *row_json, int timeout_ms) noexcept {
        return guarded([=]() -> int {
            switch (static_cast<store *>(userdata)->append(key, seq, row_json, std::chrono::milliseconds(timeout_ms))) {
            case store::appended::done:
                return PAYSVC_STORE_DONE;
            case store::appended::exists:
                return PAYSVC_STORE_EXISTS;
            default:
                return failed;
            }
        });
    }
    static int PAYSVC_CALLBACK read(void *userdata, const char *query_json, int timeout_ms, paysvc_sink *found) noexcept {
        return guarded([=]() -> int {
            const std::function<bool(const std::string &)> write = [found](const std::string &row) {
                return paysvc_sink_write(found, row.data(), row.size()) != 0;
            };
            const std::chrono::milliseconds timeout(timeout_ms);
            return static_cast<store *>(userdata)->read(query_json, timeout, write) ? PAYSVC_STORE_DONE : failed;
        });
    }
    static void PAYSVC_CALLBACK release(void *userdata) noexcept { delete static_cast<store *>(userdata); }
};
} // namespace detail

namespace detail {
/// What is kept of a request so that it can be resolved.
struct looked_up {
    std::string function;
    std::string request;
    bool charged;
};
looked_up kept_for(const std::string &function, const std::string &request);
} // namespace detail

/// A new reference that no other program and no other till makes: the prefix, "-", and 26 letters and digits. References are
/// ordered by time, and nobody can guess them. The prefix has at most 32 letters, digits, "-", "_" and "."; with another, or if
/// there is no randomness, the result is empty.
inline std::string reference_new(std::nothrow_t, const std::string &prefix = std::string()) {
    char text[128];
    const int length = paysvc_reference_new(detail::c_text(prefix, "\n"), text, sizeof text);
    return std::string(text, length > 0 ? static_cast<std::size_t>(length) : 0);
}

#if PAYSVC_EXCEPTIONS
/// The same; throws std::invalid_argument instead.
inline std::string reference_new(const std::string &prefix = std::string()) {
    const std::string made = reference_new(std::nothrow, prefix);
    if (made.empty()) {
        throw std::invalid_argument("reference_new: no reference can be made with this prefix");
    }
    return made;
}

class resolve_request;

/// A call whose status is not OK. Copies share one reply.
class error : public std::runtime_error {
  public:
    error(const std::string &what, paysvc::reply why, detail::looked_up of = detail::looked_up{"", "{}", true})
        : std::runtime_error(what), reply_(std::make_shared<paysvc::reply>(std::move(why))),
          looked_up_(std::make_shared<detail::looked_up>(std::move(of))) {}

    paysvc::status status() const noexcept { return reply_->status(); }
    /// What is known of the request: whether it may be repeated.
    paysvc::outcome outcome() const noexcept { return reply_->outcome(); }
    paysvc::state state() const noexcept { return reply_->state(); }
    int http_status() const noexcept { return reply_->http_status(); }
    int attempts() const noexcept { return reply_->attempts(); }
    /// Negative: the service did not say.
    std::chrono::milliseconds retry_after() const noexcept { return reply_->retry_after(); }
    std::string code() const { return reply_->code(); }
    std::string message() const { return reply_->message(); }
    std::string body() const { return reply_->body(); }
    std::string call_id() const { return reply_->call_id(); }
    /// What client::resolve() needs to find out what became of the request: client.resolve(why.look_up().wait(true)). It is a
    /// builder: attempts() and expect() may be added, and what is stored of it is its json(). It has no card data and no codes.
    /// Of an error of resolve() it is about the request that was resolved. Call attempts(why.attempts()) only if no other request
    /// was begun that may charge the order.
    resolve_request look_up() const;
    /// The function that was called, e.g. "order_create"; of an error of resolve() the one that was resolved.
    const std::string &endpoint() const noexcept { return looked_up_->function; }
    /// Lives as long as one of the copies of this error. Its answer: paysvc::order_pay_answer(error.reply()).
    const paysvc::reply &reply() const noexcept { return *reply_; }

  private:
    std::shared_ptr<const paysvc::reply> reply_;
    std::shared_ptr<const detail::looked_up> looked_up_;
};
/// No byte of the request left this process: repeat it freely.
struct not_sent : error {
    using error::error;
};
/// The service answered that it did not execute this request. An earlier request for the same order may have been
/// executed.
struct rejected : error {
    using error::error;
};
/// The service may or may not have executed the request: find out before you repeat it.
struct outcome_unknown : error {
    using error::error;
};

namespace detail {
/// Returns the reply if its status is OK; otherwise throws the exception for its outcome, which knows how to look the request up.
template <class Reply> Reply checked(const char *function, Reply got, const std::string &request = std::string()) {
    if (got.ok()) {
        return got;
    }
    const int status = static_cast<int>(got.status()), outcome = static_cast<int>(got.outcome());
    const std::string what = std::string(function) + ": " + paysvc_status_name(status) + ", outcome " +
                             paysvc_outcome_name(outcome) + ": " + got.message();
    looked_up of = kept_for(function, request);
    switch (outcome) {
    case PAYSVC_OUTCOME_NOT_SENT:
        throw not_sent(what, std::move(got), std::move(of));
    case PAYSVC_OUTCOME_REJECTED:
        throw rejected(what, std::move(got), std::move(of));
    default: // An outcome that this header does not know proves nothing.
        throw outcome_unknown(what, std::move(got), std::move(of));
    }
}
} // namespace detail
#endif

} // namespace paysvc

#include "paysvc_answers.hpp"
#include "paysvc_endpoints.hpp"

namespace paysvc {
namespace detail {
inline looked_up kept_for(const std::string &function, const std::string &request) {
    // What it held is wiped when it is freed.
    const std::unique_ptr<paysvc_json, decltype(&paysvc_json_free)> asked(paysvc_json_new(), &paysvc_json_free);
    paysvc_json_set_string(asked.get(), "/endpoint", function.c_str());
    paysvc_json_set_json(asked.get(), "/request", c_text(request));
    paysvc_reply *answered = nullptr;
    paysvc_invoke(nullptr, "look_up", paysvc_json_text(asked.get()), nullptr, &answered);
    const reply got(answered);
    looked_up found = {function, "{}", true};
    std::string charged;
    if (got.ok()) {
        got.get("/endpoint", found.function);
        got.get("/request", found.request);
        found.charged = !got.get("/charged", charged) || charged != "false";
    }
    return found;
}

inline resolve_request resolve_of(const looked_up &it) {
    resolve_request made;
    made.endpoint(it.function).request(raw(it.request));
    if (!it.charged) {
        made.charged(false);
    }
    return made;
}
} // namespace detail

/// What client::resolve() needs to find out what became of a request, e.g. look_up("order_create", request): the members by which
/// it is looked up, and charged(false) if it is an order that is known to charge nobody. Store its json() before you send the
/// request: it has no card data and no codes. `function` is the method's name; the request is a builder or JSON text.
inline resolve_request look_up(const std::string &function, const std::string &request) {
    return detail::resolve_of(detail::kept_for(function, request));
}

#if PAYSVC_EXCEPTIONS
inline resolve_request error::look_up() const { return detail::resolve_of(*looked_up_); }
#endif
} // namespace paysvc

namespace paysvc {

/// Configuration and connections. Threads may share it, except for set_log() and moves.
class client : public detail::endpoints<client> {
  public:
    /// Receives a line of the log, on the thread of the call: level 1 (error) to 4 (debug).
    using log_function = std::function<void(int level, const std::string &message)>;

#if PAYSVC_EXCEPTIONS
    /// Configured by the environment: PAYSVC_BASE_URL, PAYSVC_SECRET_KEY and so on, one variable for each setting.
    client() : client(nullptr, true) {}
    /// Configured by a config builder or JSON text. Opens no connection.
    explicit client(const std::string &config_json) : client(detail::c_text(config_json), true) {}
#endif
    /// The same without exceptions: unless the reply is OK, the client converts to false. With a library of another ABI the
    /// reply is never filled.
    client(std::nothrow_t, const std::string &config_json, reply &why) { make(detail::c_text(config_json), why); }
    client(std::nothrow_t, reply &why) { make(nullptr, why); }

    client(client &&) noexcept = default;
    /// Not the default one, which may lose the log functions of a client that is moved to itself.
    client &operator=(client &&from) noexcept {
        client moved(std::move(from));
        logs_.swap(moved.logs_);
        handle_.swap(moved.handle_);
        return *this;
    }

    explicit operator bool() const noexcept { return handle_ != nullptr; }

    /// Passes the log, up to this level, to a function; an empty function ends that. An exception that it throws goes no
    /// further. Returns false if the level is not 1 to 4.
    bool set_log(int level, log_function log) {
        if (!log) {
            return paysvc_client_set_log(handle_.get(), 0, nullptr, nullptr) == PAYSVC_OK;
        }
        // A call on another thread may still use the previous function: all of them live as long as the client.
        logs_.push_back(std::unique_ptr<log_function>(new log_function(std::move(log))));
        return paysvc_client_set_log(handle_.get(), level, &client::log_line, logs_.back().get()) == PAYSVC_OK;
    }

#if PAYSVC_EXCEPTIONS
    /// Keeps the journal in a database of the program, instead of in the file of the setting journal. Before the first call.
    /// The client deletes the store after its last use, on any thread.
    reply set_store(std::unique_ptr<store> keeps) const {
        return detail::checked("client_set_store", set_store(std::nothrow, std::move(keeps)));
    }
#endif
    reply set_store(std::nothrow_t, std::unique_ptr<store> keeps) const {
        if (!keeps) {
            paysvc_reply *got = nullptr;
            paysvc_client_set_store(handle_.get(), nullptr, nullptr, &got);
            return reply(got);
        }
        const paysvc_store callbacks = detail::store_callbacks::table();
        paysvc_reply *got = nullptr;
        if (paysvc_client_set_store(handle_.get(), &callbacks, keeps.get(), &got) == PAYSVC_OK) {
            keeps.release(); // The library calls the callback release.
        }
        return reply(got);
    }

#if PAYSVC_EXCEPTIONS
    /// Checks whether everything is there for the first sale: configuration, keys, connection, TLS, the service's answer and the
    /// clock. It moves no money and changes nothing. Throws the error of the first check that is not ok; body() of both has all:
    /// "/checks/0/check", "/checks/0/ok" and "/checks/0/message", which says what to do.
    reply check(const call &with = call::none()) const { return detail::checked("client_check", check(std::nothrow, with)); }
#endif
    reply check(std::nothrow_t, const call &with = call::none()) const {
        paysvc_reply *got = nullptr;
        paysvc_client_check(handle_.get(), with.get(), &got);
        return reply(got);
    }

#if PAYSVC_EXCEPTIONS
    /// Encrypts a payload without sending it: the reply's body is {"data":"<base64>"}.
    reply encrypt(const std::string &plaintext) const { return detail::checked("encrypt", encrypt(std::nothrow, plaintext)); }
#endif
    reply encrypt(std::nothrow_t, const std::string &plaintext) const {
        paysvc_reply *got = nullptr;
        paysvc_encrypt(handle_.get(), detail::c_text(plaintext), &got);
        return reply(got);
    }

#if PAYSVC_EXCEPTIONS
    /// Connects ahead, so that the next request that moves money does not wait for it: call it when the cashier begins. Sends
    /// no request: if it throws, nothing has happened, and that request connects by itself. The connection is used for
    /// 10 s, by one request; at most max_idle_connections are kept.
    reply warm(const call &with = call::none()) const { return detail::checked("client_warm", warm(std::nothrow, with)); }
#endif
    reply warm(std::nothrow_t, const call &with = call::none()) const {
        paysvc_reply *got = nullptr;
        paysvc_client_warm(handle_.get(), with.get(), &got);
        return reply(got);
    }

#if PAYSVC_EXCEPTIONS
    /// Finds out what became of the next request that is open in the journal, and moves no money: call it when the program
    /// starts, in a loop, and again every minute. key is the one to go on after, at first "", and receives the next one, or "" if
    /// none is left. The reply is about that key's request, whatever its outcome; its body names the claim in the object journal.
    /// Record it before the next call: its end is written when this client is called again with that key. Throws if the journal
    /// cannot be read; key is unchanged then. A damaged key is returned with PAYSVC_E_JOURNAL: go on after it.
    reply journal_next(std::string &key, const call &with = call::none()) const {
        const std::string after = key;
        reply found = journal_next(std::nothrow, key, with);
        return found.ok() || key != after ? std::move(found) : detail::checked("journal_next", std::move(found));
    }
#endif
    reply journal_next(std::nothrow_t, std::string &key, const call &with = call::none()) const {
        paysvc_reply *got = nullptr;
        std::string text = key;
        text.resize(key.size() + 1024);
        paysvc_journal_next(handle_.get(), &text[0], text.size(), with.get(), &got);
        key = text.c_str();
        return reply(got);
    }

    /// As paysvc::reference_new(), and the client remembers that it made the reference. With a journal, the first charge of an
    /// order asks the service for earlier attempts to pay it; an order with such a reference is charged without that. The
    /// client remembers its last 10,000. Without a journal the result is empty, too.
    std::string reference_new(std::nothrow_t, const std::string &prefix = std::string()) const {
        char text[128];
        const int length = paysvc_journal_reference_new(handle_.get(), detail::c_text(prefix, "\n"), text, sizeof text);
        return std::string(text, length > 0 ? static_cast<std::size_t>(length) : 0);
    }
#if PAYSVC_EXCEPTIONS
    /// The same; throws std::invalid_argument for the prefix, and std::logic_error without a journal.
    std::string reference_new(const std::string &prefix = std::string()) const {
        const std::string made = reference_new(std::nothrow, prefix);
        if (made.empty()) {
            paysvc::reference_new(prefix); // Throws if the prefix is wrong.
            throw std::logic_error("reference_new of a client needs a journal: configure journal, or call set_store");
        }
        return made;
    }
#endif

    /// Calls a function of the C interface with this client.
    template <class Function> reply perform(Function function, const std::string &request, const call &with) const {
        paysvc_reply *got = nullptr;
        function(handle_.get(), detail::c_text(request), with.get(), &got);
        return reply(got);
    }

  private:
#if PAYSVC_EXCEPTIONS
    client(const char *config_json, bool) {
        if (paysvc_abi() != PAYSVC_ABI) {
            throw not_sent("client: the libpaysvc found has ABI " + std::to_string(paysvc_abi()) +
                               ", this program was built for " + std::to_string(PAYSVC_ABI), reply());
        }
        reply why;
        make(config_json, why);
        if (!handle_) {
            detail::checked("client", std::move(why));
        }
    }
#endif
    void make(const char *config_json, reply &why) {
        paysvc_client *made = nullptr;
        paysvc_reply *got = nullptr;
        // Nothing of a library of another ABI is called: its replies could not be read.
        if (paysvc_abi() == PAYSVC_ABI) {
            paysvc_client_new(config_json, &made, &got);
        }
        handle_.reset(made);
        why = reply(got);
    }

    static void PAYSVC_CALLBACK log_line(void *userdata, int level, const char *message) noexcept {
#if PAYSVC_EXCEPTIONS
        try {
            (*static_cast<log_function *>(userdata))(level, message);
        } catch (...) { // An exception must not pass through C, and the log must not change the result of a call.
        }
#else
        (*static_cast<log_function *>(userdata))(level, message);
#endif
    }

    // Members are destroyed in reverse order, so the handle is freed before the log functions.
    std::vector<std::unique_ptr<log_function>> logs_;
    detail::handle<paysvc_client, paysvc_client_free> handle_;
};

} // namespace paysvc

#endif // PAYSVC_HPP
