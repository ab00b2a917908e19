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

// Prints a line: step, subject, one value of the response, outcome, time.
void print(const char *what, const std::string &of, const std::string &value, const paysvc::reply &reply, long long ms) {
    std::printf("%-21s %-19s %-42.42s %-9s %5lld ms\n", what, of.c_str(), value.c_str(), name(reply.outcome()), ms);
}

// Makes a call and prints its line.
template <class Call, class Read>
auto ask(const char *what, const std::string &of, Call call, Read shown) -> decltype(call()) {
    using clock = std::chrono::steady_clock;
    const clock::time_point started = clock::now();
    const auto took = [=] { return std::chrono::duration_cast<std::chrono::milliseconds>(clock::now() - started).count(); };
    try {
        auto reply = call();
        const std::string value = shown(reply.answer());
        print(what, of, value.empty() ? reply.message() : value, reply, took());
        return reply;
    } catch (const paysvc::error &why) {
        print(what, of, why.message(), why.reply(), took());
        throw;
    }
}

// The same, and returns the value.
template <class Call, class Read> std::string step(const char *what, const std::string &of, Call call, Read shown) {
    const auto reply = ask(what, of, call, shown);
    return shown(reply.answer());
}

// Runs steps, up to the first that fails.
template <class Steps> void attempt(Steps steps) {
    const auto failure = [](const paysvc::error &why, const char *advice) {
        std::printf("%-21s %s: %s\n%-21s %s\n", "", name(why.status()), why.message().c_str(), "", advice);
        failed = true;
    };
    try {
        steps();
    } catch (const paysvc::outcome_unknown &why) {
        failure(why, "it may have been executed: find out with resolve() before you repeat it");
    } catch (const paysvc::not_sent &why) {
        failure(why, "nothing was sent: it may be repeated");
    } catch (const paysvc::error &why) { // REJECTED
        failure(why, "this request was not executed, but an earlier one may have been: see the message");
    }
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
    if (why.empty()) {
        std::printf("%-21s paid: %s; hand over the goods\n", "", what.text().c_str());
    } else { // If it is under way, a real till now waits with order_wait().
        std::printf("%-21s NOT PAID (%s): keep the goods: %s\n", "", name(reply.state()), why.c_str());
        failed = failed || !is_under_way(reply.state());
    }
}

class till {
  public:
    explicit till(bool sandbox) : sandbox_(sandbox) { client_.check(); }

    // Creates the order with its price.
    void create_order(const ordered &what) const {
        step("create the order", what.reference, [&] {
            return client_.order_create(
                paysvc::order_create_request()
                    .order(priced(what).description("rent"))
                    .customer(paysvc::order_create_customer()
                                  .firstname("Ada")
                                  .lastname("Lovelace")
                                  .mobile("+2348000000000")
                                  .country("NG")
                                  .email("ada@example.com"))
                    .payment(paysvc::order_create_payment().redirect_url("https://till.example/done")));
        }, [](const paysvc::order_create_answer &answer) { return answer.order->amount; });
    }

    void direct_debit(const ordered &what) const {
        const std::string &order = what.reference;
        step("mandate history", "ada@example.com", [&] {
            return client_.direct_debit_history(paysvc::direct_debit_history_request().email_address("ada@example.com"));
        }, [](const paysvc::direct_debit_history_answer &answer) { return answer.customer_name; });
        const std::string mandate = step("create a mandate", order, [&] {
            return client_.direct_debit_create(paysvc::direct_debit_create_request()
                                                   .recurring_payment_id(1)
                                                   .order_reference(order)
                                                   .bank_name("Example Bank")
                                                   .account_number("0123456789")
                                                   .bank_code("044")
                                                   .address("1 Example Street"));
        }, [](const paysvc::direct_debit_create_answer &answer) { return answer.mandate_code; });
        const auto checked = ask("check the mandate", mandate, [&] {
            return client_.direct_debit_status(paysvc::direct_debit_status_request().mandate_code(mandate));
        }, [](const paysvc::direct_debit_status_answer &) { return std::string(); });
        if (!checked.is_active()) {
            std::printf("%-21s the mandate is not active: debit it later\n", "");
            failed = true;
            return;
        }
        step("send one-time code", mandate, [&] {
            return client_.direct_debit_otp(paysvc::direct_debit_otp_request().mandate_code(mandate));
        }, [](const paysvc::direct_debit_otp_answer &answer) { return answer.data; });
        const std::string otp = learn(
            "one-time code from the customer's e-mail",
            paysvc::raw_request().method("GET").path("/sandbox/otp/" + mandate).key("public"), "/otp");
        const auto reply = ask("pay", order, [&] {
            return client_.order_pay(paysvc::order_pay_request().payment_option("NDD").reference(order).direct_debit_payment_request(
                paysvc::order_pay_direct_debit_payment_request().otp(otp).mandate_code(mandate).account_name("Ada Lovelace").bank_code("044")));
        }, [](const paysvc::order_pay_answer &answer) { return answer.order_payment->total_amount; });
        hand_over(reply, what);
    }

    void virtual_account(const std::string &alias) const {
        const ordered rent = {"2500.5", "NGN", "FLAT-7"};
        const std::string account = step("virtual account", alias, [&] {
            return client_.virtual_account_generate(
                paysvc::virtual_account_generate_request().alias(alias).narration("Rent").reference(rent.reference));
        }, [](const paysvc::virtual_account_generate_answer &answer) { return answer.account_number; });
        const std::string transfer =
            "{\"accountNumber\":\"" + account + "\",\"amount\":\"2500.50\",\"senderName\":\"Grace Hopper\"}";
        const std::string session = learn(
            "session identifier of a transfer to that account",
            paysvc::raw_request().method("POST").path("/sandbox/fund").key("public").body(paysvc::raw(transfer)), "/sessionId");
        const auto reply = ask("transaction details", "the transfer", [&] {
            return client_.transaction_details(paysvc::transaction_details_request().session_id(session));
        }, [](const paysvc::transaction_details_answer &answer) { return answer.total_amount_charged; });
        hand_over(reply, rent);
    }

    void refund(const std::string &order) const {
        const auto reply = ask("refund in part", order, [&] {
            return client_.order_refund(
                paysvc::order_refund_request().reference(order).reason("one item returned").amount("25.50"));
        }, [](const paysvc::order_refund_answer &answer) { return answer.amount_refunded; });
        // Another amount or order would not be CONFIRMED: the library compares them. Nothing else tells how it ends.
        const char *advice = reply.state() == paysvc::state::successful
                                 ? "refunded" : "accepted, not done yet: no endpoint tells how it ends, look at the dashboard";
        std::printf("%-21s %s\n", "", advice);
    }

    void card(const ordered &what) const {
        const std::string &order = what.reference;
        const auto reply = ask("card order", order, [&] {
            return client_.order_create(
                paysvc::order_create_request().reference(order).paymentoption("C").country("NG").order(priced(what)).card(
                    paysvc::order_create_card().cardnumber("4111111111111111").expirymonth("01").expiryyear("39").cvv("193")));
        }, [](const paysvc::order_create_answer &answer) { return answer.order->status; });
        hand_over(reply, what);
    }

  private:
    static paysvc::order_create_order priced(const ordered &what) {
        return paysvc::order_create_order().reference(what.reference).amount(what.amount).currency(what.currency);
    }

    // What the customer or the bank would tell, from the sandbox or typed in by you.
    std::string learn(const char *question, const std::string &request, const std::string &pointer) const {
        if (sandbox_) {
            return client_.invoke("request", request).get_or(pointer, ""); // Whatever its status is: it is no response of the service.
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
        attempt([&] {
            till.create_order(rent);
            till.direct_debit(rent);
        });
        attempt([&] { till.virtual_account("tenant-" + stamp); });
        attempt([&] { till.refund(rent.reference); });
        attempt([&] {
            till.create_order(meal);
            till.card(meal);
        });
    } catch (const paysvc::error &why) { // From the constructor of the client, or its check.
        std::cerr << why.what() << '\n';
        return 2;
    }
    std::printf("\nTo use the real service, put its address and your keys (dashboard: Settings > API Keys & Webhooks) into\n"
                "PAYSVC_BASE_URL, PAYSVC_PUBLIC_KEY, PAYSVC_SECRET_KEY and PAYSVC_ENCRYPTION_KEY, and run the same program\n"
                "without --sandbox. Test keys move no money.\n");
    return failed ? 1 : 0;
}
