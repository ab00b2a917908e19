// Writes a typed answer as JSON for the tests in Rust: an object with the fields of the struct. A field that is not
// optional is written though it may be absent.
#ifndef DUMP_HPP
#define DUMP_HPP

#include <paysvc.hpp>

class dump {
  public:
    template <class Answer> static std::string of(Answer answer) {
        dump made;
        answer.each(made);
        return '{' + made.members_ + '}';
    }

    template <class T> void operator()(const char *name, const T &value) {
        members_ += (members_.empty() ? "" : ",") + paysvc::detail::quoted(name) + ':' + json(value);
    }

  private:
    static std::string json(const std::string &text) { return paysvc::detail::quoted(text); }
    static std::string json(std::int64_t number) { return std::to_string(number); }
    static std::string json(bool flag) { return flag ? "true" : "false"; }
    static std::string json(const paysvc::raw &any) { return any.json(); }
    template <class T> static std::string json(const paysvc::optional<T> &value) {
        return value.has_value() ? json(*value) : "null";
    }
    template <class T> static std::string json(const paysvc::list<T> &elements) {
        std::string out;
        for (const T &element : elements) {
            out += (out.empty() ? "" : ",") + json(element);
        }
        return '[' + out + ']';
    }
    template <class Object> static std::string json(const Object &value) { return of(value); }

    std::string members_;
};

#endif // DUMP_HPP
