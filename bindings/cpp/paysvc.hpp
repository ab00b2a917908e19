/// libpaysvc for C++11 and newer: handles that free themselves, exceptions, and a builder for each request.
///
/// Header-only; a program includes this file alone. The rules at the top of paysvc.h apply. In addition:
/// - client, call and reply can be moved, not copied. A moved-from object acts like a null handle: the calls of
///   such a client return E_ARGUMENT and NOT_SENT.
/// - A method throws a paysvc::error unless the status is OK, so that nobody overlooks an UNKNOWN: catch outcome_unknown before
///   you repeat anything. With -fno-exceptions it returns the reply, as client::invoke() does; GCC and clang warn if it is dropped.
/// - Text is returned as std::string. Amounts are text in major units, e.g. "100.10", never floating point.
#ifndef PAYSVC_HPP
#define PAYSVC_HPP

#include <paysvc.h>

// Without <functional>, <memory>, <mutex> and <vector>, which take as long to compile as this header itself.
#include <chrono>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

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
        if (byte < 0x80 || code == 0) {
            out += c;
        } else {
            out += static_cast<char>(code < 0x800 ? 0xC0 | (code >> 6) : 0xE0 | (code >> 12));
            out += code < 0x800 ? std::string() : std::string(1, static_cast<char>(0x80 | ((code >> 6) & 0x3F)));
            out += static_cast<char>(0x80 | (code & 0x3F));
        }
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

/// A time of an answer. One without a zone is read as UTC: the service documents that for one member, and no zone for the
/// others.
struct time_value {
    /// Since 1970-01-01T00:00:00Z; before it: negative.
    long long seconds;
    /// After these seconds: 0 to 999999999.
    long nanoseconds;

    /// The nearest time that the clock can hold: many clocks end in the year 2262.
    std::chrono::system_clock::time_point time_point() const {
        using clock = std::chrono::system_clock;
        // One second less at each end, for the nanoseconds.
        const long long last = std::chrono::duration_cast<std::chrono::seconds>(clock::duration::max()).count() - 1;
        if (seconds > last || seconds < -last) {
            return seconds > 0 ? clock::time_point::max() : clock::time_point::min();
        }
        return clock::time_point(std::chrono::duration_cast<clock::duration>(std::chrono::seconds(seconds)) +
                                 std::chrono::duration_cast<clock::duration>(std::chrono::nanoseconds(nanoseconds)));
    }
};

namespace detail {
/// What came of reading a member.
enum class parsed { value, absent, unreadable };

/// The name of a JSON type.
inline const char *json_type_name(int type) noexcept {
    static const char *const names[] = {"absent", "null", "bool", "number", "string", "array", "object"};
    return names[type >= PAYSVC_JSON_NULL && type <= PAYSVC_JSON_OBJECT ? type : PAYSVC_JSON_ABSENT];
}
} // namespace detail

/// A member of an answer: a value, nothing, or something that cannot be read as a T.
///
///     const paysvc::value<std::string> fee = answer.data().fee();
///     if (fee) { use(*fee); } else if (!fee.readable()) { log(fee.found()); }
template <class T> class value {
  public:
    /// Absent.
    value() : value(PAYSVC_JSON_ABSENT, detail::parsed::absent) {}
    /// Of that JSON type.
    value(int found, detail::parsed result, T read = T()) : value_(std::move(read)), found_(found), result_(result) {}

    /// Whether the answer has this member. One that is null counts as absent, and so does a blank text where a number, a
    /// flag or a time belongs.
    bool present() const noexcept { return result_ != detail::parsed::absent; }
    /// False if there is something that is no T; get() then gives an empty value.
    bool readable() const noexcept { return result_ != detail::parsed::unreadable; }
    /// Whether there is a value: present and readable.
    bool has_value() const noexcept { return result_ == detail::parsed::value; }
    /// The same as has_value(). Not for flags, where it would be taken for the value: use has_value() or value_or().
    template <class U = T, class = typename std::enable_if<!std::is_same<U, bool>::value>::type>
    explicit operator bool() const noexcept {
        return has_value();
    }

    /// The value; without one an empty text, 0 or false: ask has_value() first.
    const T &get() const & noexcept { return value_; }
    T get() && { return std::move(value_); }
    const T &operator*() const & noexcept { return value_; }
    T operator*() && { return std::move(value_); }
    const T *operator->() const noexcept { return &value_; }
    /// The value, or the fallback if it is absent or unreadable.
    T value_or(T fallback) const & { return has_value() ? value_ : std::move(fallback); }
    T value_or(T fallback) && { return has_value() ? std::move(value_) : std::move(fallback); }

    /// The JSON type of what is there, or of what stands in place of an object around it: "string", "null", "absent".
    const char *found() const noexcept { return detail::json_type_name(found_); }

  private:
    T value_;
    int found_;
    detail::parsed result_;
};

namespace detail {

/// A part of a text.
struct characters {
    const char *begin, *end;
    bool empty() const { return begin == end; }
    std::size_t size() const { return static_cast<std::size_t>(end - begin); }
    /// Takes this character off the front, if it is there.
    bool take(char c) { return !empty() && *begin == c && (++begin, true); }
    /// Takes the digits off the front.
    characters digits() {
        characters all = {begin, begin};
        while (all.end != end && *all.end >= '0' && *all.end <= '9') {
            ++all.end;
        }
        begin = all.end;
        return all;
    }
    /// Takes that many digits off the front; -1 if there are fewer.
    int number(int count) {
        int total = 0;
        for (; count > 0; count--) {
            if (empty() || *begin < '0' || *begin > '9') {
                return -1;
            }
            total = total * 10 + (*begin++ - '0');
        }
        return total;
    }
};

/// Without ASCII white space at both ends.
inline characters trimmed(const char *text) {
    characters all = {text, text + std::char_traits<char>::length(text)};
    const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'; };
    while (!all.empty() && is_space(*all.begin)) {
        ++all.begin;
    }
    while (!all.empty() && is_space(all.end[-1])) {
        --all.end;
    }
    return all;
}

inline parsed value_if(bool readable) { return readable ? parsed::value : parsed::unreadable; }

/// -?[0-9]+(\.0+)?
inline parsed parse_integer(characters text, std::int64_t &out) {
    const bool negative = text.take('-');
    const characters digits = text.digits();
    std::int64_t total = 0; // Negative, because there is one more of those.
    for (const char *at = digits.begin; at != digits.end; ++at) {
        const int digit = *at - '0';
        if (total < (INT64_MIN + digit) / 10) {
            return parsed::unreadable;
        }
        total = total * 10 - digit;
    }
    bool readable = !digits.empty() && (negative || total != INT64_MIN);
    if (text.take('.')) {
        readable = readable && !text.empty();
        while (text.take('0')) {
        }
    }
    out = negative || !readable ? total : -total;
    return value_if(readable && text.empty());
}

/// -?[0-9]+(\.[0-9]+)?, at most 64 characters; leading zeros are dropped.
inline parsed parse_decimal(characters text, std::string &out) {
    if (text.size() > 64) {
        return parsed::unreadable;
    }
    const bool negative = text.take('-');
    characters whole = text.digits(), fraction = {text.begin, text.end};
    if (whole.empty() || (text.take('.') && text.digits().empty()) || !text.empty()) {
        return parsed::unreadable;
    }
    while (whole.size() > 1 && whole.take('0')) {
    }
    out = negative ? "-" : "";
    out.append(whole.begin, whole.end).append(fraction.begin, fraction.end);
    return parsed::value;
}

/// true or false, in any case.
inline parsed parse_flag(characters text, bool &out) {
    const auto is = [text](const char *word) {
        const char *at = text.begin;
        for (; at != text.end && *word != '\0' && (*at == *word || *at == *word - 'a' + 'A'); ++at, ++word) {
        }
        return at == text.end && *word == '\0';
    };
    out = is("true");
    return value_if(out || is("false"));
}

/// Days since 1970-01-01 in the Gregorian calendar.
inline long long days(int year, int month, int day) {
    // Years that begin in March have their leap day at the end.
    const long long y = month > 2 ? year : year - 1, m = month > 2 ? month - 3 : month + 9;
    return y * 365 + y / 4 - y / 100 + y / 400 + (m * 153 + 2) / 5 + day - 1 - 719468;
}

/// Z, z or +01:00; nothing is UTC.
inline bool parse_zone(characters text, int &seconds) {
    seconds = 0;
    if (text.empty() || text.take('Z') || text.take('z')) {
        return text.empty();
    }
    const bool west = text.take('-');
    if (!west && !text.take('+')) {
        return false;
    }
    const int hours = text.number(2);
    const bool colon = text.take(':');
    const int minutes = text.number(2);
    seconds = (hours * 60 + minutes) * (west ? -60 : 60);
    return colon && hours >= 0 && hours < 24 && minutes >= 0 && minutes < 60 && text.empty();
}

/// YYYY-MM-DD[T ]HH:MM:SS[.f{1,9}][zone], of the years 1900 to 9998. The first moment of the year 1 means none.
inline parsed parse_time(characters text, time_value &out) {
    bool good = true;
    const auto part = [&](int digits, char behind, char or_behind) {
        const int number = text.number(digits);
        good = (behind == '\0' || text.take(behind) || text.take(or_behind)) && good;
        return number;
    };
    const int year = part(4, '-', '-'), month = part(2, '-', '-'), day = part(2, 'T', ' ');
    const int hour = part(2, ':', ':'), minute = part(2, ':', ':'), second = part(2, '\0', '\0');
    long nanoseconds = 0;
    if (text.take('.')) {
        characters digits = text.digits();
        const int count = digits.size() > 9 ? 0 : static_cast<int>(digits.size());
        good = count > 0 && good;
        nanoseconds = digits.number(count);
        for (int missing = count; missing < 9; missing++) {
            nanoseconds *= 10;
        }
    }
    int offset = 0;
    good = parse_zone(text, offset) && good;
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    const int february = leap ? 29 : 28;
    const int lengths[] = {31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (!good || month < 1 || month > 12 || day < 1 || day > lengths[month - 1] || hour < 0 || hour > 23 || minute < 0 ||
        minute > 59 || second < 0 || second > 59) {
        return parsed::unreadable;
    }
    if (year == 1 && month == 1 && day == 1 && hour == 0 && minute == 0 && second == 0 && nanoseconds == 0) {
        return parsed::absent;
    }
    out.seconds = days(year, month, day) * 86400 + hour * 3600 + minute * 60 + second - offset;
    out.nanoseconds = nanoseconds;
    return value_if(year >= 1900 && year <= 9998);
}


/// Where an object stands in an answer.
struct place {
    place() noexcept : reply(nullptr), pointer("") {}
    place(const paysvc_reply *of, std::string within, const char *at) : reply(of), element(std::move(within)), pointer(at) {}

    const paysvc_reply *reply;
    /// JSON pointer of the element of a list that this is a part of; "" if it is in no list.
    std::string element;
    /// From there; a constant.
    const char *pointer;
};

/// One look into an answer.
class look {
  public:
    look(const place &of, const char *pointer) : reply_(of.reply), pointer_(pointer), is_whole_(*pointer == '\0') {
        if (!of.element.empty()) {
            composed_ = of.element + pointer;
            pointer_ = composed_.c_str();
        }
        type_ = paysvc_reply_type(reply_, pointer_);
        if (type_ == PAYSVC_JSON_ABSENT && reply_ != nullptr) {
            look_around(of.element.size());
        }
    }
    look(const look &) = delete;
    look &operator=(const look &) = delete;

    const char *pointer() const { return pointer_; }
    int type() const { return type_; }
    bool is(int type) const { return type_ == type && !is_hidden_; }
    /// Nothing, or null. The answer itself and an element of a list are there, so that null is no object.
    bool is_absent() const {
        return !is_hidden_ && (type_ == PAYSVC_JSON_ABSENT || (type_ == PAYSVC_JSON_NULL && !is_whole_));
    }
    /// NULL if there is none, or no memory for it.
    const char *text() const { return is_hidden_ ? nullptr : paysvc_reply_get(reply_, pointer_); }

  private:
    /// Tells a member that its object does not have from one that has something else than an object around it.
    void look_around(std::size_t whole) {
        std::string around = pointer_;
        while (around.size() > whole) {
            around.erase(around.rfind('/'));
            const int type = paysvc_reply_type(reply_, around.c_str());
            const bool is_whole = around.size() == whole;
            if (type == PAYSVC_JSON_OBJECT || (type == PAYSVC_JSON_NULL && !is_whole)) {
                return;
            }
            if (type != PAYSVC_JSON_ABSENT || is_whole) {
                type_ = type;
                is_hidden_ = true;
                return;
            }
        }
    }

    const paysvc_reply *reply_;
    std::string composed_;
    const char *pointer_;
    int type_ = PAYSVC_JSON_ABSENT;
    bool is_whole_, is_hidden_ = false;
};

struct reader;

} // namespace detail

/// An object of an answer: a view, which copies nothing. Each member is looked up when it is asked for. It must not outlive its
/// reply, or the reply that it was moved to. Of members with the same name, the first counts. It can be asked for its members whether it is there or not.
class view {
  public:
    /// Of no answer: everything is absent.
    view() = default;
    explicit view(detail::place at) : place_(std::move(at)) {}

    /// Whether there is such an object.
    bool present() const { return detail::look(place_, place_.pointer).is(PAYSVC_JSON_OBJECT); }
    /// False if there is something else than an object: all its members are then unreadable.
    bool readable() const {
        const detail::look at(place_, place_.pointer);
        return at.is(PAYSVC_JSON_OBJECT) || at.is_absent();
    }
    /// Its JSON text, members included that are not known here; "" if there is no such object.
    std::string raw() const {
        const detail::look at(place_, place_.pointer);
        const char *text = at.is(PAYSVC_JSON_OBJECT) ? at.text() : nullptr;
        return text == nullptr ? "" : text;
    }
    /// Its JSON pointer, e.g. "/data/orderPayments/0": for reply::get() of other members.
    std::string pointer() const { return place_.element + place_.pointer; }

  private:
    friend struct detail::reader;
    detail::place place_;
};

/// An array of an answer. One that is absent or unreadable has no elements.
template <class View> class list {
  public:
    /// Goes through the elements, which are made as they are asked for.
    class iterator {
      public:
        using iterator_category = std::input_iterator_tag;
        using value_type = View;
        using difference_type = std::ptrdiff_t;
        using pointer = const View *;
        using reference = View;

        View operator*() const { return (*of_)[index_]; }
        iterator &operator++() {
            index_++;
            return *this;
        }
        iterator operator++(int) {
            const iterator before = *this;
            index_++;
            return before;
        }
        bool operator==(const iterator &other) const { return index_ == other.index_; }
        bool operator!=(const iterator &other) const { return index_ != other.index_; }

      private:
        friend class list;
        iterator(const list *of, std::size_t index) : of_(of), index_(index) {}
        const list *of_;
        std::size_t index_;
    };

    explicit list(const paysvc_reply *of, const detail::look &at)
        : reply_(of), pointer_(at.pointer()), found_(at.type()), is_array_(at.is(PAYSVC_JSON_ARRAY)), is_absent_(at.is_absent()),
          size_(is_array_ ? paysvc_reply_count(of, at.pointer()) : 0) {}

    /// Whether the answer has this member, and it is not null.
    bool present() const noexcept { return !is_absent_; }
    /// False if there is something that is no array.
    bool readable() const noexcept { return is_array_ || is_absent_; }
    /// Whether there is an array: present and readable.
    bool has_value() const noexcept { return is_array_; }
    explicit operator bool() const noexcept { return is_array_; }
    /// The JSON type of what is there, or of what stands in place of an object around it.
    const char *found() const noexcept { return detail::json_type_name(found_); }

    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    /// An element; past the end: one whose members are all absent. The members of an element that is no object are
    /// unreadable.
    View operator[](std::size_t index) const {
        return index < size_ ? View(detail::place(reply_, pointer_ + '/' + std::to_string(index), ""))
                             : View(detail::place());
    }
    /// Valid as long as the list.
    iterator begin() const { return iterator(this, 0); }
    iterator end() const { return iterator(this, size_); }

  private:
    const paysvc_reply *reply_;
    std::string pointer_;
    int found_;
    bool is_array_, is_absent_;
    std::size_t size_;
};

namespace detail {

/// Reads members. The pointers are constants, from the answer or from the element of a list that the view is a part of.
struct reader {
    static value<std::string> text(const view &of, const char *pointer) {
        const look at(of.place_, pointer);
        const char *text = at.is(PAYSVC_JSON_STRING) || at.is(PAYSVC_JSON_NUMBER) ? at.text() : nullptr;
        return text == nullptr ? none<std::string>(at) : value<std::string>(at.type(), parsed::value, text);
    }
    static value<std::int64_t> integer(const view &of, const char *pointer) {
        return scalar(of, pointer, PAYSVC_JSON_NUMBER, &parse_integer);
    }
    static value<std::string> decimal(const view &of, const char *pointer) {
        return scalar(of, pointer, PAYSVC_JSON_NUMBER, &parse_decimal);
    }
    static value<bool> flag(const view &of, const char *pointer) {
        return scalar(of, pointer, PAYSVC_JSON_BOOL, &parse_flag);
    }
    static value<time_value> time(const view &of, const char *pointer) {
        return scalar(of, pointer, PAYSVC_JSON_STRING, &parse_time);
    }
    static value<paysvc::raw> any(const view &of, const char *pointer) {
        const look at(of.place_, pointer);
        const char *text = at.is_absent() ? nullptr : at.text();
        if (text == nullptr) {
            return none<paysvc::raw>(at);
        }
        const bool is_string = at.is(PAYSVC_JSON_STRING);
        return value<paysvc::raw>(at.type(), parsed::value, paysvc::raw(is_string ? quoted(text) : std::string(text)));
    }
    template <class View> static View object(const view &of, const char *pointer) {
        return View(place(of.place_.reply, of.place_.element, pointer));
    }
    template <class View> static list<View> array(const view &of, const char *pointer) {
        return list<View>(of.place_.reply, look(of.place_, pointer));
    }

  private:
    template <class T> static value<T> none(const look &at) {
        return value<T>(at.type(), at.is_absent() ? parsed::absent : parsed::unreadable);
    }

    /// A string, or a literal of that JSON type; a blank string is absent.
    template <class T>
    static value<T> scalar(const view &of, const char *pointer, int literal, parsed (*parse)(characters, T &)) {
        const look at(of.place_, pointer);
        const char *text = at.is(literal) || at.is(PAYSVC_JSON_STRING) ? at.text() : nullptr;
        if (text == nullptr) {
            return none<T>(at);
        }
        const characters all = trimmed(text);
        T read = T();
        const parsed result = all.empty() ? parsed::absent : parse(all, read);
        return value<T>(at.type(), result, result == parsed::value ? std::move(read) : T());
    }
};

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

/// What threads count together. <atomic> would add a tenth to the time that this header takes to compile.
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
        return detail::assign(text, paysvc_reply_get(handle_.get(), detail::c_text(pointer)));
    }
    /// As get(), in Windows-1252, to be shown or printed: what that lacks becomes "?".
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
    /// What the progress function threw last; nullptr if it did not throw. The reply of the call is as good as ever.
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
/// Never write a row in a transaction of the program. paysvc.h tells more, at paysvc_store.
class store {
  public:
    /// What append() did: inserted the row, which is durable; or there is a row with this key and seq, and nothing is written.
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
    /// What is known of the request: whether it may be repeated.
    paysvc::outcome outcome() const noexcept { return reply().outcome(); }
    std::string message() const { return reply().message(); }
    /// What client::resolve() needs to find out what became of the request: client.resolve(why.look_up().wait(true)). It is a
    /// builder: attempts() and expect() may be added, and what is stored of it is its json(). It has no card data and no codes.
    /// Of an error of resolve() it is about the request that was resolved. Call attempts(why.reply().attempts()) only if no other request
    /// was begun that may charge the order.
    resolve_request look_up() const;
    /// The function that was called, e.g. "order_create"; of an error of resolve() the one that was resolved.
    const std::string &endpoint() const noexcept { return shared_->endpoint; }
    /// Lives as long as one of the copies of this error. Its answer: paysvc::order_pay_answer(error.reply()).
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
    const handle<paysvc_json, paysvc_json_free> asked(paysvc_json_new()); // What it held is wiped when it is freed.
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
/// Returns the reply if its status is OK; otherwise throws the exception for its outcome, which knows how to look the request up.
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

/// What a client is, but for the methods of the endpoints.
class client_base {
  public:
    /// Configured by the environment: PAYSVC_BASE_URL, PAYSVC_SECRET_KEY and so on, one variable for each setting.
    client_base() { open(nullptr); }
    /// Configured by a config builder or JSON text. Opens no connection. Without exceptions: if that fails, the client converts
    /// to false, creation() tells why, and each call returns E_ARGUMENT and NOT_SENT.
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
    /// Checks whether everything is there for the first sale: configuration, keys, connection, TLS, the service's answer and the
    /// clock. It moves no money and changes nothing. Throws the error of the first check that is not ok; body() of both has all:
    /// "/checks/0/check", "/checks/0/ok" and "/checks/0/message", which says what to do.
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

/// What client::resolve() needs to find out what became of a request, e.g. look_up("order_create", request): the members by which
/// it is looked up, and charged(false) if it is an order that is known to charge nobody. Store its json() before you send the
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
