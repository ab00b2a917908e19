// Ownership in paysvc.hpp. The tests run this with AddressSanitizer and valgrind, which report handles that are freed twice
// or never. It needs no service: requests are refused before they are sent, or go to a port where nothing listens.
#include "check.hpp"

#include <paysvc.hpp>

#include <thread>

namespace {

using paysvc::call;
using paysvc::client;
using paysvc::config;
using paysvc::reply;

static_assert(std::is_nothrow_move_constructible<client>::value && !std::is_copy_constructible<client>::value, "");
static_assert(std::is_nothrow_move_assignable<call>::value && !std::is_copy_constructible<call>::value, "");
static_assert(std::is_nothrow_move_assignable<reply>::value && !std::is_copy_assignable<reply>::value, "");
static_assert(std::is_nothrow_copy_constructible<paysvc::error>::value, "copying an exception must not throw");

config configured() {
    return config().base_url("http://127.0.0.1:9").public_key("public").secret_key("secret").timeout_ms(60000).max_attempts(1);
}

template <class Thrown, class Run> std::string thrown(Run run) {
    try {
        run();
    } catch (const Thrown &why) {
        const paysvc::error copy = why;
        CHECK(!copy.reply().body().empty() && &copy.reply() == &why.reply());
        return why.what();
    }
    CHECK(!"nothing was thrown");
    return "";
}

void moves() {
    client first(configured());
    CHECK(first);
    client second(std::move(first));
    CHECK(second && !first);
    first = std::move(second);
    CHECK(first && !second);
    client &self = first;
    first = std::move(self);
    reply moved = second.invoke("order_refund", "{}");
    CHECK(moved.status() == paysvc::status::argument && moved.outcome() == paysvc::outcome::not_sent);
    reply to = std::move(moved);
    CHECK(to.body() != moved.body() && moved.outcome() == paysvc::outcome::unknown);
    to = reply();
    call token(std::chrono::milliseconds(1000)), other = std::move(token);
    token.cancel();
    other.cancel();
    other = call();
    paysvc::reply().get_or("/x", "y");
}

void failures() {
    const client with{configured()};
    std::string what = thrown<paysvc::not_sent>([&] { with.order_refund("{\"reference\":5}"); });
    CHECK(what.find("order_refund: E_ARGUMENT, outcome NOT_SENT: ") == 0);
    what = thrown<paysvc::error>([&] { with.order_refund(paysvc::order_refund_request().reference("R")); });
    CHECK(what.find("order_refund: E_TRANSPORT, outcome NOT_SENT: ") == 0);
    what = thrown<paysvc::not_sent>([&] { with.direct_debit_otp(paysvc::direct_debit_otp_request().mandate_code("M")); });
    CHECK(what.find("E_CONFIG") != std::string::npos);
    what = thrown<paysvc::not_sent>([&] { client("{\"base_url\":5}"); });
    CHECK(what.find("client: E_CONFIG") == 0);
    // Text after a NUL must not be dropped silently: the request is refused.
    const std::string nul("{\"reference\":\"R\"}\0{}", 20);
    CHECK(with.invoke("order_refund", nul).status() == paysvc::status::argument);
    CHECK(with.invoke("order_refund", "{\"reference\":\"\xff\"}").status() == paysvc::status::argument);
    thrown<paysvc::not_sent>([&] { client(std::string("{}\0", 3)); });
    // An exception while a reply exists.
    try {
        reply got = with.invoke("order_refund", "{}");
        throw std::logic_error("a bug of the caller");
    } catch (const std::logic_error &) {
    }
}

void cancels() {
    const client with(configured());
    const call token;
    std::thread canceller([&] { token.cancel(); });
    canceller.join();
    thrown<paysvc::not_sent>([&] { with.order_refund(paysvc::order_refund_request().reference("R"), token); });
    CHECK(with.invoke("order_refund", "{\"reference\":\"R\"}", token).status() == paysvc::status::cancelled);
    thrown<paysvc::not_sent>([&] { with.warm(token); });
    CHECK(with.invoke("client_warm", "{}").status() == paysvc::status::transport);
    call(std::chrono::hours(99999)).set_timeout(std::chrono::milliseconds(-5));
}

void logs() {
    client with{configured()};
    int lines = 0;
    CHECK(with.set_log(4, [&](int level, const std::string &message) {
        CHECK(level >= 1 && level <= 4 && !message.empty());
        lines++;
        throw std::runtime_error("a bug of the caller");
    }));
    const std::string refund = paysvc::order_refund_request().reference("R");
    CHECK(with.invoke("order_refund", refund).status() == paysvc::status::transport && lines > 0);
    client moved = std::move(with), &self = moved; // The function moves with it.
    moved = std::move(self);
    const int before = lines;
    CHECK(!moved.invoke("order_refund", refund).ok());
    CHECK(lines > before);
    CHECK(!moved.set_log(9, [](int, const std::string &) {}));
    CHECK(moved.set_log(4, nullptr));
    const int after = lines;
    CHECK(!moved.invoke("order_refund", refund).ok());
    CHECK(lines == after);
    CHECK(!with.set_log(4, [](int, const std::string &) {}));
}

void texts() {
    paysvc::order_create_request order;
    order.reference("a\"\\\n\x01é").country("NG").extra("amount", paysvc::raw("98000.00")).country("GH");
    order.card(paysvc::order_create_card().cardnumber("4").extra("pin", paysvc::raw("\"1\"")));
    // Nobody has said whether the order exists, which the library refuses.
    CHECK(order.json().find("{\"order\":null,\"reference\":") == 0);
    order.existing_order();
    CHECK(order.json() == "{\"reference\":\"a\\\"\\\\\\u000a\\u0001é\",\"country\":\"GH\",\"amount\":98000.00,"
                          "\"card\":{\"cardnumber\":\"4\",\"pin\":\"1\"}}");
    using create = paysvc::direct_debit_create_request;
    CHECK(create().recurring_payment_id(-7).json() == "{\"recurringPaymentId\":-7}" && create().json() == "{}");
    CHECK(config().allow_http(false).timeout_ms(5L).json() == "{\"allow_http\":false,\"timeout_ms\":5}");
    CHECK(paysvc::raw_request().body(order).json().find("{\"body\":{\"reference\"") == 0);
}

void other_encodings() {
    // Every byte that Windows-1252 defines, as the C interface reads it.
    for (int byte = 1; byte < 256; byte++) {
        const std::string text(1, static_cast<char>(byte));
        paysvc_json *request = paysvc_json_new();
        const bool defined = paysvc_json_set_cp1252(request, "/reason", text.c_str()) == PAYSVC_OK;
        const std::string json = paysvc::order_refund_request().reason(paysvc::from_cp1252(text));
        CHECK(!defined || byte < 0x80 || json == paysvc_json_text(request));
        paysvc_json_free(request);
        const client with{configured()};
        CHECK(defined || with.invoke("order_refund", json).status() == paysvc::status::argument);
    }
    // Text that would add fields to the request stays a string.
    CHECK(paysvc::webhook_verify_request().body(paysvc::quoted("{},\"ask\":false")).json() ==
          "{\"body\":\"{},\\\"ask\\\":false\"}");
}

void look_ups() {
    const auto looked_up = [](const std::string &request) { return paysvc::look_up("order_create", request).json(); };
    const std::string kept = "\"reference\":\"R\",\"order\":{\"reference\":\"R\",\"amount\":25.50}";
    const std::string order = "{ " + kept + ", \"country\" : \"N\\\"G}\" }";
    CHECK(looked_up(order) == "{\"endpoint\":\"order_create\",\"request\":{" + kept + "},\"charged\":false}");
    // A request that may charge is not marked as no charge, and a text that is no request has no fields.
    const std::string found = looked_up("{" + kept + ",\"card\":{\"cardnumber\":\"4\"}}");
    CHECK(found.find("charged") == std::string::npos && found.find(kept) != std::string::npos);
    CHECK(found.find("cardnumber") == std::string::npos);
    for (const char *text : {"", "[1]"}) {
        CHECK(looked_up(text) == "{\"endpoint\":\"order_create\",\"request\":{}}");
    }
    const std::string earlier = "{\"endpoint\":\"order_pay_authorize\",\"request\":{\"reference\":\"R\",\"otp\":\"1\"},\"attempts\":2}";
    CHECK(paysvc::look_up("resolve", earlier).json() == "{\"endpoint\":\"order_pay_authorize\",\"request\":{\"reference\":\"R\"}}");
    try {
        client{configured()}.order_refund(paysvc::order_refund_request().reference("R").reason("secret"));
        CHECK(!"nothing was thrown");
    } catch (const paysvc::error &why) {
        const paysvc::error copy = why;
        CHECK(copy.endpoint() == "order_refund");
        CHECK(copy.look_up().wait(true).json() == "{\"endpoint\":\"order_refund\",\"request\":{\"reference\":\"R\"},\"wait\":true}");
    }
}

} // namespace

void an_outcome_that_the_header_does_not_know() {
    thrown<paysvc::outcome_unknown>([] { paysvc::detail::raise("order_refund", 9, reply(), "{}"); });
}

int main() {
    moves();
    failures();
    an_outcome_that_the_header_does_not_know();
    cancels();
    logs();
    texts();
    other_encodings();
    look_ups();
    return 0;
}
