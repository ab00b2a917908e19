// Calls of several steps in paysvc.hpp, against the sandbox: progress that stops or throws, and what became of a request.
// Configured by the environment; the tests run it with AddressSanitizer as well.
#include "check.hpp"

#include <paysvc.hpp>

#include <memory>
#include <thread>
#include <vector>

namespace {

using paysvc::call;
using paysvc::client;

/// Returns whether it throws std::invalid_argument.
template <class Run> bool refused(Run run) {
    try {
        run();
    } catch (const std::invalid_argument &) {
        return true;
    }
    return false;
}

std::vector<paysvc::payout_bulk_payout_details> recipients(int count) {
    std::vector<paysvc::payout_bulk_payout_details> list;
    for (int i = 0; i < count; i++) {
        list.push_back(paysvc::payout_bulk_payout_details()
                           .client_reference("SALARY-" + std::to_string(i))
                           .account_number("069000" + std::to_string(10 + i) + "31")
                           .bank_code("000014").amount("10.50").description("salary").account_name("Ada")
                           .credit_currency("NGN").debit_currency("NGN"));
    }
    return list;
}

paysvc::payout_bulk_request payouts(int count = 5) { return paysvc::payout_bulk_request().payout_details(recipients(count)); }

paysvc::config with_journal(const std::string &path) { return paysvc::config().journal(path).journal_create(true); }

long long accepted(const paysvc::reply &report) { return paysvc::payout_bulk_answer(report).accepted.value_or(-1); }

void stops(const std::string &journal) {
    const client with(with_journal(journal));
    call token;
    int told = 0;
    token.set_progress([&](std::size_t done, std::size_t total, const std::string &step) {
        CHECK(done <= total && total == 5 && step.find("{\"step\":\"") == 0);
        told++;
        return step.find("after") == std::string::npos ? PAYSVC_CONTINUE : 1;
    });
    try {
        with.payout_bulk(payouts(), token);
        CHECK(!"nothing was thrown");
    } catch (const paysvc::error &why) {
        CHECK(accepted(why.reply()) > 0 && accepted(why.reply()) < 5 && told == 2);
    }
    CHECK(token.progress_failure() == nullptr);
    // The next call with this token has no function; and only what was not sent is sent.
    token.set_progress(nullptr);
    const auto rest = with.payout_bulk(payouts(), token);
    CHECK(accepted(rest) == 5 && told == 2 && rest.answer().payouts.size() == 5);
    CHECK(rest.answer().payouts[4].client_reference == "SALARY-4");
    // A paid recipient is not paid again, whatever the list.
    const auto goes_on = with.payout_bulk(payouts(4).continue_(true));
    CHECK(goes_on.replayed() && goes_on.answer().payouts[3].replayed.value_or(false));
}

void throws(const std::string &journal) {
    const client with(with_journal(journal));
    call token, moved;
    token.set_progress([](std::size_t done, std::size_t, const std::string &) -> int {
        if (done == 5) {
            throw std::runtime_error("a bug of the caller");
        }
        return PAYSVC_CONTINUE;
    });
    moved = std::move(token);
    // It throws after everything has been paid: the reply is not affected.
    CHECK(accepted(with.payout_bulk(payouts(), moved)) == 5);
    try {
        std::rethrow_exception(moved.progress_failure());
    } catch (const std::runtime_error &why) {
        CHECK(std::string(why.what()) == "a bug of the caller");
    }
    CHECK(token.progress_failure() == nullptr);
}

/// A charge that is paid.
void sell(const client &with, const std::string &reference) {
    const auto order = paysvc::order_create_order().reference(reference).amount("25.50").currency("NGN");
    const auto card = paysvc::order_create_card().cardnumber("4111111111111111").expirymonth("01").expiryyear("39").cvv("193");
    const auto paid = with.order_create(
        paysvc::order_create_request().reference(reference).paymentoption("C").country("NG").order(order).card(card));
    CHECK(paid.is_paid(reference, "25.5", "NGN") && paid.why_not_paid(reference, "25.5", "NGN")[0] == '\0');
    CHECK(!paid.is_paid(reference, "25.51", "NGN") && !paid.is_paid("", "*", "*"));
    CHECK(!paid.is_paid(reference + '\0', "25.5", "NGN"));
}

/// Charges an order whose reference is one of the client, or not.
void remembers(const std::string &journal, bool its_own) {
    const client with(with_journal(journal)), without;
    sell(with, its_own ? with.reference_new("T7") : paysvc::reference_new("T7"));
    CHECK(with.reference_new().size() == 26);
    CHECK(refused([&] { with.reference_new("a b"); }));
    try {
        without.reference_new("T7");
        CHECK(!"nothing was thrown");
    } catch (const std::invalid_argument &) {
        CHECK(!"the prefix is not wrong");
    } catch (const std::logic_error &why) {
        CHECK(std::string(why.what()).find("needs a journal") != std::string::npos);
    }
    CHECK(refused([&] { without.reference_new("a b"); }));
}

void waits() {
    const client with;
    CHECK(with.check().get_or("/checks/0/ok", "") == "true");
    try {
        client(paysvc::config().base_url("http://127.0.0.1:1").public_key("p")).check();
        CHECK(!"nothing was thrown");
    } catch (const paysvc::not_sent &why) {
        CHECK(why.status() == paysvc::status::transport && why.reply().get_or("/checks/7/check", "") == "connection");
    }
    CHECK(std::string(paysvc::name(paysvc::state::successful)) == "SUCCESSFUL" &&
          std::string(paysvc::name(static_cast<paysvc::state>(12))) == "?" &&
          std::string(paysvc::name(paysvc::status::timeout)) == "E_TIMEOUT" &&
          std::string(paysvc::name(paysvc::outcome::unknown)) == "UNKNOWN");
    const std::string reference = paysvc::reference_new("T7");
    CHECK(reference.size() == 29 && reference != paysvc::reference_new("T7"));
    CHECK(refused([] { paysvc::reference_new("a b"); }) && refused([] { paysvc::reference_new(std::string("a\0b", 3)); }));
    with.order_create(paysvc::order_create_request().order(
        paysvc::order_create_order().reference(reference).amount("25.50").currency("NGN")));
    call token;
    int looks = 0;
    token.set_progress([&](std::size_t, std::size_t total, const std::string &) {
        CHECK(total == 0);
        std::thread([&] { token.cancel(); }).join();
        return looks++ == 0 ? PAYSVC_CONTINUE : 0;
    });
    const paysvc::order_status_reply reply(with.invoke("order_wait", paysvc::order_wait_request().reference(reference), token));
    CHECK(reply.status() == paysvc::status::cancelled && reply.outcome() == paysvc::outcome::unknown && looks == 1);
    // Its response is that of the order.
    CHECK(!reply.answer().is_final_status.value_or(false));
    try {
        with.resolve(paysvc::resolve_request().endpoint("order_pay").request(paysvc::order_pay_request().reference(reference)));
        CHECK(!"nothing was thrown");
    } catch (const paysvc::outcome_unknown &why) {
        CHECK(std::string(why.what()).find("resolve: ") == 0);
    }
    CHECK(with.invoke("resolve", "{}").outcome() == paysvc::outcome::unknown);
    sell(with, paysvc::reference_new("T7"));
    CHECK(!paysvc::reply().is_paid("*", "*", "*"));
}

struct counted : paysvc::store {
    explicit counted(int &alive) : alive_(alive) { alive_++; }
    ~counted() override { alive_--; }
    appended append(const std::string &, int, const std::string &, std::chrono::milliseconds) override { return appended::done; }
    bool read(const std::string &, std::chrono::milliseconds, const rows &) override {
        return true;
    }
    int &alive_;
};

/// The client deletes a store that it has taken, and nobody else does.
void keeps_its_store() {
    int first = 0, second = 0;
    {
        const client with;
        with.set_store(std::unique_ptr<paysvc::store>(new counted(first)));
        CHECK(first == 1);
        try {
            with.set_store(std::unique_ptr<paysvc::store>(new counted(second)));
            CHECK(!"nothing was thrown");
        } catch (const paysvc::not_sent &why) {
            CHECK(why.status() == paysvc::status::config && first == 1 && second == 0);
        }
    }
    CHECK(first == 0);
    const client without;
    try {
        without.set_store(std::unique_ptr<paysvc::store>());
        CHECK(!"nothing was thrown");
    } catch (const paysvc::error &why) {
        CHECK(why.status() == paysvc::status::argument);
    }
}

void tells_what_is_open() {
    int alive = 0;
    const client with, without;
    with.set_store(std::unique_ptr<paysvc::store>(new counted(alive)));
    std::string key = "charge A";
    CHECK(with.journal_next(key).ok() && key.empty());
    key = "charge A";
    try {
        without.journal_next(key);
        CHECK(!"nothing was thrown");
    } catch (const paysvc::outcome_unknown &why) {
        CHECK(why.status() == paysvc::status::config && key == "charge A");
    }
}

void has_one_key() {
    const call token;
    const std::string with_nul("a\0b", 3);
    CHECK(refused([&] { token.set_key(""); }) && refused([&] { token.set_key(with_nul); }));
    token.set_key("refund-1");
    CHECK(refused([&] { token.set_key("refund-2"); }));
    CHECK(!paysvc::reply().replayed());
}

} // namespace

int main(int, char **argv) {
    const std::string what = argv[1];
    if (what == "stops") {
        stops(argv[2]);
        keeps_its_store();
        tells_what_is_open();
        has_one_key();
    } else if (what == "throws") {
        throws(argv[2]);
    } else if (what == "remembers") {
        remembers(argv[2], argv[3] == std::string("its own"));
    } else {
        waits();
    }
    return 0;
}
