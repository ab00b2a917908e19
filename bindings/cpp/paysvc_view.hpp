/// Answers as objects and lists with named members, for paysvc.hpp.
///
/// A view copies nothing: each member is looked up when it is asked for, and has no cost until then. A view must not outlive
/// its reply, or the reply that it was moved to. Of members with the same name, the first counts.
#ifndef PAYSVC_VIEW_HPP
#define PAYSVC_VIEW_HPP

#include "paysvc_json.hpp"
#include "paysvc_value.hpp"

#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

namespace paysvc {
namespace detail {

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

/// An object of an answer. It can be asked for its members whether it is there or not.
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
} // namespace paysvc

#endif // PAYSVC_VIEW_HPP
