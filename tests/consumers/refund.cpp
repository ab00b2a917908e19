// The same in C++, with the header for C++11 and newer.
#include <paysvc.hpp>

#include <iostream>

int main(int argc, char **argv) {
    if (argc != 3) {
        return 2;
    }
    try {
        const paysvc::client client;
        const auto request = paysvc::order_refund_request().reference(argv[1]).amount(argv[2]);
        std::cout << "CONFIRMED: " << client.order_refund(request).message() << '\n';
    } catch (const paysvc::error &error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
