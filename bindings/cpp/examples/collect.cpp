// A till collects a payment: the whole interface of the payments service, step by step, through paysvc.hpp.
//
//   collect --sandbox   plays the customer and the bank through the sandbox's own calls
//   collect             asks you for what the customer gets by e-mail, and for the session of an incoming transfer
//
// The configuration comes from PAYSVC_BASE_URL, PAYSVC_PUBLIC_KEY, PAYSVC_SECRET_KEY and PAYSVC_ENCRYPTION_KEY.
#include <paysvc.hpp>

#include <cstdio>
#include <ctime>
#include <iostream>

namespace {

bool failed = false;

// One call, one line: what was asked, what came back, the outcome, how long it took. Gives the value that is shown.
template <class Call> std::string step(const char *what, const std::string &of, Call call, const std::string &shown) {
    using clock = std::chrono::steady_clock;
    const clock::time_point started = clock::now();
    const paysvc::reply reply = call();
    const long long took = std::chrono::duration_cast<std::chrono::milliseconds>(clock::now() - started).count();
    const std::string value = reply.get_or(shown, reply.message());
    std::printf("%-21s %-19s %-42.42s %-9s %5lld ms\n", what, of.c_str(), value.c_str(),
                paysvc_outcome_name(static_cast<int>(reply.outcome())), took);
    if (reply.outcome() != paysvc::outcome::confirmed) {
        std::printf("%-21s %s: %s\n", "", paysvc_status_name(static_cast<int>(reply.status())), reply.message().c_str());
        failed = true;
    }
    return value;
}

class till {
  public:
    explicit till(bool sandbox) : sandbox_(sandbox) {}

    void direct_debit(const std::string &order) const {
        step("mandate history", "ada@example.com", [&] {
            return client_.direct_debit_history(std::nothrow, paysvc::direct_debit_history_request().emailAddress("ada@example.com"));
        }, "/customerName");
        const std::string mandate = step("create a mandate", order, [&] {
            return client_.direct_debit_create(std::nothrow, paysvc::direct_debit_create_request()
                                                                 .recurringPaymentId(1)
                                                                 .orderReference(order)
                                                                 .bankName("Example Bank")
                                                                 .accountNumber("0123456789")
                                                                 .bankCode("044")
                                                                 .address("1 Example Street"));
        }, "/data/mandateCode");
        step("check the mandate", mandate, [&] {
            return client_.direct_debit_status(std::nothrow, paysvc::direct_debit_status_request().mandateCode(mandate));
        }, "/message");
        step("send one-time code", mandate, [&] {
            return client_.direct_debit_otp(std::nothrow, paysvc::direct_debit_otp_request().mandateCode(mandate));
        }, "/data");
        const std::string otp = learn(
            "one-time code from the customer's e-mail",
            paysvc::raw_request().method("GET").path("/sandbox/otp/" + mandate).key("public"), "/otp");
        step("pay", order, [&] {
            return client_.order_pay(std::nothrow, paysvc::order_pay_request().paymentOption("NDD").reference(order).directDebitPaymentRequest(
                paysvc::order_pay_directDebitPaymentRequest().otp(otp).mandateCode(mandate).accountName("Ada Lovelace").bankCode("044")));
        }, "/data/orderPayment/totalAmount");
    }

    void virtual_account(const std::string &alias) const {
        const std::string account = step("virtual account", alias, [&] {
            return client_.virtual_account_generate(
                std::nothrow, paysvc::virtual_account_generate_request().Alias(alias).Narration("Rent").Reference("FLAT-7"));
        }, "/accountNumber");
        const std::string transfer =
            "{\"accountNumber\":\"" + account + "\",\"amount\":\"2500.50\",\"senderName\":\"Grace Hopper\"}";
        const std::string session = learn(
            "session identifier of a transfer to that account",
            paysvc::raw_request().method("POST").path("/sandbox/fund").key("public").body(paysvc::raw(transfer)), "/sessionId");
        step("transaction details", "the transfer", [&] {
            return client_.transaction_details(std::nothrow, paysvc::transaction_details_request().sessionId(session));
        }, "/data/totalAmountCharged");
    }

    // With exceptions, as a program that does one thing would write it.
    void refund(const std::string &order) const {
        try {
            step("refund in part", order, [&] {
                return client_.order_refund(
                    paysvc::order_refund_request().reference(order).reason("one item returned").amount("25.50"));
            }, "/data/amount_refunded");
        } catch (const paysvc::outcome_unknown &why) {
            std::cout << "it may have been done, find out before you repeat it: " << why.what() << '\n';
            failed = true;
        } catch (const paysvc::error &why) {
            std::cout << why.what() << '\n';
            failed = true;
        }
    }

    void card(const std::string &order) const {
        step("card order", order, [&] {
            return client_.order_create(
                std::nothrow,
                paysvc::order_create_request().reference(order).paymentoption("C").country("NG").card(
                    paysvc::order_create_card().cardnumber("4111111111111111").expirymonth("01").expiryyear("39").cvv("193")));
        }, "/message");
    }

  private:
    // What a customer or a bank would tell us: asked of the sandbox, or of the person at the terminal.
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
        std::printf("%-21s %-19s %-42s %-9s %8s\n", "ASKED", "OF", "CAME BACK", "OUTCOME", "TIME");
        till.direct_debit("ORDER-" + stamp);
        till.virtual_account("tenant-" + stamp);
        till.refund("ORDER-" + stamp);
        till.card("CARD-" + stamp);
    } catch (const paysvc::error &why) { // Only making the client throws here.
        std::cerr << why.what() << '\n';
        return 2;
    }
    std::printf("\nTo use the real service, put its address and your keys (dashboard: Settings > API Keys & Webhooks) into\n"
                "PAYSVC_BASE_URL, PAYSVC_PUBLIC_KEY, PAYSVC_SECRET_KEY and PAYSVC_ENCRYPTION_KEY, and run the same program\n"
                "without --sandbox. Test keys move no money.\n");
    return failed ? 1 : 0;
}
