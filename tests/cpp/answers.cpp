// Typed answers in paysvc.hpp, and what a token sends along. The argument is the address of a server that answers a refund
// with the text of its reason, and with the request's traceparent. It runs with and without exceptions.
#include "check.hpp"

#include <paysvc.hpp>

#include <memory>

namespace {

using paysvc::client;
using paysvc::reply;
static_assert(std::is_convertible<paysvc::order_pay_reply, reply>::value, "a reply like any other");
static_assert(std::is_nothrow_move_constructible<paysvc::order_pay_reply>::value, "");
static_assert(!std::is_copy_constructible<paysvc::order_pay_reply>::value, "");
static_assert(!std::is_convertible<paysvc::optional<std::int64_t>, bool>::value, "");

std::string address;

const client &connected() {
    static const client with(paysvc::config().base_url(address).secret_key("secret").max_attempts(1));
    CHECK(with && with.creation().ok());
    return with;
}

// A reply with this body.
paysvc::order_refund_reply answered(const std::string &body) {
    paysvc::order_refund_reply got(connected().invoke("order_refund", paysvc::order_refund_request().reference("R").reason(body)));
    CHECK(got.body() == body);
    return got;
}

// The forms of values, and lists: see tests/integration/typed_answers/cpp.rs.
void values() {
    const paysvc::optional<std::int64_t> none, zero(0);
    CHECK(!none.has_value() && !none && none.value_or(-1) == -1 && zero && *zero == 0 && zero.value_or(-1) == 0);
    const paysvc::optional<bool> no(false);
    CHECK(no.has_value() && !no.value_or(true) && paysvc::optional<bool>().value_or(true));
    const paysvc::order_status_answer nothing, of_none((reply()));
    CHECK(!of_none.order_summary && of_none.order_summary->status.empty() && !of_none.is_final_status.has_value());
    CHECK(nothing.order_payments.empty() && !nothing.order_payments[0].status_id && nothing.order_payments[7].status.empty());
    CHECK(paysvc::order_verify_answer().customer.json() == "null" && reply().unreadable().empty());
}

void texts() {
    const auto read = [](const std::string &written) {
        return answered("{\"status\":true,\"data\":{\"status\":" + written + "}}").answer().status;
    };
    CHECK(read("\"a\\\"\\\\\\/\\b\\f\\n\\r\\t}]\"") == "a\"\\/\b\f\n\r\t}]");
    CHECK(read("\"\\u0041\\u00e9\\u20AC\\uD83D\\uDE00\"") == "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
    CHECK(read("\"\\u0000 \\ud83d \\ude00 \\ud83d\\u0041\"") == "\\u0000 \\ud83d \\ude00 \\ud83dA");
    CHECK(read("7.50") == "7.50" && read("null").empty() && read("\"\"").empty());
}

void lifetimes() {
    paysvc::order_refund_reply first = answered("{\"status\":true,\"data\":{\"amount_refunded\":25.50,\"status\":\"pending\"}}");
    CHECK(first.state() == paysvc::state::pending && !first.call_id().empty());
    const paysvc::order_refund_reply second = std::move(first);
    CHECK(second.answer().amount_refunded == "25.50" && first.answer().amount_refunded.empty());
    CHECK(first.call_id().empty() && first.handle() == nullptr);
    // A response outlives its reply.
    const auto kept = answered("{\"status\":true,\"data\":{\"status\":\"pending\",\"reference\":[]}}").answer();
    CHECK(kept.status == "pending" && kept.reference.empty());
    const auto wrong = answered("{\"data\":{\"reference\":[]}}").unreadable();
    CHECK(wrong.size() == 1 && wrong[0] == "/data/reference" && wrong[1].empty());
}

// The header and the log of a token, and the other fields of a reply.
void tokens() {
    const std::string trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const paysvc::call token;
    CHECK(token.set_traceparent(trace) && !token.set_traceparent("00") && !token.set_traceparent(trace + '\0'));
    token.keep_log(4);
    const auto request = paysvc::order_refund_request().reference("R").reason(
        "{\"status\":true,\"data\":{\"name\":\"Ren\\u00e9e\"}}");
    const reply got = connected().invoke("order_refund", request, token);
    std::string line, text;
    while (token.next_log(line)) {
        CHECK(line.find("\"call_id\":\"" + got.call_id() + '"') != std::string::npos);
    }
    // The last line stays: it is that of the response.
    CHECK(line.find("\"request_id\":\"" + trace + '"') != std::string::npos && got.request_id() == trace);
    token.keep_log(0);
    CHECK(connected().invoke("order_refund", request, token).ok() && !token.next_log(line));
    CHECK(got.get_cp1252("/data/name", text) && !got.get_cp1252("/data/other", text) && text == "Ren\xe9" "e");
    CHECK(answered("{\"status\":true}").request_id().empty() && reply().request_id().empty());
}

#if PAYSVC_EXCEPTIONS
// The response of a call that failed.
void errors() {
    std::unique_ptr<paysvc::error> kept;
    try {
        connected().order_refund(
            paysvc::order_refund_request().reference("R").reason("{\"status\":false,\"data\":{\"status\":\"failed\"}}"));
    } catch (const paysvc::rejected &why) {
        CHECK(paysvc::order_refund_answer(why.reply()).status == "failed");
        kept.reset(new paysvc::error(why));
    }
    CHECK(kept && !kept->reply().call_id().empty());
    CHECK(paysvc::order_refund_answer(kept->reply()).status == "failed");
    const paysvc::order_refund_reply good =
        connected().order_refund(paysvc::order_refund_request().reference("R").reason("{\"status\":true,\"data\":{}}"));
    CHECK(good.ok() && good.unreadable().empty());
}
#else
// Functions that throw with exceptions return without them.
void errors() {
    const paysvc::order_refund_reply got = connected().order_refund(
        paysvc::order_refund_request().reference("R").reason("{\"status\":false,\"data\":{\"status\":\"failed\"}}"));
    CHECK(got.outcome() == paysvc::outcome::rejected && got.answer().status == "failed");
    const client none(std::string("{}\0", 3));
    CHECK(!none && !none.creation().ok() && none.creation().outcome() == paysvc::outcome::not_sent);
    const reply unsent = none.order_refund("{}");
    CHECK(unsent.status() == paysvc::status::argument && unsent.outcome() == paysvc::outcome::not_sent);
    CHECK(paysvc::reference_new("a b").empty() && paysvc::reference_new("T7").size() == 29);
    CHECK(connected().reference_new("T7").empty() && !paysvc::call().set_key("") && paysvc::call().set_key("refund-1"));
    std::string key = "charge A";
    CHECK(connected().journal_next(key).status() == paysvc::status::config && key == "charge A");
}
#endif

} // namespace

int main(int, char **argv) {
    address = argv[1];
    values();
    texts();
    lifetimes();
    tokens();
    errors();
    return 0;
}
