// The library from a language that has no package for it: a charge, which is resolved if nobody knows what became of it, and a
// receiver of webhooks.
//
//   javac -cp jna.jar:gson.jar -d build/java examples/Till.java
//   java -cp jna.jar:gson.jar:build/java Till charge T7-1 25.50 look_up.json
//   java -cp jna.jar:gson.jar:build/java Till resolve look_up.json     (after a crash)
//   java -cp jna.jar:gson.jar:build/java Till webhooks 8080 T7-1 25.50
//
// The settings come from the environment (PAYSVC_BASE_URL, ...); -Djna.library.path=... finds the library.
import com.google.gson.*;
import com.sun.jna.*;
import com.sun.jna.ptr.PointerByReference;
import com.sun.net.httpserver.*;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;

public class Till implements AutoCloseable {
    interface Paysvc extends Library {
        int paysvc_client_new(String config, PointerByReference client, PointerByReference reply);
        void paysvc_client_free(Pointer client);
        int paysvc_invoke(Pointer client, String function, String request, Pointer call, PointerByReference reply);
        Pointer paysvc_reply_json(Pointer reply);
        Pointer paysvc_reply_body(Pointer reply);
        int paysvc_reply_is_paid(Pointer reply, String reference, String amount, String currency, PointerByReference whyNot);
        void paysvc_reply_free(Pointer reply);
    }

    static final Paysvc C = Native.load("paysvc", Paysvc.class, Map.of(Library.OPTION_STRING_ENCODING, "UTF-8"));
    static final Gson JSON = new Gson();
    final Pointer client;

    Till() {
        PointerByReference made = new PointerByReference(), why = new PointerByReference();
        C.paysvc_client_new(null, made, why);
        Reply reply = new Reply(why.getValue(), null, null, null);
        client = made.getValue();
        if (client == null) throw new IllegalStateException(reply.text("message"));
    }

    @Override
    public void close() {
        C.paysvc_client_free(client);
    }

    /** The response. Where nothing more is known, the outcome is UNKNOWN: it may have been charged. */
    static class Reply {
        final JsonObject told, body;
        final boolean paid;

        Reply(Pointer reply, String reference, String amount, String currency) {
            Pointer text = C.paysvc_reply_json(reply);
            told = text == null ? new JsonObject() : parse(text.getString(0, "UTF-8"));
            body = parse(C.paysvc_reply_body(reply).getString(0, "UTF-8"));
            paid = C.paysvc_reply_is_paid(reply, reference, amount, currency, null) == 1;
            C.paysvc_reply_free(reply);
        }

        static JsonObject parse(String text) {
            var value = JsonParser.parseString(text);
            return value.isJsonObject() ? value.getAsJsonObject() : new JsonObject();
        }

        String text(String name) {
            return told.has(name) && !told.get(name).isJsonNull() ? told.get(name).getAsString() : "";
        }
    }

    /** Calls a function; NULL compares nothing, so that it is not paid. */
    Reply call(String function, JsonObject request, String reference, String amount, String currency) {
        PointerByReference reply = new PointerByReference();
        C.paysvc_invoke(client, function, JSON.toJson(request), null, reply);
        return new Reply(reply.getValue(), reference, amount, currency);
    }

    void charge(String reference, String amount, Path stored) throws IOException {
        JsonObject order = new JsonObject(), request = new JsonObject(), asked = new JsonObject();
        order.addProperty("reference", reference);
        order.addProperty("amount", amount);
        order.addProperty("currency", "NGN");
        request.add("order", order);
        request.addProperty("reference", reference);
        request.addProperty("paymentoption", "C");
        request.addProperty("country", "NG");
        // From the card reader; this one is for tests.
        request.add("card", JSON.toJsonTree(Map.of("cardnumber", "5123450000000008", "expirymonth", "01", "expiryyear", "39", "cvv", "193")));
        // Before the first byte is sent: what finds out after a crash what became of it. It has no card data.
        asked.addProperty("endpoint", "order_create");
        asked.add("request", request);
        Files.writeString(stored, JSON.toJson(call("look_up", asked, null, null, null).body));
        Reply charged = call("order_create", request, reference, amount, "NGN");
        report(charged.text("outcome").equals("UNKNOWN") || charged.told.size() == 0 ? resolved(stored) : charged);
    }

    /** What became of a charge: nothing is charged. */
    Reply resolved(Path stored) throws IOException {
        JsonObject look = Reply.parse(Files.readString(stored)), order = look.getAsJsonObject("request").getAsJsonObject("order");
        return call("resolve", look, order.get("reference").getAsString(), order.get("amount").getAsString(), order.get("currency").getAsString());
    }

    static void report(Reply reply) {
        switch (reply.paid ? "PAID" : reply.text("outcome")) {
            case "PAID" -> System.out.println("paid");
            case "NOT_SENT", "REJECTED" -> System.out.println("this request charged nothing: " + reply.text("message"));
            case "CONFIRMED" -> System.out.println("not paid, do not charge again: " + reply.text("why_not"));
            default -> System.out.println("UNKNOWN, do not charge again: " + reply.text("message"));
        }
    }

    /** A program keeps the keys with its orders, so that it handles an event once. */
    final Set<String> handled = ConcurrentHashMap.newKeySet();

    void webhook(HttpExchange exchange, String ordered, String amount) throws IOException {
        JsonObject event = new JsonObject();
        byte[] body = exchange.getRequestBody().readNBytes(1 << 20);
        event.addProperty("body", new String(body, StandardCharsets.UTF_8));
        Reply reply = call("webhook_verify", event, ordered, amount, "NGN");
        var webhook = reply.told.get("webhook");
        JsonObject found = webhook != null && webhook.isJsonObject() ? webhook.getAsJsonObject() : new JsonObject();
        if (found.has("authentic") && found.get("authentic").getAsBoolean() && handled.add(found.get("key").getAsString())) {
            System.out.println(found.get("about").getAsString() + (reply.paid ? " is paid" : " is not paid as ordered"));
        }
        if (found.has("retry_after") && !found.get("retry_after").isJsonNull()) {
            exchange.getResponseHeaders().set("retry-after", found.get("retry_after").getAsString());
        }
        exchange.sendResponseHeaders(found.has("respond") ? found.get("respond").getAsInt() : 503, -1);
        exchange.close();
    }

    public static void main(String[] args) throws IOException {
        if (args[0].equals("webhooks")) {
            Till till = new Till();
            HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(args[1])), 0);
            server.createContext("/events", exchange -> till.webhook(exchange, args[2], args[3]));
            server.setExecutor(Executors.newFixedThreadPool(8));
            server.start();
            System.out.println("listening on port " + server.getAddress().getPort());
            return;
        }
        try (Till till = new Till()) {
            if (args[0].equals("charge")) till.charge(args[1], args[2], Path.of(args[3]));
            else report(till.resolved(Path.of(args[1])));
        }
    }
}
