// Lets the tests in Rust use paysvc.hpp, with the protocol of tests/c/driver.c, except "close". The tests write
// methods.inc and answers.inc from the tables. "answer" prints what typed_answers/cpp.rs compares.
#include "dump.hpp"

#include <cstdlib>
#include <iostream>
#include <memory>
#ifdef _WIN32
#include <cstdio>
#include <fcntl.h>
#include <io.h>
#endif

namespace {

using paysvc::client;
using paysvc::reply;

#define CALL(name) {#name, [](const client &with, const std::string &json) -> reply { return with.name(json); }},

const struct {
    const char *name;
    reply (*call)(const client &, const std::string &);
} methods[] = {
#include "methods.inc"
    CALL(request)
    CALL(encrypt)
};

#define ANSWER(name) {#name, [](const reply &of) { return dump::of(paysvc::name##_answer(of)); }},

const struct {
    const char *name;
    std::string (*read)(const reply &);
} answers[] = {
#include "answers.inc"
};

void print(const reply &answer) {
    std::cout << paysvc_status_name(static_cast<int>(answer.status())) << '\t'
              << paysvc_outcome_name(static_cast<int>(answer.outcome())) << '\t' << static_cast<int>(answer.state()) << '\t'
              << answer.http_status() << '\t' << answer.attempts() << '\t' << answer.retry_after().count() << '\t'
              << answer.code() << '\t' << answer.message() << '\t' << answer.body() << std::endl;
}

#if PAYSVC_EXCEPTIONS
// Prints the class by which a catch clause would catch it.
void print_class(const paysvc::error &failure) {
    std::cerr << "class " << (dynamic_cast<const paysvc::outcome_unknown *>(&failure) != nullptr ? "outcome_unknown"
                              : dynamic_cast<const paysvc::rejected *>(&failure) != nullptr      ? "rejected"
                              : dynamic_cast<const paysvc::not_sent *>(&failure) != nullptr      ? "not_sent"
                                                                                                  : "error") << '\n';
}
#endif

void log_line(int level, const std::string &message) { std::cerr << "log " << level << ' ' << message << '\n'; }

// Prints the typed answer of an endpoint, what is unreadable, and the JSON of which both are made. A line has no newline, which
// JSON of the service may have.
void print_answer(const reply &of, const std::string &name) {
    for (const auto &answer : answers) {
        if (name == answer.name) {
            std::string unreadable;
            for (const std::string &pointer : of.unreadable()) {
                unreadable += (unreadable.empty() ? "" : ",") + paysvc::detail::quoted(pointer);
            }
            const char *const json = paysvc_reply_json(of.handle());
            std::cout << "{\"answer\":" << paysvc::detail::quoted(answer.read(of)) << ",\"unreadable\":[" << unreadable
                      << "],\"json\":" << paysvc::detail::quoted(json == nullptr ? "" : json) << '}' << std::endl;
            return;
        }
    }
    std::cerr << "driver: no response of " << name << '\n';
    std::exit(2);
}

// Calls a method and prints its reply, which is kept for "get" and "answer".
class last_reply {
  public:
    void run(const client &with, const std::string &name, const std::string &json) {
        for (const auto &method : methods) {
            if (name == method.name) {
#if PAYSVC_EXCEPTIONS
                failure_.reset();
                try {
                    reply_ = method.call(with, json);
                    print(reply_);
                } catch (const paysvc::error &failure) {
                    print_class(failure);
                    failure_.reset(new paysvc::error(failure)); // A copy outlives the exception.
                    print(failure_->reply());
                }
#else
                reply_ = method.call(with, json);
                print(reply_);
#endif
                return;
            }
        }
        std::cerr << "driver: no function " << name << '\n';
        std::exit(2);
    }
    const reply &get() const {
#if PAYSVC_EXCEPTIONS
        return failure_ ? failure_->reply() : reply_;
#else
        return reply_;
#endif
    }

  private:
    reply reply_;
#if PAYSVC_EXCEPTIONS
    std::unique_ptr<paysvc::error> failure_;
#endif
};

// Makes the calls that it reads.
int play(client with) {
    print(with.creation());
    if (!with) {
        return with.creation().ok() ? 3 : 0;
    }
    with.set_log(4, log_line);
    last_reply last;
    std::string line;
    while (std::getline(std::cin, line)) {
        const std::size_t tab = line.find('\t');
        if (tab == std::string::npos) {
            std::cerr << "driver: no tab in " << line << '\n';
            return 2;
        }
        const std::string command = line.substr(0, tab), argument = line.substr(tab + 1);
        std::string found;
        if (command == "answer") {
            print_answer(last.get(), argument);
        } else if (command != "get") {
            last.run(with, command, argument);
        } else if (last.get().get(argument, found)) {
            std::cout << '=' << found << std::endl;
        } else {
            std::cout << '-' << std::endl;
        }
    }
    return 0;
}

} // namespace

int main() {
#ifdef _WIN32
    // A line ends with its newline alone, as everywhere else.
    _setmode(_fileno(stdin), _O_BINARY);
    _setmode(_fileno(stdout), _O_BINARY);
#endif
    std::string line;
    std::getline(std::cin, line);
#if PAYSVC_EXCEPTIONS
    try {
        return play(client(line));
    } catch (const paysvc::error &failure) { // From the constructor.
        print(failure.reply());
        return 0;
    }
#else
    return play(client(line));
#endif
}
