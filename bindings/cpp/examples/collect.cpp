// Collects payments at a till: by direct debit, virtual account and card, and makes a refund.
//
//   collect --sandbox   gets what the customer and the bank would tell from the sandbox's admin interface
//   collect             asks you: for the one-time code that the customer gets by e-mail, and for the session identifier
//                       of an incoming transfer
//
// It is configured by environment variables: PAYSVC_BASE_URL, PAYSVC_PUBLIC_KEY, PAYSVC_SECRET_KEY and
// PAYSVC_ENCRYPTION_KEY, and one for every other setting, such as PAYSVC_CA_FILE.
#include <paysvc.hpp>

#include <cstdio>
#include <ctime>
#include <iostream>

namespace {

bool failed = false;

// Makes a call and prints a line: step, subject, one value of the answer, outcome, time.
template <class Call, class Read>
auto ask(const char *what, const std::string &of, Call call, Read shown) -> decltype(call()) {
    using clock = std::chrono::steady_clock;
    const clock::time_point started = clock::now();
    auto reply = call();
    const long long took = std::chrono::duration_cast<std::chrono::milliseconds>(clock::now() - started).count();
    const std::string value = shown(reply.answer()).value_or(reply.message());
    std::printf("%-21s %-19s %-42.42s %-9s %5lld ms\n", what, of.c_str(), value.c_str(),
                name(reply.outcome()), took);
    if (reply.outcome() != paysvc::outcome::confirmed) {
        std::printf("%-21s %s: %s\n", "", name(reply.status()), reply.message().c_str());
        failed = true;
    }
    return reply;
}

// The same, and returns the value.
template <class Call, class Read> std::string step(const char *what, const std::string &of, Call call, Read shown) {
    const auto reply = ask(what, of, call, shown);
    return shown(reply.answer()).value_or("");
}

// What the customer ordered. A payment is compared with it before goods are handed over.
struct ordered {
    std::string amount, currency, reference;
    std::string text() const { return amount + " " + currency + " for " + reference; }
};

bool is_under_way(paysvc::state state) {
    return state == paysvc::state::initiated || state == paysvc::state::pending || state == paysvc::state::awaiting ||
           state == paysvc::state::processing;
}

// Prints whether to hand over the goods: only for a payment that is CONFIRMED and SUCCESSFUL, and as ordered.
void hand_over(const paysvc::reply &reply, const ordered &what) {
    const std::string why = reply.why_not_paid(what.reference, what.amount, what.currency);
    std::string advice;
    switch (reply.outcome()) {
    case paysvc::outcome::confirmed: // If it is under way, a real till now waits with order_wait().
        advice = why.empty() ? "paid: " + what.text() + "; hand over the goods"
                             : "NOT PAID (" + std::string(name(reply.state())) + "): keep the goods: " + why;
        failed = failed || (!why.empty() && !is_under_way(reply.state()));
        break;
    case paysvc::outcome::rejected:
        advice = "this request was not executed, but an earlier one may have been: see the message";
        break;
    case paysvc::outcome::not_sent:
        advice = "nothing was sent: it may be repeated";
        break;
    default:
        advice = "it may have been charged: find out with resolve() before you charge again";
    }
    std::printf("%-21s %s\n", "", advice.c_str());
}

class till {
  public:
    explicit till(bool sandbox) : sandbox_(sandbox) { client_.check(); }

    // Creates the order with its price.
    void create_order(const ordered &what) const {
        step("create the order", what.reference, [&] {
            return client_.order_create(
                std::nothrow, paysvc::order_create_request()
                                  .order(priced(what).description("rent"))
                                  .customer(paysvc::order_create_customer()
                                                .firstname("Ada")
                                                .lastname("Lovelace")
                                                .mobile("+2348000000000")
                                                .country("NG")
                                                .email("ada@example.com"))
                                  .payment(paysvc::order_create_payment().RedirectUrl("https://till.example/done")));
        }, [](const paysvc::order_create_answer &answer) { return answer.data().order().amount(); });
    }

    void direct_debit(const ordered &what) const {
        const std::string &order = what.reference;
        step("mandate history", "ada@example.com", [&] {
            return client_.direct_debit_history(std::nothrow, paysvc::direct_debit_history_request().emailAddress("ada@example.com"));
        }, [](const paysvc::direct_debit_history_answer &answer) { return answer.customerName(); });
        const std::string mandate = step("create a mandate", order, [&] {
            return client_.direct_debit_create(std::nothrow, paysvc::direct_debit_create_request()
                                                                 .recurringPaymentId(1)
                                                                 .orderReference(order)
                                                                 .bankName("Example Bank")
                                                                 .accountNumber("0123456789")
                                                                 .bankCode("044")
                                                                 .address("1 Example Street"));
        }, [](const paysvc::direct_debit_create_answer &answer) { return answer.data().mandateCode(); });
        const auto checked = ask("check the mandate", mandate, [&] {
            return client_.direct_debit_status(std::nothrow, paysvc::direct_debit_status_request().mandateCode(mandate));
        }, [](const paysvc::direct_debit_status_answer &answer) { return answer.message(); });
        if (!checked.is_active()) {
            std::printf("%-21s the mandate is not active: debit it later\n", "");
            failed = true;
            return;
        }
        step("send one-time code", mandate, [&] {
            return client_.direct_debit_otp(std::nothrow, paysvc::direct_debit_otp_request().mandateCode(mandate));
        }, [](const paysvc::direct_debit_otp_answer &answer) { return answer.data(); });
        const std::string otp = learn(
            "one-time code from the customer's e-mail",
            paysvc::raw_request().method("GET").path("/sandbox/otp/" + mandate).key("public"), "/otp");
        const auto reply = ask("pay", order, [&] {
            return client_.order_pay(std::nothrow, paysvc::order_pay_request().paymentOption("NDD").reference(order).directDebitPaymentRequest(
                paysvc::order_pay_directDebitPaymentRequest().otp(otp).mandateCode(mandate).accountName("Ada Lovelace").bankCode("044")));
        }, [](const paysvc::order_pay_answer &answer) { return answer.data().orderPayment().totalAmount(); });
        hand_over(reply, what);
    }

    void virtual_account(const std::string &alias) const {
        const ordered rent = {"2500.5", "NGN", "FLAT-7"};
        const std::string account = step("virtual account", alias, [&] {
            return client_.virtual_account_generate(
                std::nothrow, paysvc::virtual_account_generate_request().Alias(alias).Narration("Rent").Reference(rent.reference));
        }, [](const paysvc::virtual_account_generate_answer &answer) { return answer.accountNumber(); });
        const std::string transfer =
            "{\"accountNumber\":\"" + account + "\",\"amount\":\"2500.50\",\"senderName\":\"Grace Hopper\"}";
        const std::string session = learn(
            "session identifier of a transfer to that account",
            paysvc::raw_request().method("POST").path("/sandbox/fund").key("public").body(paysvc::raw(transfer)), "/sessionId");
        const auto reply = ask("transaction details", "the transfer", [&] {
            return client_.transaction_details(std::nothrow, paysvc::transaction_details_request().sessionId(session));
        }, [](const paysvc::transaction_details_answer &answer) { return answer.data().totalAmountCharged(); });
        hand_over(reply, rent);
    }

    // With exceptions; the other steps use std::nothrow, to print every outcome in the same way.
    void refund(const std::string &order) const {
        try {
            const auto reply = ask("refund in part", order, [&] {
                return client_.order_refund(
                    paysvc::order_refund_request().reference(order).reason("one item returned").amount("25.50"));
            }, [](const paysvc::order_refund_answer &answer) { return answer.data().amount_refunded(); });
            // Another amount or order would not be CONFIRMED: the library compares them. Nothing else tells how it ends.
            const std::string advice = reply.state() == paysvc::state::successful
                                           ? "refunded" : "accepted, not done yet: no endpoint tells how it ends, look at the dashboard";
            std::printf("%-21s %s\n", "", advice.c_str());
        } catch (const paysvc::outcome_unknown &why) {
            std::cout << "it may have been made, find out before you repeat it: " << why.what() << '\n';
            failed = true;
        } catch (const paysvc::error &why) { // REJECTED or NOT_SENT: this request was not executed.
            std::cout << why.what() << '\n';
            failed = true;
        }
    }

    void card(const ordered &what) const {
        const std::string &order = what.reference;
        const auto reply = ask("card order", order, [&] {
            return client_.order_create(
                std::nothrow,
                paysvc::order_create_request().reference(order).paymentoption("C").country("NG").order(priced(what)).card(
                    paysvc::order_create_card().cardnumber("4111111111111111").expirymonth("01").expiryyear("39").cvv("193")));
        }, [](const paysvc::order_create_answer &answer) { return answer.data().order().status(); });
        hand_over(reply, what);
    }

  private:
    static paysvc::order_create_order priced(const ordered &what) {
        return paysvc::order_create_order().reference(what.reference).amount(what.amount).currency(what.currency);
    }

    // What the customer or the bank would tell, from the sandbox or typed in by you.
    std::string learn(const char *question, const std::string &request, const std::string &pointer) const {
        if (sandbox_) {
            return client_.request(std::nothrow, request).get_or(pointer, "");
        }
        std::string line;
        std::cout << question << ": " << std::flush;
        std::getline(std::cin, line);
        return line;
    }

    const paysvc::client client_;
    const bool sandbox_;
};

} // namespace

int main(int argc, char **argv) {
    const std::string stamp = std::to_string(static_cast<long long>(std::time(nullptr)));
    try {
        const till till(argc > 1 && std::string(argv[1]) == "--sandbox");
        std::printf("%-21s %-19s %-42s %-9s %8s\n", "STEP", "FOR", "RESULT", "OUTCOME", "TIME");
        const ordered rent = {"98000.00", "NGN", "ORDER-" + stamp}, meal = {"620.1", "NGN", "CARD-" + stamp};
        till.create_order(rent);
        till.direct_debit(rent);
        till.virtual_account("tenant-" + stamp);
        till.refund(rent.reference);
        till.create_order(meal);
        till.card(meal);
    } catch (const paysvc::error &why) { // From the constructor of the client, or its check.
        std::cerr << why.what() << '\n';
        return 2;
    }
    std::printf("\nTo use the real service, put its address and your keys (dashboard: Settings > API Keys & Webhooks) into\n"
                "PAYSVC_BASE_URL, PAYSVC_PUBLIC_KEY, PAYSVC_SECRET_KEY and PAYSVC_ENCRYPTION_KEY, and run the same program\n"
                "without --sandbox. Test keys move no money.\n");
    return failed ? 1 : 0;
}
