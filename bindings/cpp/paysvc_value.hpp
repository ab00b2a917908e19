/// What a member of an answer holds, read from the text of the JSON, for paysvc.hpp.
///
/// The service writes numbers as text and text as numbers, so both are read. Nothing here is floating point.
#ifndef PAYSVC_VALUE_HPP
#define PAYSVC_VALUE_HPP

#include <paysvc.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

namespace paysvc {

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
    switch (type) {
    case PAYSVC_JSON_NULL:
        return "null";
    case PAYSVC_JSON_BOOL:
        return "bool";
    case PAYSVC_JSON_NUMBER:
        return "number";
    case PAYSVC_JSON_STRING:
        return "string";
    case PAYSVC_JSON_ARRAY:
        return "array";
    case PAYSVC_JSON_OBJECT:
        return "object";
    default:
        return "absent";
    }
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
    const int year = text.number(4);
    bool good = text.take('-');
    const int month = text.number(2);
    good = text.take('-') && good;
    const int day = text.number(2);
    good = (text.take('T') || text.take(' ')) && good;
    const int hour = text.number(2);
    good = text.take(':') && good;
    const int minute = text.number(2);
    good = text.take(':') && good;
    const int second = text.number(2);
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

} // namespace detail
} // namespace paysvc

#endif // PAYSVC_VALUE_HPP
