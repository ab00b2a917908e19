/// libpaysvc for C++11 and newer: handles that free themselves, exceptions, and a builder for each request.
///
/// Header-only; a program includes this file alone. The rules at the top of paysvc.h apply. In addition:
/// - client, call and reply can be moved, not copied. A moved-from object acts like a null handle: the calls of
///   such a client return E_ARGUMENT and NOT_SENT.
/// - A method throws a paysvc::error unless the status is OK, so that nobody overlooks an UNKNOWN: catch outcome_unknown before
///   you repeat anything. With -fno-exceptions it returns the reply, as client::invoke() does; GCC and clang warn if it is dropped.
/// - Text is returned as std::string. Amounts are text in major units, e.g. "100.10", never floating point.
/// - Answers are structs: text, amounts and times (RFC 3339, in UTC) that are absent are "", other values are optional. each() of
///   a struct calls a function with the name and a reference of each field.
#ifndef PAYSVC_HPP
#define PAYSVC_HPP

#include <paysvc.h>

// Without <functional>, <memory> and <mutex>, which take as long to compile as this header itself.
#include <chrono>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// The name of an inline namespace: a program may link files that are compiled with exceptions and files that are not, and a
// linker must not take a method of one kind for that of the other.
#if defined(__cpp_exceptions) || defined(__EXCEPTIONS) || defined(_CPPUNWIND)
#define PAYSVC_EXCEPTIONS 1
#define PAYSVC_ERRORS errors_thrown
#else
#define PAYSVC_EXCEPTIONS 0
#define PAYSVC_ERRORS errors_returned
#endif

#if defined(__GNUC__)
#define PAYSVC_NODISCARD __attribute__((warn_unused_result))
#else
#include <atomic>
#define PAYSVC_NODISCARD
#endif
#if PAYSVC_EXCEPTIONS
#define PAYSVC_CHECKED
#else
#define PAYSVC_CHECKED PAYSVC_NODISCARD
#endif

namespace paysvc {
inline namespace PAYSVC_ERRORS {

class object;

/// JSON text that is inserted unchanged.
class raw {
  public:
    raw() : json_("null") {}
    explicit raw(std::string json) : json_(std::move(json)) {}
    raw(const object &value);
    const std::string &json() const { return json_; }

  private:
    std::string json_;
};

namespace detail {

/// A whole number, from any integer type: 7.5 and true do not compile.
class integer {
  public:
    template <class T, class = typename std::enable_if<std::is_integral<T>::value && !std::is_same<T, bool>::value>::type>
    integer(T value) : json(std::to_string(value)) {}
    std::string json;
};

/// A flag, from a bool: "false" does not compile.
class flag {
  public:
    template <class T, class = typename std::enable_if<std::is_same<T, bool>::value>::type> flag(T from) : value(from) {}
    bool value;
};

inline std::string quoted(const std::string &text) {
    static const char hex[] = "0123456789abcdef";
    std::string out = "\"";
    for (const char c : text) {
        const unsigned char byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (byte < 0x20) {
            out += "\\u00";
            out += hex[byte >> 4];
            out += hex[byte & 15];
        } else {
            out += c;
        }
    }
    return out += '"';
}

inline void append_utf8(std::string &out, unsigned long code) {
    int shift = code < 0x80 ? 0 : code < 0x800 ? 6 : code < 0x10000 ? 12 : 18;
    out += static_cast<char>((shift == 0 ? 0 : shift == 6 ? 0xC0 : shift == 12 ? 0xE0 : 0xF0) | (code >> shift));
    while ((shift -= 6) >= 0) {
        out += static_cast<char>(0x80 | ((code >> shift) & 0x3F));
    }
}

/// The text as C expects it. C would ignore what follows a NUL, so such a text is replaced by one that is not JSON, which
/// the library refuses.
inline const char *c_text(const std::string &text, const char *refused = "NUL") {
    return text.find('\0') == std::string::npos ? text.c_str() : refused;
}

/// Copies a text of C, if there is one.
inline bool assign(std::string &to, const char *text) {
    if (text != nullptr) {
        to = text;
    }
    return text != nullptr;
}

/// Throws std::invalid_argument unless it is good, which it returns.
inline bool accepted(bool good, const char *why) {
#if PAYSVC_EXCEPTIONS
    if (!good) {
        throw std::invalid_argument(why);
    }
#else
    static_cast<void>(why);
#endif
    return good;
}

} // namespace detail

/// A JSON string with this text, whatever it holds. For what somebody else wrote, such as the body of a webhook: raw(body) would
/// be read as members of the request.
inline raw quoted(const std::string &text) { return raw(detail::quoted(text)); }

/// Text in Windows-1252, of a till that knows no UTF-8, as UTF-8: request.description(from_cp1252(text)). The five bytes that are
/// undefined in Windows-1252 (81, 8D, 8F, 90 and 9D) stay as they are. They are not UTF-8, so the request is refused.
inline std::string from_cp1252(const std::string &text) {
    static const unsigned high[32] = {0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
                                      0x2039, 0x0152, 0, 0x017D, 0, 0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013,
                                      0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178};
    std::string out;
    for (const char c : text) {
        const unsigned byte = static_cast<unsigned char>(c);
        const unsigned code = byte < 0x80 || byte > 0x9F ? byte : high[byte - 0x80];
        code == 0 ? out.push_back(c) : detail::append_utf8(out, code);
    }
    return out;
}

/// A JSON object. Members are in the order in which they were first set; setting one again replaces its value.
class object {
  public:
    object() noexcept = default;
    object(const object &from) : object() {
        for (const entry *at = from.first_; at != nullptr; at = at->next) {
            put_json(at->name, at->json);
        }
    }
    object(object &&from) noexcept : first_(from.first_) { from.first_ = nullptr; }
    object &operator=(object from) noexcept {
        std::swap(first_, from.first_);
        return *this;
    }
    ~object() {
        while (first_ != nullptr) {
            leave_out(first_->name);
        }
    }

    std::string json() const {
        std::string out = "{";
        for (const entry *at = first_; at != nullptr; at = at->next) {
            out += (out.size() > 1 ? "," : "") + detail::quoted(at->name) + ':' + at->json;
        }
        return out += '}';
    }
    operator std::string() const { return json(); }

  protected:
    void put(const char *name, const std::string &value) { put_json(name, detail::quoted(value)); }
    void put(const char *name, const detail::integer &value) { put_json(name, value.json); }
    void put(const char *name, const detail::flag &value) { put_json(name, value.value ? "true" : "false"); }
    void put(const char *name, const raw &value) { put_json(name, value.json()); }
    void put(const char *name, const object &value) { put_json(name, value.json()); }
    template <class Element, class List> void put_list(const char *name, const List &elements) {
        std::string out = "[";
        for (const Element &element : elements) {
            out += (out.size() > 1 ? "," : "") + element.json();
        }
        put_json(name, out += ']');
    }
    void put_json(const std::string &name, const std::string &json) {
        entry **at = &first_;
        for (; *at != nullptr; at = &(*at)->next) {
            if ((*at)->name == name) {
                (*at)->json = json;
                return;
            }
        }
        *at = new entry{name, json, nullptr};
    }
    void leave_out(const std::string &name) noexcept {
        for (entry **at = &first_; *at != nullptr; at = &(*at)->next) {
            if ((*at)->name == name) {
                entry *const found = *at;
                *at = found->next;
                delete found;
                return;
            }
        }
    }

  private:
    /// A list of its own compiles faster than std::vector.
    struct entry {
        std::string name, json;
        entry *next;
    };
    entry *first_ = nullptr;
};

inline raw::raw(const object &value) : json_(value.json()) {}

/// A value that a response may lack: a number, a flag or an object.
template <class T> class optional {
  public:
    optional() = default;
    optional(T value) : value_(std::move(value)), has_value_(true) {}

    bool has_value() const noexcept { return has_value_; }
    /// Same as has_value(). Not for flags, where it would be taken for the value: use has_value() or value_or().
    template <class U = T, class = typename std::enable_if<!std::is_same<U, bool>::value>::type>
    explicit operator bool() const noexcept {
        return has_value_;
    }
    /// The value; without one 0, false or an object that lacks everything: ask has_value() first.
    const T &operator*() const noexcept { return value_; }
    const T *operator->() const noexcept { return &value_; }
    T value_or(T fallback) const { return has_value_ ? value_ : std::move(fallback); }

  private:
    T value_ = T();
    bool has_value_ = false;
};

/// A list of a response; one that is absent is empty.
template <class T> class list : public std::vector<T> {
  public:
    /// An element; past the end one that lacks everything.
    const T &operator[](std::size_t index) const {
        static const T none = T();
        return index < this->size() ? this->data()[index] : none;
    }
};

namespace detail {

/// Reads JSON that the library has written. Where it is anything else, nothing is read.
class json_reader {
  public:
    explicit json_reader(const char *text) : at_(text) {}

    /// Calls a function with the name of each member, whose value it reads or skips.
    template <class Member> void members(Member member) {
        for (const bool inside = begins('{'); inside && !take('}') && *at_ == '"'; take(',')) {
            std::string name;
            read(name);
            take(':');
            member(name);
        }
    }
    void read(std::string &to) {
        for (const bool inside = begins('"'); inside && !take('"') && *at_ != '\0';) {
            *at_ == '\\' ? escape(to) : to.push_back(*at_++);
        }
    }
    void read(std::int64_t &to) { to = std::strtoll(at_, nullptr, 10), skip(); }
    void read(bool &to) { to = *at_ == 't', skip(); }
    void read(paysvc::raw &to) {
        const char *const from = at_;
        skip();
        to = paysvc::raw(std::string(from, at_));
    }
    template <class T> void read(optional<T> &to) {
        T value = T();
        const bool is_there = *at_ != 'n' && *at_ != '"'; // Not null, nor text, which no T is.
        read(value);
        if (is_there) {
            to = std::move(value);
        }
    }
    template <class T> void read(list<T> &to) {
        for (const bool inside = begins('['); inside && !take(']') && *at_ != '}' && *at_ != '\0'; take(',')) {
            to.emplace_back();
            read(to.back());
        }
    }
    /// A newer library may write fields that are not known here.
    template <class Object> void read(Object &to) {
        members([&](const std::string &name) {
            field one = {*this, name, false};
            to.each(one);
            if (!one.is_read) {
                skip();
            }
        });
    }
    void skip() {
        int depth = 0;
        for (bool in_text = false; *at_ != '\0'; ++at_) {
            const bool opens = *at_ == '{' || *at_ == '[', closes = *at_ == '}' || *at_ == ']';
            if (*at_ == '"') {
                in_text = !in_text;
            } else if (in_text) {
                at_ += *at_ == '\\'; // An escaped character ends no string.
            } else if (depth == 0 && (closes || *at_ == ',')) {
                return;
            } else {
                depth += opens - closes;
            }
        }
    }

  private:
    struct field { // Reads into the field of that name.
        json_reader &from;
        const std::string &name;
        bool is_read;
        template <class T> void operator()(const char *known, T &to) {
            if (!is_read && name == known) {
                is_read = true;
                from.read(to);
            }
        }
    };
    bool take(char c) { return *at_ == c && (++at_, true); }
    /// Skips what begins otherwise.
    bool begins(char c) { return take(c) || (skip(), false); }
    /// The code unit of the escape that is there; 0 if none is.
    static unsigned long unit(const char *at) {
        return at[0] == '\\' && at[1] == 'u' ? std::strtoul(std::string(at + 2, 4).c_str(), nullptr, 16) : 0;
    }
    /// NUL and half of a surrogate pair stay as they are written, as for paysvc_reply_get().
    void escape(std::string &to) {
        const unsigned long code = unit(at_), low = code >> 10 == 0x36 ? unit(at_ + 6) : 0;
        if (low >> 10 == 0x37) {
            append_utf8(to, 0x10000 + ((code & 0x3FF) << 10) + (low & 0x3FF));
            at_ += 12;
        } else if (code != 0 && code >> 11 != 0x1B) {
            append_utf8(to, code);
            at_ += 6;
        } else if (*++at_ == 'u') {
            to += '\\';
        } else {
            const char c = *at_++;
            to += c == 'b' ? '\b' : c == 'f' ? '\f' : c == 'n' ? '\n' : c == 'r' ? '\r' : c == 't' ? '\t' : c;
        }
    }

    const char *at_;
};

/// Reads a field of a reply's JSON, unless that has the response of another function than this one.
template <class T> void read_field(const paysvc_reply *reply, const char *name, T &to, const char *answer_of = nullptr) {
    const char *const json = paysvc_reply_answer(reply);
    bool is_wanted = answer_of == nullptr;
    json_reader from(json == nullptr ? "" : json);
    from.members([&](const std::string &found) {
        std::string function;
        if (answer_of != nullptr && found == "answer_of") { // It stands before the response.
            from.read(function);
            is_wanted = function == answer_of;
        } else if (is_wanted && found == name) {
            from.read(to);
        } else {
            from.skip();
        }
    });
}

} // namespace detail

enum class status : int;
enum class outcome : int;
enum class state : int;

/// The name in paysvc.h without its prefix, e.g. "E_TIMEOUT", "UNKNOWN", "SUCCESSFUL"; "?" for a number that is not known.
inline const char *name(status of) noexcept { return paysvc_status_name(static_cast<int>(of)); }
inline const char *name(outcome of) noexcept { return paysvc_outcome_name(static_cast<int>(of)); }
inline const char *name(state of) noexcept { return paysvc_state_name(static_cast<int>(of)); }

namespace detail {
/// Owns a handle, or a list, as std::unique_ptr does.
template <class T, void (PAYSVC_CDECL *free)(T *)> class handle {
  public:
    explicit handle(T *owned = nullptr) noexcept : owned_(owned) {}
    handle(handle &&from) noexcept : owned_(from.release()) {}
    handle &operator=(handle &&from) noexcept {
        handle moved(std::move(from));
        std::swap(owned_, moved.owned_);
        return *this;
    }
    ~handle() { free(owned_); }
    T *get() const noexcept { return owned_; }
    T *release() noexcept {
        T *const owned = owned_;
        owned_ = nullptr;
        return owned;
    }

  private:
    T *owned_;
};

/// A counter that threads share. <atomic> would add a tenth to the time that this header takes to compile.
struct counter {
#if defined(__GNUC__)
    long add(long by) noexcept { return __atomic_add_fetch(&count, by, __ATOMIC_ACQ_REL); }
    long count;
#else
    long add(long by) noexcept { return count += by; }
    std::atomic<long> count;
#endif
    explicit counter(long from) noexcept : count(from) {}
};

/// A function of the program that C calls, and the ones before it: a call on another thread may still use them.
struct listener {
    virtual ~listener() = default;
    listener *earlier = nullptr;
#if PAYSVC_EXCEPTIONS
    /// Keeps what the function threw last, and returns that.
    std::exception_ptr failure(std::exception_ptr thrown = nullptr) noexcept {
        while (users_.add(1) != 1) { // A lock, held for a few instructions.
            users_.add(-1);
        }
        if (thrown != nullptr) {
            thrown_ = thrown;
        }
        thrown = thrown_;
        users_.add(-1);
        return thrown;
    }

  private:
    counter users_{0};
    std::exception_ptr thrown_;
#endif
};
template <class Function> struct listener_of : listener {
    explicit listener_of(Function told) : function(std::move(told)) {}
    Function function;
};
inline void PAYSVC_CDECL free_listeners(listener *last) {
    while (last != nullptr) {
        listener *const earlier = last->earlier;
        delete last;
        last = earlier;
    }
}
/// The function that C calls now, before those that it called earlier.
struct listeners : handle<listener, free_listeners> {
    template <class Function> listener *add(Function function) {
        listener *const added = new listener_of<Function>(std::move(function));
        added->earlier = release();
        static_cast<handle &>(*this) = handle(added);
        return added;
    }
};

} // namespace detail

/// The result of a call. One that was moved from, or never filled, has status E_ARGUMENT and outcome UNKNOWN.
class reply {
  public:
    reply() noexcept = default;
    /// Takes ownership of a handle of the C interface.
    explicit reply(paysvc_reply *owned) noexcept : handle_(owned) {}

    bool ok() const noexcept { return paysvc_reply_status(handle_.get()) == PAYSVC_OK; }
    paysvc::status status() const noexcept { return static_cast<paysvc::status>(paysvc_reply_status(handle_.get())); }
    /// Returns what is known about the request: whether it may be repeated.
    paysvc::outcome outcome() const noexcept { return static_cast<paysvc::outcome>(paysvc_reply_outcome(handle_.get())); }
    /// Paid means outcome::confirmed and state::successful, both.
    paysvc::state state() const noexcept { return static_cast<paysvc::state>(paysvc_reply_state(handle_.get())); }
    /// 0: there was no response.
    int http_status() const noexcept { return paysvc_reply_http_status(handle_.get()); }
    /// The number of sent requests of this call that may have changed something, resends included; for a read-only call, the
    /// number of its queries. Queries that the library makes in between, e.g. with a journal, are not counted.
    int attempts() const noexcept { return paysvc_reply_attempts(handle_.get()); }
    /// The time to wait before trying again; negative: the service did not say.
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
        return detail::assign(text, paysvc_reply_get(handle_.get(), detail::c_text(pointer)));
    }
    /// Like get(), in Windows-1252, to be shown or printed: a character that it lacks becomes "?".
    bool get_cp1252(const std::string &pointer, std::string &text) const {
        return detail::assign(text, paysvc_reply_get_cp1252(handle_.get(), detail::c_text(pointer)));
    }
    /// True if this is the recorded end of an earlier call with the same key, or for the same order: nothing was sent.
    bool replayed() const noexcept { return paysvc_reply_replayed(handle_.get()) != 0; }
    /// Returns the value, or the fallback if it is absent or null.
    std::string get_or(const std::string &pointer, std::string fallback) const {
        get(pointer, fallback);
        return fallback;
    }
    /// True only if this order is paid: confirmed, successful, and order, price (text such as "25.50", without the fee) and
    /// currency are these. "*" is not compared. An order that the response does not name is the request's; a currency also as
    /// resolve() has proved it. For webhook_verify() and order_wait() it is about the service's response. A refund or a payout
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
    /// For direct_debit_status(): true only if the service reports the mandate as active. False for a wording that the
    /// library does not know: message() has it.
    bool is_active() const noexcept { return paysvc_reply_is_active(handle_.get()) != 0; }
    /// JSON pointers of what the body has in the place of a field of the response that is no such value: the field is absent. With
    /// "" nothing of the body can be read. A template, which is compiled only where it is used.
    template <class Text = std::string> list<Text> unreadable() const {
        list<Text> all;
        if (handle() != nullptr && paysvc_reply_answer(handle()) == nullptr) {
            all.emplace_back();
        }
        detail::read_field(handle(), "unreadable", all);
        return all;
    }
    /// For the functions of the C interface, e.g. paysvc_reply_name(). Freed with this reply.
    const paysvc_reply *handle() const noexcept { return handle_.get(); }

  private:
    detail::handle<paysvc_reply, paysvc_reply_free> handle_;
};

/// The reply of an endpoint, whose response is a struct.
template <class Answer> class reply_of : public reply {
  public:
    reply_of() noexcept = default;
    explicit reply_of(reply &&any) noexcept : reply(std::move(any)) {}

    /// Reads the response, all of it: keep it rather than ask again. It is the program's own and may outlive this reply.
    Answer answer() const { return Answer(*this); }
};

/// Timeout and cancel of a request; threads may share it.
class call {
  public:
    call() : handle_(paysvc_call_new()) {}
    /// The timeout is for the whole call, retries and waits included.
    explicit call(std::chrono::milliseconds timeout) : call() { set_timeout(timeout); }
    call(call &&) noexcept = default;
    call &operator=(call &&from) noexcept { // The functions of the old token outlive its handle.
        call moved(std::move(from));
        std::swap(listeners_, moved.listeners_);
        std::swap(handle_, moved.handle_);
        return *this;
    }

    /// Sets the timeout of later requests with this token; zero or less: the client's own.
    void set_timeout(std::chrono::milliseconds timeout) const noexcept {
        const long long ms = timeout.count();
        paysvc_call_set_timeout_ms(handle_.get(), ms > INT_MAX ? INT_MAX : ms < 0 ? 0 : static_cast<int>(ms));
    }
    /// Sets the function for the progress of later calls with this token, which must outlive them: int(std::size_t done,
    /// std::size_t total, const std::string &step), with a total of 0 if it is not known, and the step as JSON. It runs on the
    /// thread that makes the call. Unless it returns PAYSVC_CONTINUE the call stops before its next step, also if it throws: then
    /// progress_failure() has the exception. nullptr ends that.
    template <class Function> void set_progress(Function progress) {
        paysvc_call_set_progress(handle_.get(), &call::step<Function>, listeners_.add(std::move(progress)));
    }
    void set_progress(std::nullptr_t) { paysvc_call_set_progress(handle_.get(), nullptr, nullptr); }
#if PAYSVC_EXCEPTIONS
    /// The last exception of the progress function; nullptr if it did not throw. The reply of the call is as good as ever.
    std::exception_ptr progress_failure() const { return listeners_.get() == nullptr ? nullptr : listeners_.get()->failure(); }
#endif
    /// Keeps the lines of the log of later calls with this token, at most of this level: 1 (errors) to 4 (debug); 0: none.
    void keep_log(int level) const noexcept { paysvc_call_keep_log(handle_.get(), level); }
    /// Takes the oldest kept line, as JSON (see paysvc_call_next_log); false: none is left. Not while a call runs on another
    /// thread.
    bool next_log(std::string &line) const { return detail::assign(line, paysvc_call_next_log(handle_.get())); }
    /// Sets the header traceparent (W3C Trace Context) of later requests with this token; false if it is malformed.
    bool set_traceparent(const std::string &traceparent) const noexcept {
        return paysvc_call_set_traceparent(handle_.get(), detail::c_text(traceparent)) == PAYSVC_OK;
    }
    /// Gives the next request with this token an idempotency key, of 1 to 200 bytes: with a journal all requests with this key
    /// are one request, which is sent at most once, see paysvc_call_set_key(). The token then serves one request. If the key is
    /// not accepted, or the token has one, it throws std::invalid_argument; without exceptions it returns false: do not send the
    /// request.
    PAYSVC_CHECKED bool set_key(const std::string &key) const {
        return detail::accepted(paysvc_call_set_key(handle_.get(), detail::c_text(key, "\n")) == PAYSVC_OK,
                                "set_key: a key has 1 to 200 bytes that neither begin nor end with a blank, without control or "
                                "invisible characters, and a token has one key");
    }
    /// Cancels, from any thread: the request returns promptly with E_CANCELLED, and so does every later one.
    void cancel() const noexcept { paysvc_call_cancel(handle_.get()); }

    /// No token: the client's own timeout, and no cancel.
    static call none() noexcept { return call(nullptr); }
    const paysvc_call *get() const noexcept { return handle_.get(); }

  private:
    template <class Function>
    static int PAYSVC_CALLBACK step(void *userdata, std::size_t done, std::size_t total, const char *step_json) noexcept {
        detail::listener *const to = static_cast<detail::listener *>(userdata);
#if PAYSVC_EXCEPTIONS
        try {
            return static_cast<detail::listener_of<Function> *>(to)->function(done, total, step_json);
        } catch (...) { // An exception must not pass through C.
            to->failure(std::current_exception());
            return 0;
        }
#else
        return static_cast<detail::listener_of<Function> *>(to)->function(done, total, step_json);
#endif
    }

    explicit call(std::nullptr_t) noexcept {}
    // Members are destroyed in reverse order, so the handle is freed before the functions.
    detail::listeners listeners_;
    detail::handle<paysvc_call, paysvc_call_free> handle_;
};

/// A database that keeps the journal: one table with the primary key (key, seq), whose rows are never changed. Threads call its
/// functions at once. One that throws has failed, and then nothing that moves money is sent. They must return within the timeout.
/// Never write a row in a transaction of the program. See paysvc_store in paysvc.h.
class store {
  public:
    /// The result of append(): the row is inserted and durable; or a row with this key and seq exists, and nothing is written.
    enum class appended { failed = 0, done = PAYSVC_STORE_DONE, exists = PAYSVC_STORE_EXISTS };
    /// Where read() puts the rows: found(row_json), until that returns false.
    class rows {
      public:
        explicit rows(paysvc_sink *sink) noexcept : sink_(sink) {}
        bool operator()(const std::string &row_json) const {
            return paysvc_sink_write(sink_, row_json.data(), row_json.size()) != 0;
        }

      private:
        paysvc_sink *sink_;
    };

    virtual ~store() = default;
    virtual appended append(const std::string &key, int seq, const std::string &row_json, std::chrono::milliseconds timeout) = 0;
    /// Gives `found` each row that the query asks for, as append() got it. False: it failed.
    virtual bool read(const std::string &query_json, std::chrono::milliseconds timeout, const rows &found) = 0;
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
    template <class Ask> static int guarded(Ask ask) noexcept {
#if PAYSVC_EXCEPTIONS
        try {
            return ask();
        } catch (...) {
            return static_cast<int>(store::appended::failed);
        }
#else
        return ask();
#endif
    }
    static int PAYSVC_CALLBACK append(void *userdata, const char *key, int seq, const char *row_json, int timeout_ms) noexcept {
        return guarded([=] {
            return static_cast<int>(
                static_cast<store *>(userdata)->append(key, seq, row_json, std::chrono::milliseconds(timeout_ms)));
        });
    }
    static int PAYSVC_CALLBACK read(void *userdata, const char *query_json, int timeout_ms, paysvc_sink *found) noexcept {
        return guarded([=] {
            const std::chrono::milliseconds timeout(timeout_ms);
            return static_cast<store *>(userdata)->read(query_json, timeout, store::rows(found)) ? PAYSVC_STORE_DONE : 0;
        });
    }
    static void PAYSVC_CALLBACK release(void *userdata) noexcept { delete static_cast<store *>(userdata); }
};
} // namespace detail

/// A new reference that no other program and no other till makes: the prefix, "-", and 26 letters and digits. References are
/// ordered by time, and nobody can guess them. The prefix has at most 32 letters, digits, "-", "_" and "."; with another, or if
/// there is no randomness, it throws std::invalid_argument; without exceptions the result is empty.
inline std::string reference_new(const std::string &prefix = std::string()) {
    char text[128];
    const int length = paysvc_reference_new(detail::c_text(prefix, "\n"), text, sizeof text);
    detail::accepted(length > 0, "reference_new: no reference can be made with this prefix");
    return length > 0 ? text : std::string();
}

#if PAYSVC_EXCEPTIONS
class resolve_request;

/// A call whose status is not OK. Copies share one reply.
class error : public std::runtime_error {
  public:
    /// `look_up` is the reply that has what resolve() needs.
    error(const std::string &what, paysvc::reply why, paysvc::reply look_up, const std::string &function)
        : std::runtime_error(what), shared_(new shared(std::move(why), std::move(look_up), function)) {
        shared_->look_up.get("/endpoint", shared_->endpoint);
    }
    error(const error &from) noexcept : std::runtime_error(from), shared_(from.shared_) { shared_->owners.add(1); }
    error &operator=(const error &from) noexcept {
        std::runtime_error::operator=(from);
        from.shared_->owners.add(1);
        release();
        shared_ = from.shared_;
        return *this;
    }
    ~error() noexcept override { release(); }

    paysvc::status status() const noexcept { return reply().status(); }
    /// Returns what is known about the request: whether it may be repeated.
    paysvc::outcome outcome() const noexcept { return reply().outcome(); }
    std::string message() const { return reply().message(); }
    /// The argument for client::resolve(), which finds out what became of the request:
    /// client.resolve(why.look_up().wait(true)). It is a builder: attempts() and expect() may be added; store its json(). It
    /// has no card data and no codes. For an error of resolve() it is about the request that was resolved. Call
    /// attempts(why.reply().attempts()) only if no other request was begun that may charge the order.
    resolve_request look_up() const;
    /// The function that was called, e.g. "order_create"; of an error of resolve() the one that was resolved.
    const std::string &endpoint() const noexcept { return shared_->endpoint; }
    /// Lives as long as one of the copies of this error. Its response: paysvc::order_pay_answer(error.reply()).
    const paysvc::reply &reply() const noexcept { return shared_->why; }

  private:
    struct shared {
        shared(paysvc::reply got, paysvc::reply found, const std::string &function)
            : why(std::move(got)), look_up(std::move(found)), endpoint(function) {}
        detail::counter owners{1};
        paysvc::reply why, look_up;
        std::string endpoint;
    };
    void release() noexcept {
        if (shared_->owners.add(-1) == 0) {
            delete shared_;
        }
    }
    shared *shared_;
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
#endif

namespace detail {
/// The reply that has what is kept of a request so that it can be resolved.
inline reply look_up(const std::string &function, const std::string &request) {
    const handle<paysvc_json, paysvc_json_free> asked(paysvc_json_new()); // Its content is wiped when it is freed.
    paysvc_json_set_string(asked.get(), "/endpoint", function.c_str());
    paysvc_json_set_json(asked.get(), "/request", c_text(request));
    paysvc_reply *got = nullptr;
    paysvc_invoke(nullptr, "look_up", paysvc_json_text(asked.get()), nullptr, &got);
    return reply(got);
}

#if PAYSVC_EXCEPTIONS
[[noreturn]] inline void raise(const char *function, int outcome, reply got, const std::string &request) {
    const std::string what = std::string(function) + ": " + paysvc_status_name(static_cast<int>(got.status())) + ", outcome " +
                             paysvc_outcome_name(outcome) + ": " + got.message();
    reply of = look_up(function, request);
    switch (outcome) {
    case PAYSVC_OUTCOME_NOT_SENT:
        throw not_sent(what, std::move(got), std::move(of), function);
    case PAYSVC_OUTCOME_REJECTED:
        throw rejected(what, std::move(got), std::move(of), function);
    default: // An outcome that this header does not know proves nothing.
        throw outcome_unknown(what, std::move(got), std::move(of), function);
    }
}
#endif
/// Returns the reply if its status is OK; otherwise throws the exception for its outcome, with the look-up of the request.
inline reply checked(const char *function, reply got, const std::string &request = std::string()) {
#if PAYSVC_EXCEPTIONS
    if (!got.ok()) {
        const int outcome = static_cast<int>(got.outcome());
        raise(function, outcome, std::move(got), request);
    }
#else
    static_cast<void>(function), static_cast<void>(request);
#endif
    return got;
}

/// A client without the methods of the endpoints.
class client_base {
  public:
    /// Configured by the environment: PAYSVC_BASE_URL, PAYSVC_SECRET_KEY and so on, one variable for each setting.
    client_base() { open(nullptr); }
    /// Configured by a config builder or JSON text. Opens no connection. Without exceptions: if that fails, the client converts
    /// to false, creation() has the reason, and each call returns E_ARGUMENT and NOT_SENT.
    explicit client_base(const std::string &config_json) { open(c_text(config_json)); }
    client_base(client_base &&) noexcept = default;
    client_base &operator=(client_base &&from) noexcept { // The functions of the old client outlive its handle.
        client_base moved(std::move(from));
        std::swap(logs_, moved.logs_);
        std::swap(handle_, moved.handle_);
        std::swap(creation_, moved.creation_);
        return *this;
    }

    explicit operator bool() const noexcept { return handle_.get() != nullptr; }
    /// The reply of the constructor. With a library of another ABI it is never filled.
    const reply &creation() const noexcept { return creation_; }

    /// Passes the log, up to this level, to a function void(int level, const std::string &message), on the thread of the call:
    /// level 1 (error) to 4 (debug). An exception that it throws goes no further. Returns false if the level is not 1 to 4.
    template <class Function> bool set_log(int level, Function log) {
        return paysvc_client_set_log(handle_.get(), level, &log_line<Function>, logs_.add(std::move(log))) == PAYSVC_OK;
    }
    /// Ends that.
    bool set_log(int, std::nullptr_t) { return paysvc_client_set_log(handle_.get(), 0, nullptr, nullptr) == PAYSVC_OK; }

    /// Calls a function of the C interface by its name without paysvc_, e.g. "order_refund", and returns the reply whatever its
    /// status is. An unknown name is E_ARGUMENT. The request is a builder or JSON text.
    PAYSVC_NODISCARD reply invoke(const char *function, const std::string &request, const call &with = call::none()) const {
        paysvc_reply *got = nullptr;
        paysvc_invoke(handle_.get(), function, c_text(request), with.get(), &got);
        return reply(got);
    }

    /// Keeps the journal in a database of the program, instead of in the file of the setting journal. Before the first call.
    /// The client deletes the store, of a std::unique_ptr, after its last use, on any thread.
    template <class Owner> PAYSVC_CHECKED reply set_store(Owner keeps) const {
        store *const kept = keeps.get();
        const paysvc_store callbacks = store_callbacks::table();
        paysvc_reply *got = nullptr;
        if (paysvc_client_set_store(handle_.get(), kept == nullptr ? nullptr : &callbacks, kept, &got) == PAYSVC_OK) {
            keeps.release(); // The library calls the callback release.
        }
        return checked("client_set_store", reply(got));
    }
    /// Checks whether everything is there for the first sale: configuration, keys, connection, TLS, the service's response and the
    /// clock. It moves no money and changes nothing. Throws the error of the first check that is not ok; body() of both has all:
    /// "/checks/0/check", "/checks/0/ok" and "/checks/0/message", which has the remedy.
    PAYSVC_CHECKED reply check(const call &with = call::none()) const { return send("client_check", "{}", with); }
    /// Encrypts a payload without sending it: the reply's body is {"data":"<base64>"}.
    PAYSVC_CHECKED reply encrypt(const std::string &plaintext) const { return checked("encrypt", invoke("encrypt", plaintext)); }
    /// Connects ahead, so that the next request that moves money does not wait for it: call it when the cashier begins. Sends
    /// no request: if it fails, nothing has happened, and that request connects by itself. The connection is used for
    /// 10 s, by one request; at most max_idle_connections are kept.
    PAYSVC_CHECKED reply warm(const call &with = call::none()) const { return send("client_warm", "{}", with); }
    /// Finds out what became of the next request that is open in the journal, and moves no money: call it when the program
    /// starts, in a loop, and again every minute. key is the one to go on after, at first "", and receives the next one, or "" if
    /// none is left. The reply is about that key's request, whatever its outcome; its body names the claim in the object journal.
    /// Record it before the next call: its end is written when this client is called again with that key. Throws if the journal
    /// cannot be read; key is unchanged then. A damaged key is returned with PAYSVC_E_JOURNAL: go on after it.
    PAYSVC_CHECKED reply journal_next(std::string &key, const call &with = call::none()) const {
        const std::string after = key;
        reply found = invoke("journal_next", "{\"after\":" + quoted(key) + '}', with);
        found.get("/key", key);
        return found.ok() || key != after ? std::move(found) : checked("journal_next", std::move(found));
    }
    /// As paysvc::reference_new(), and the client remembers that it made the reference. With a journal, the first charge of an
    /// order asks the service for earlier attempts to pay it; an order with such a reference is charged without that. The
    /// client remembers its last 10,000. Without a journal it throws std::logic_error, and without exceptions the result is empty.
    std::string reference_new(const std::string &prefix = std::string()) const {
        char text[128];
        const int length = paysvc_journal_reference_new(handle_.get(), c_text(prefix, "\n"), text, sizeof text);
#if PAYSVC_EXCEPTIONS
        if (length <= 0) {
            paysvc::reference_new(prefix); // Throws if the prefix is wrong.
            throw std::logic_error("reference_new of a client needs a journal: configure journal, or call set_store");
        }
#endif
        return length > 0 ? text : std::string();
    }

  protected:
    reply send(const char *function, const std::string &request, const call &with) const {
        return checked(function, invoke(function, request, with), request);
    }

  private:
    void open(const char *config_json) {
        paysvc_client *made = nullptr;
        paysvc_reply *got = nullptr;
        // Nothing of a library of another ABI is called: its replies could not be read.
        if (paysvc_abi() == PAYSVC_ABI) {
            paysvc_client_new(config_json, &made, &got);
        }
        handle_ = handle<paysvc_client, paysvc_client_free>(made);
        creation_ = reply(got);
#if PAYSVC_EXCEPTIONS
        if (paysvc_abi() != PAYSVC_ABI) {
            throw not_sent("client: the libpaysvc found has ABI " + std::to_string(paysvc_abi()) +
                               ", this program was built for " + std::to_string(PAYSVC_ABI), reply(), reply(), "client");
        }
        if (made == nullptr) {
            checked("client", std::move(creation_));
        }
#endif
    }

    template <class Function>
    static void PAYSVC_CALLBACK log_line(void *userdata, int level, const char *message) noexcept {
        Function &told = static_cast<listener_of<Function> *>(static_cast<listener *>(userdata))->function;
#if PAYSVC_EXCEPTIONS
        try {
            told(level, message);
        } catch (...) { // An exception must not pass through C, and the log must not change the result of a call.
        }
#else
        told(level, message);
#endif
    }

    // Members are destroyed in reverse order, so the handle is freed before the log functions.
    listeners logs_;
    handle<paysvc_client, paysvc_client_free> handle_;
    reply creation_;
};
} // namespace detail

} // namespace PAYSVC_ERRORS
} // namespace paysvc

#include "paysvc_generated.hpp"

namespace paysvc {
inline namespace PAYSVC_ERRORS {

namespace detail {
inline resolve_request resolve_of(const reply &found, std::string function) {
    std::string request = "{}";
    found.get("/endpoint", function);
    found.get("/request", request);
    resolve_request made;
    made.endpoint(function).request(raw(request));
    if (found.get_or("/charged", "") == "false") {
        made.charged(false);
    }
    return made;
}
} // namespace detail

/// The argument for client::resolve() about a request, e.g. look_up("order_create", request): the fields by which the request
/// is looked up, and charged(false) if it is an order that is known to charge nobody. Store its json() before you send the
/// request: it has no card data and no codes. `function` is the method's name; the request is a builder or JSON text.
inline resolve_request look_up(const std::string &function, const std::string &request) {
    return detail::resolve_of(detail::look_up(function, request), function);
}

#if PAYSVC_EXCEPTIONS
inline resolve_request error::look_up() const { return detail::resolve_of(shared_->look_up, shared_->endpoint); }
#endif

} // namespace PAYSVC_ERRORS
} // namespace paysvc

#endif // PAYSVC_HPP
