/// Builds JSON objects, for paysvc.hpp.
#ifndef PAYSVC_JSON_HPP
#define PAYSVC_JSON_HPP

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace paysvc {

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
            continue;
        }
        if (code < 0x800) {
            out += static_cast<char>(0xC0 | (code >> 6));
        } else {
            out += static_cast<char>(0xE0 | (code >> 12));
            out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
        }
        out += static_cast<char>(0x80 | (code & 0x3F));
    }
    return out;
}

/// A JSON object. Members are in the order in which they were first set; setting one again replaces its value.
class object {
  public:
    std::string json() const {
        std::string out = "{";
        for (const auto &member : members_) {
            out += (out.size() > 1 ? "," : "") + detail::quoted(member.first) + ':' + member.second;
        }
        return out += '}';
    }
    operator std::string() const { return json(); }

  protected:
    template <class Builder, class Value> static Builder &set(Builder &builder, const std::string &name, const Value &value) {
        static_cast<object &>(builder).put(name, text(value));
        return builder;
    }

    template <class Builder> static Builder &leave_out(Builder &builder, const std::string &name) {
        auto &members = static_cast<object &>(builder).members_;
        for (auto member = members.begin(); member != members.end(); ++member) {
            if (member->first == name) {
                members.erase(member);
                break;
            }
        }
        return builder;
    }

  private:
    static std::string text(const std::string &value) { return detail::quoted(value); }
    static std::string text(const detail::integer &value) { return value.json; }
    static std::string text(const detail::flag &value) { return value.value ? "true" : "false"; }
    static std::string text(const raw &value) { return value.json(); }
    static std::string text(const object &value) { return value.json(); }
    template <class Element> static std::string text(const std::vector<Element> &elements) {
        std::string out = "[";
        for (const object &element : elements) {
            out += (out.size() > 1 ? "," : "") + element.json();
        }
        return out += ']';
    }

    void put(const std::string &name, std::string json) {
        for (auto &member : members_) {
            if (member.first == name) {
                member.second = std::move(json);
                return;
            }
        }
        members_.emplace_back(name, std::move(json));
    }

    std::vector<std::pair<std::string, std::string>> members_;
};

inline raw::raw(const object &value) : json_(value.json()) {}

} // namespace paysvc

#endif // PAYSVC_JSON_HPP
