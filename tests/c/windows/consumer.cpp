// A program for Windows with the C++ wrapper: consumer CONFIGURATION REFERENCE. Exit status 0: all is as it must be.
#include <paysvc.hpp>

#include <cstdlib>
#include <iostream>

int main(int count, char **arguments) {
    if (count != 3 || paysvc_abi() != PAYSVC_ABI) {
        return 1;
    }
    try {
        const paysvc::client client{std::string(arguments[1])};
        const paysvc::reply found = client.direct_debit_history(std::string("{\"emailAddress\":\"none@example.com\"}"));
        if (found.outcome() != paysvc::outcome::confirmed) {
            return 1;
        }
        client.order_verify(std::string("{\"reference\":\"") + arguments[2] + "\"}");
    } catch (const paysvc::error &why) {
        // No order has this reference; the exception passed no frame of the library.
        std::cout << why.what() << '\n';
        return why.reply().outcome() == paysvc::outcome::rejected ? 0 : 1;
    }
    return 1;
}
