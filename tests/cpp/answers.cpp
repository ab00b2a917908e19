// Typed answers in paysvc.hpp: objects and lists, and how long a view lives. The argument is the address of
// a server that answers a refund with the text of its reason, and with the request's traceparent. It runs with and
// without exceptions.
#include <paysvc.hpp>

#include <cstdlib>
#include <iostream>
#include <memory>

#define CHECK(what) \
    do { \
        if (!(what)) { \
            std::cerr << __FILE__ << ':' << __LINE__ << ": " << #what << '\n'; \
            std::abort(); \
        } \
    } while (0)

namespace {

using paysvc::client;
using paysvc::reply;
using details = paysvc::transaction_details_answer;
using order = paysvc::order_status_answer;
using paid = paysvc::order_pay_answer;

static_assert(std::is_convertible<paysvc::order_pay_reply, reply>::value, "a reply like any other");
static_assert(std::is_nothrow_move_constructible<paysvc::order_pay_reply>::value, "");
static_assert(!std::is_copy_constructible<paysvc::order_pay_reply>::value, "");
static_assert(std::is_constructible<order, const reply &>::value && std::is_constructible<order, reply &>::value, "");
static_assert(!std::is_constructible<order, reply>::value && !std::is_constructible<order, const reply>::value,
              "a view of a reply that is gone at once");
// if (answer.data().is_final_status()) would only ask whether the flag is there.
static_assert(!std::is_constructible<bool, paysvc::value<bool>>::value, "");
static_assert(std::is_constructible<bool, paysvc::value<std::int64_t>>::value, "");
static_assert(!std::is_convertible<paysvc::value<std::int64_t>, bool>::value, "");

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

const char ABSENT[] = "(absent)", UNREADABLE[] = "(unreadable)";

template <class T, class Text> std::string shown(const paysvc::value<T> &found, Text text) {
    CHECK(found.has_value() == (found.present() && found.readable()) && (found.present() || found.readable()));
    if (!found.has_value()) {
        CHECK(text(*found) == text(T()) && text(found.get()) == text(T()));
        return found.readable() ? ABSENT : UNREADABLE;
    }
    CHECK(text(found.value_or(T())) == text(*found));
    return text(*found);
}

// Which forms are read is the same in all languages: see tests/integration/typed_answers.
void leaves() {
    const reply got = answered("{\"data\":{\"narration\":\"a\",\"fee\":\"007.50\",\"statusId\":\"5.00\",\"isFinalStatus\":\"x\","
                               "\"customer\":{\"a\": 1},\"dateCreated\":\"1969-12-31 23:59:58.5Z\"}}");
    const auto same = [](const std::string &text) { return text; };
    const auto data = details(got).data();
    CHECK(shown(data.narration(), same) == "a" && shown(data.fee(), same) == "7.50" && shown(data.bank(), same) == ABSENT);
    CHECK(shown(data.status_id(), [](std::int64_t number) { return std::to_string(number); }) == "5");
    CHECK(shown(data.customer(), [](const paysvc::raw &json) { return json.json(); }) == "{\"a\": 1}");
    CHECK(shown(order(got).data().is_final_status(), [](bool flag) { return flag ? "yes" : "no"; }) == UNREADABLE);
    CHECK(data.date_created()->seconds == -2 && data.date_created()->nanoseconds == 500000000);
}

void times() {
    using clock = std::chrono::system_clock;
    const paysvc::time_value time = {1795341600, 123456789}, before = {-1, 500000000};
    CHECK(clock::to_time_t(time.time_point()) == 1795341600);
    CHECK(time.time_point().time_since_epoch() >= std::chrono::microseconds(1795341600123456));
    CHECK(before.time_point().time_since_epoch() == std::chrono::milliseconds(-500));
    const paysvc::time_value late = {253370851139, 0}, early = {-253370851139, 0};
    CHECK(late.time_point() > time.time_point() && early.time_point() < before.time_point());
}

void objects() {
    const reply empty = answered("{}"), null = answered("{\"data\":null}");
    for (const reply *got : {&empty, &null}) {
        const details answer(*got);
        CHECK(answer.present() && answer.readable() && answer.pointer() == "" && answer.raw() == got->body());
        CHECK(!answer.data().present() && answer.data().readable() && answer.data().raw() == "");
        CHECK(!answer.data().fee().present() && answer.data().fee().found() == std::string("absent"));
        CHECK(!answer.data().order_payments().present() && answer.data().order_payments().readable());
        CHECK(!paid(*got).data().order_payment().fee().present() && paid(*got).data().order_payment().readable());
    }
    const reply text = answered("{\"data\":\"x\"}");
    CHECK(details(text).present() && !details(text).data().present() && !details(text).data().readable());
    CHECK(!details(text).data().fee().readable() && details(text).data().fee().found() == std::string("string"));
    CHECK(!details(text).data().customer().readable() && !details(text).data().order_payments().readable());
    CHECK(!paid(text).data().order_payment().readable() && !paid(text).data().order_payment().fee().readable());
    const reply deep = answered("{\"data\":{\"orderPayment\":{\"fee\":\"1.50\",\"new\":[1]},\"paymentDetail\":[]}}");
    const auto data = paid(deep).data();
    CHECK(data.order_payment().fee().get() == "1.50" && data.order_payment().fee()->size() == 4);
    CHECK(deep.get_or(data.order_payment().pointer() + "/new", "") == "[1]");
    CHECK(data.order_payment().raw() == "{\"fee\":\"1.50\",\"new\":[1]}");
    CHECK(!data.payment_detail().card_token().readable() && data.bank_transfer_details().readable());
    for (const char *body : {"[]", "\"x\"", "5", "null", "[{\"data\":{}}]"}) {
        const reply whole = answered(body);
        CHECK(!details(whole).present() && !details(whole).readable() && !details(whole).data().readable());
        CHECK(!details(whole).data().fee().readable() && !details(whole).data().order_payments().readable());
    }
    // The first of two counts, by its exact name.
    const reply doubled = answered("{\"data\":{\"Fee\":\"3\",\"fee\":\"1\",\"f\\u0065e\":\"2\"},\"data\":{\"fee\":\"4\"}}");
    CHECK(*details(doubled).data().fee() == "1");
}

void lists() {
    const reply got = answered("{\"data\":{\"orderPayments\":[{\"statusId\":5},7,null,{\"statusId\":\"x\"},{}]}}");
    const auto payments = details(got).data().order_payments();
    CHECK(payments && payments.size() == 5 && !payments.empty() && payments.found() == std::string("array"));
    CHECK(*payments[0].status_id() == 5 && payments[0].pointer() == "/data/orderPayments/0");
    CHECK(!payments[1].readable() && !payments[1].status_id().readable());
    // An element is there, so that null does not count as an object.
    CHECK(!payments[2].present() && !payments[2].readable() && !payments[2].status_id().readable());
    CHECK(payments[3].present() && !payments[3].status_id().readable() && !payments[3].remarks().present());
    CHECK(payments[4].present() && payments[4].raw() == "{}");
    CHECK(!payments[5].present() && payments[5].readable() && payments[5].status_id().readable());
    std::size_t count = 0, known = 0;
    for (const auto &payment : details(got).data().order_payments()) {
        count++;
        known += payment.status_id().has_value();
    }
    CHECK(count == 5 && known == 1);
    auto at = payments.begin();
    CHECK(at++ == payments.begin() && at != payments.begin() && !(*at).readable());
    const reply wrong = answered("{\"data\":{\"orderPayments\":{\"0\":{\"statusId\":5}}}}");
    CHECK(!details(wrong).data().order_payments() && !details(wrong).data().order_payments().readable());
    CHECK(details(wrong).data().order_payments().size() == 0 && details(wrong).data().order_payments().present());
    std::string many = "{\"directDebitMandates\":[";
    for (int index = 0; index < 3000; index++) {
        many += (index == 0 ? "{\"directDebitId\":" : ",{\"directDebitId\":") + std::to_string(index) + '}';
    }
    const reply long_one = answered(many + "]}");
    std::int64_t expected = 0;
    for (const auto &mandate : paysvc::direct_debit_history_answer(long_one).direct_debit_mandates()) {
        CHECK(*mandate.direct_debit_id() == expected++);
    }
    CHECK(expected == 3000);
}

void lifetimes() {
    paysvc::order_refund_reply first = answered("{\"status\":true,\"data\":{\"amount_refunded\":25.50,\"status\":\"pending\"}}");
    CHECK(first.state() == paysvc::state::pending && !first.call_id().empty());
    const auto before = first.answer().data();
    paysvc::order_refund_reply second = std::move(first);
    CHECK(*before.amount_refunded() == "25.50"); // The reply has moved, the answer has not.
    CHECK(!first.answer().present() && first.answer().readable() && !first.answer().data().status().present());
    CHECK(first.call_id().empty() && first.handle() == nullptr);
    reply plain = std::move(second);
    CHECK(paysvc::order_refund_answer(plain).data().status().value_or("?") == "pending");
    CHECK(!second.answer().data().present());
    const paysvc::order_refund_reply again(std::move(plain));
    CHECK(*again.answer().data().status() == "pending" && again.call_id() != paysvc::reply().call_id());
    const reply none;
    const order nowhere, of_none(none);
    CHECK(nowhere.readable() && of_none.readable() && of_none.data().order_payments()[0].readable());
    CHECK(!of_none.data().order_payments().present() && nowhere.raw() == "" && of_none.raw() == "");
    paysvc::value<std::string> text = again.answer().data().status();
    CHECK(std::move(text).value_or("") == "pending" && paysvc::value<bool>().value_or(true));
    CHECK(*again.answer().data().status() == "pending"); // A value is the program's own.
}

// What a token sends along and keeps, and the other members of a reply.
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
    // The last line stays: it is that of the answer.
    CHECK(line.find("\"request_id\":\"" + trace + '"') != std::string::npos && got.request_id() == trace);
    token.keep_log(0);
    CHECK(connected().invoke("order_refund", request, token).ok() && !token.next_log(line));
    CHECK(got.get_cp1252("/data/name", text) && !got.get_cp1252("/data/other", text) && text == "Ren\xe9" "e");
    CHECK(answered("{\"status\":true}").request_id().empty() && reply().request_id().empty());
}

#if PAYSVC_EXCEPTIONS
// The answer of a call that failed.
void errors() {
    std::unique_ptr<paysvc::error> kept;
    try {
        connected().order_refund(
            paysvc::order_refund_request().reference("R").reason("{\"status\":false,\"data\":{\"status\":\"failed\"}}"));
    } catch (const paysvc::rejected &why) {
        CHECK(*paysvc::order_refund_answer(why.reply()).data().status() == "failed");
        kept.reset(new paysvc::error(why));
    }
    CHECK(kept && !kept->reply().call_id().empty());
    const paysvc::order_refund_answer answer(kept->reply());
    CHECK(*answer.data().status() == "failed");
    const paysvc::order_refund_reply good =
        connected().order_refund(paysvc::order_refund_request().reference("R").reason("{\"status\":true,\"data\":{}}"));
    CHECK(good.ok() && good.answer().data().present());
}
#else
// What throws with exceptions returns without them.
void errors() {
    const paysvc::order_refund_reply got = connected().order_refund(
        paysvc::order_refund_request().reference("R").reason("{\"status\":false,\"data\":{\"status\":\"failed\"}}"));
    CHECK(got.outcome() == paysvc::outcome::rejected && *got.answer().data().status() == "failed");
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
    leaves();
    times();
    objects();
    lists();
    lifetimes();
    tokens();
    errors();
    return 0;
}
