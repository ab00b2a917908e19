/// What is kept of a request so that it can be looked up, for paysvc.hpp.
#ifndef PAYSVC_HPP
#include "paysvc.hpp" // It includes this file, after what that needs.
#endif
#ifndef PAYSVC_LOOK_UP_HPP
#define PAYSVC_LOOK_UP_HPP

namespace paysvc {
namespace detail {

/// The members of an object, names and values as they are written. Another text has none.
inline std::vector<std::pair<std::string, std::string>> members_of(const std::string &json) {
    std::vector<std::pair<std::string, std::string>> found;
    std::size_t at = json.find_first_not_of(" \t\r\n");
    if (at == std::string::npos || json[at] != '{') {
        return found;
    }
    for (at++;;) {
        at = json.find_first_not_of(" \t\r\n,", at);
        if (at == std::string::npos || json[at] != '"') {
            return found;
        }
        const std::size_t name_end = value_end(json, at);
        const std::size_t value = json.find_first_not_of(" \t\r\n:", name_end);
        if (value == std::string::npos) {
            return found;
        }
        const std::size_t end = value_end(json, value);
        found.emplace_back(json.substr(at + 1, name_end - at - 2), json.substr(value, end - value));
        at = end;
    }
}

/// Builds an object from JSON texts.
class kept_object : public object {
  public:
    void keep_as(const std::string &name, const std::string &json) { set(*this, name, raw(json)); }
};

/// Those of the members that are kept, as JSON; all others may be secret.
inline std::string kept(const std::string &json, const std::vector<kept_member> &wanted, bool with_added) {
    kept_object out;
    for (const auto &member : members_of(json)) {
        const char first = member.second[0];
        std::vector<kept_member> inner;
        for (const kept_member &it : wanted) {
            if (it.path[0] != member.first || (it.of == keep::added && !with_added)) {
                continue;
            }
            if (it.path.size() > 1) {
                inner.push_back(kept_member{it.of, std::vector<std::string>(it.path.begin() + 1, it.path.end())});
            } else if (it.of == keep::presence) {
                if (first == '{') {
                    out.keep_as(member.first, "{}");
                }
            } else if (first == '"' || first == '-' || (first >= '0' && first <= '9')) {
                out.keep_as(member.first, member.second);
            }
        }
        const std::string object = kept(member.second, inner, with_added);
        if (object != "{}") {
            out.keep_as(member.first, object);
        }
    }
    return out.json();
}

/// Whether no member may make the request a charge. A name that is written with escapes is none that is known.
inline bool is_harmless(const std::string &function, const std::string &json, const std::string &within) {
    for (const auto &member : members_of(json)) {
        const std::string name = within + member.first;
        if (members_of(member.second).empty() ? may_charge(function, name) : !is_harmless(function, member.second, name + '.')) {
            return false;
        }
    }
    return true;
}

inline looked_up kept_for(const std::string &function, const std::string &request) {
    if (function != "resolve") {
        const bool charged = members_of(request).empty() || !is_harmless(function, request, "");
        return looked_up{function, kept(request, kept_of(function), false), charged};
    }
    // Of a look-up, the request that was looked up.
    looked_up found = {"", "{}", true};
    std::string of = "{}";
    for (const auto &member : members_of(request)) {
        if (member.first == "endpoint" && member.second.size() > 1) {
            found.function = member.second.substr(1, member.second.size() - 2);
        } else if (member.first == "request") {
            of = member.second;
        } else if (member.first == "charged") {
            found.charged = member.second != "false";
        }
    }
    found.request = kept(of, kept_of(found.function), true);
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

#endif // PAYSVC_LOOK_UP_HPP
