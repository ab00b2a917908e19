// Writes a typed answer as one line of JSON for the tests in Rust: an object from JSON pointers to what stands there. A leaf
// is its value as text, null (absent) or false (unreadable); an object "{}" and a list "[n]", or null or false.
#ifndef DUMP_HPP
#define DUMP_HPP

#include <paysvc.hpp>

#include <cstdio>
#include <ctime>

class dump {
  public:
    std::string json() const { return '{' + members_ + '}'; }

    template <class T> void leaf(const std::string &pointer, const paysvc::value<T> &found) {
        if (found.has_value()) {
            put(pointer, paysvc::detail::quoted(text(found)));
        } else {
            nothing(pointer, found.readable());
        }
    }
    void object(const std::string &pointer, const paysvc::view &found) {
        if (found.present()) {
            put(pointer, "\"{}\"");
        } else {
            nothing(pointer, found.readable());
        }
    }
    template <class View> void list(const std::string &pointer, const paysvc::list<View> &found) {
        if (found) {
            put(pointer, "\"[" + std::to_string(found.size()) + "]\"");
        } else {
            nothing(pointer, found.readable());
        }
    }

  private:
    void put(const std::string &pointer, const std::string &entry) {
        members_ += (members_.empty() ? "" : ",") + paysvc::detail::quoted(pointer) + ':' + entry;
    }
    void nothing(const std::string &pointer, bool readable) { put(pointer, readable ? "null" : "false"); }

    static std::string text(const paysvc::value<std::string> &found) { return *found; }
    static std::string text(const paysvc::value<std::int64_t> &found) { return std::to_string(*found); }
    static std::string text(const paysvc::value<bool> &found) { return *found ? "true" : "false"; }
    static std::string text(const paysvc::value<paysvc::raw> &found) { return found.found(); }
    static std::string text(const paysvc::value<paysvc::time_value> &found) {
        const std::time_t seconds = static_cast<std::time_t>(found->seconds);
        char date[32], all[64];
        std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", std::gmtime(&seconds));
        std::snprintf(all, sizeof all, "%s.%06ldZ", date, found->nanoseconds / 1000);
        return all;
    }

    std::string members_;
};

#endif // DUMP_HPP
