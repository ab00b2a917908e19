/* The table of verdicts: what a row that moves money, or one that reads, makes of one answer. The first line that fits.
 *
 * Comments quote the document where it can be read in two ways; the reading taken is the safer one for the merchant. */
#include "verdict_oracle.h"
#include <paysvc.h>
#include <string.h>

static const struct oracle_row rows[] = {
    {.name = "order_refund", .kind = ORACLE_MOVES, .refund_or_payout = 1},
    {.name = "payout_initiate", .kind = ORACLE_MOVES, .refund_or_payout = 1},
    {.name = "order_pay", .kind = ORACLE_MOVES},
    {.name = "order_create", .kind = ORACLE_MOVES},
    {.name = "direct_debit_create", .kind = ORACLE_REPEATABLE},
    {.name = "direct_debit_otp", .kind = ORACLE_REPEATABLE},
    {.name = "virtual_account_generate", .kind = ORACLE_REPEATABLE},
    {.name = "transaction_details", .kind = ORACLE_READS, .subject = "data.statusId"},
    {.name = "direct_debit_history",
     .kind = ORACLE_READS,
     .members = {"customerName", "hasExistingDebitMandate", "directDebitMandates"}},
    {.name = "direct_debit_status", .kind = ORACLE_READS},
    {.name = "payout_status", .kind = ORACLE_READS},
    {.name = "payout_name_enquiry", .kind = ORACLE_READS, .members = {"bankCode", "accountNumber", "accountName"}},
    {.name = "payout_balance", .kind = ORACLE_READS, .members = {"currency", "availableBalance"}},
    {.name = "order_status", .kind = ORACLE_READS, .subject = "data.orderSummary", .word_is_state = 1},
    {.name = "request POST", .kind = ORACLE_MOVES, .free = 1},
    {.name = "request GET", .kind = ORACLE_READS, .free = 1},
};

const struct oracle_row *oracle_row(const char *name)
{
    size_t i;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}

static struct oracle_verdict verdict(const char *line, int status, int outcome, int state, int again)
{
    struct oracle_verdict said;
    said.line = line;
    said.status = status;
    said.outcome = outcome;
    said.state = state;
    said.again = again;
    return said;
}

static struct oracle_verdict unknown(const char *line, int status, int state)
{
    return verdict(line, status, PAYSVC_OUTCOME_UNKNOWN, state, 0);
}

static int refusal(int http) { return http == 401 || http == 403 ? PAYSVC_E_UNAUTHORIZED : PAYSVC_E_REJECTED; }

static int among(int http, const int *list)
{
    for (; *list != 0; list++) {
        if (*list == http) {
            return 1;
        }
    }
    return 0;
}

/* Row 6, for any status. */
static int not_whole(const struct oracle_answer *answer, const struct reading *reading)
{
    /* "ended by the connection and not whole JSON": a bare number may have lost its last digits, so it is not whole. */
    int provably_whole =
        reading->is_json && !(answer->length > 0 && strchr("-0123456789", answer->body[answer->length - 1]) != NULL);
    return answer->cut || answer->late || answer->encoded || (answer->ended_by_close && !provably_whole) ||
           (reading->begins_as_json && !reading->is_json);
}

static struct oracle_verdict money(const struct oracle_row *row, const char *request,
                                   const struct oracle_answer *answer, int after_429)
{
    static const int decided_by_http[] = {400, 401, 404, 405, 407, 410, 411, 412, 413,
                                          414, 415, 416, 417, 421, 426, 428, 431, 0};
#ifdef PLANTED_DIFFERENCE /* for the test that a difference is noticed */
    static const int decided_before_the_service[] = {401, 405, 413, 415, 422, 0};
#else
    static const int decided_before_the_service[] = {401, 405, 413, 415, 0};
#endif
    static const int open_after_429[] = {400, 404, 410, 412, 0};
    struct reading r;
    int http = answer->http, ok, client_error;
    if (answer->arrival == ORACLE_NOT_SENT) {
        return after_429 ? verdict("1", PAYSVC_E_RATE_LIMITED, PAYSVC_OUTCOME_REJECTED, 0, 1)
                         : verdict("1", PAYSVC_E_TRANSPORT, PAYSVC_OUTCOME_NOT_SENT, 0, 1);
    }
    if (answer->arrival == ORACLE_SILENCE || http < 200) {
        return unknown("2", answer->late ? PAYSVC_E_TIMEOUT : PAYSVC_E_TRANSPORT, 0);
    }
    oracle_read(&r, row, request, answer->body, answer->length);
    if (not_whole(answer, &r)) {
        /* "The state of B is kept with every outcome": of an answer that is not whole there is none to keep. */
        memset(&r, 0, sizeof r);
        r.begins_as_json = 1;
    }
    ok = http >= 200 && http < 300;
    client_error = http >= 400 && http < 500;
    if ((http >= 300 && http < 400) || http >= 600) {
        return unknown("3", PAYSVC_E_RESPONSE, r.state);
    }
    if (http >= 500) {
        return unknown("4", PAYSVC_E_SERVER, r.state);
    }
    if (http == 408) {
        return unknown("5", PAYSVC_E_TIMEOUT, r.state);
    }
    if (r.begins_as_json && !r.is_json) {
        return unknown("6", answer->late ? PAYSVC_E_TIMEOUT : PAYSVC_E_RESPONSE, 0);
    }
    if (http != 429 && ((r.success_any && (r.failure_any || r.weak_any)) || r.name_twice)) {
        return unknown("7", PAYSVC_E_RESPONSE, r.state);
    }
    if (http == 429) {
        return r.success_any || r.denies || r.names_state || r.name_twice
                   ? unknown("8", PAYSVC_E_RATE_LIMITED, r.state)
                   : verdict("9", PAYSVC_E_RATE_LIMITED, PAYSVC_OUTCOME_REJECTED, r.state, 1);
    }
    if (client_error && r.success_any) {
        return unknown("10", PAYSVC_E_RESPONSE, r.state);
    }
    if (r.failure_any && r.denies) {
        return unknown("11", PAYSVC_E_RESPONSE, r.state);
    }
    if (r.failure_exact) {
        if (after_429 && !r.own_failed && !among(http, decided_before_the_service)) {
            return unknown("12", PAYSVC_E_RESPONSE, r.state);
        }
        return verdict("12", refusal(http), PAYSVC_OUTCOME_REJECTED, r.state, 0);
    }
    /* From here on "no vote": an F in another case than the exact one ends in 14, 15 or 20 as no vote does. */
    if (client_error) {
        if (r.denies) {
            return unknown("13", PAYSVC_E_RESPONSE, r.state);
        }
        if (!among(http, decided_by_http)) {
            return unknown("15", PAYSVC_E_RESPONSE, r.state);
        }
        if (after_429 && among(http, open_after_429)) {
            return unknown("14", PAYSVC_E_RESPONSE, r.state);
        }
        return verdict("14", refusal(http), PAYSVC_OUTCOME_REJECTED, r.state, 0);
    }
    if (!ok || !r.success_exact) {
        return unknown("20", PAYSVC_E_RESPONSE, r.state);
    }
    if (r.other_request || r.contradiction || r.failed_but_coded || r.refusing_code || r.failed_item) {
        return unknown("16", PAYSVC_E_RESPONSE, 0);
    }
    if (r.own_failed) {
        return verdict("17", PAYSVC_E_REJECTED, PAYSVC_OUTCOME_REJECTED, PAYSVC_STATE_FAILED, 0);
    }
    if (r.state == PAYSVC_STATE_FAILED) {
        return unknown("18", PAYSVC_E_RESPONSE, 0);
    }
    return verdict("19", PAYSVC_OK, PAYSVC_OUTCOME_CONFIRMED, r.state, 0);
}

static struct oracle_verdict read_only(const struct oracle_row *row, const char *request,
                                       const struct oracle_answer *answer)
{
    struct reading r;
    int http = answer->http, broken = answer->cut || answer->ended_by_close;
    if (answer->arrival == ORACLE_NOT_SENT) {
        return verdict("read transport", PAYSVC_E_TRANSPORT, PAYSVC_OUTCOME_NOT_SENT, 0, 1);
    }
    if (answer->arrival == ORACLE_SILENCE || http < 200) {
        return verdict("read transport", answer->late ? PAYSVC_E_TIMEOUT : PAYSVC_E_TRANSPORT, PAYSVC_OUTCOME_UNKNOWN,
                       0, !answer->late);
    }
    oracle_read(&r, row, request, answer->body, answer->length);
    if ((http >= 300 && http < 400) || http >= 600) {
        return verdict("read 3", PAYSVC_E_RESPONSE, PAYSVC_OUTCOME_UNKNOWN, 0, broken);
    }
    if (http >= 500) {
        return verdict("read 5xx", PAYSVC_E_SERVER, PAYSVC_OUTCOME_UNKNOWN, 0, 1);
    }
    if (http == 408) {
        return verdict("read 408", PAYSVC_E_TIMEOUT, PAYSVC_OUTCOME_UNKNOWN, 0, 1);
    }
    /* "rows 3, 6, a name twice: UNKNOWN, and read again … where the connection was cut" and "408, 429 …: repeated, then
     * UNKNOWN (429: REJECTED)": a 429 that is not whole or has a name twice is both. UNKNOWN, and repeated: reading
     * again harms nobody. */
    if (not_whole(answer, &r)) {
        return verdict("read 6", answer->late ? PAYSVC_E_TIMEOUT : PAYSVC_E_RESPONSE, PAYSVC_OUTCOME_UNKNOWN, 0,
                       !answer->late && (broken || http == 429));
    }
    if (r.name_twice) {
        return verdict("read twice", http == 429 ? PAYSVC_E_RATE_LIMITED : PAYSVC_E_RESPONSE, PAYSVC_OUTCOME_UNKNOWN, 0,
                       broken || http == 429);
    }
    if (http == 429) {
        return verdict("read 429", PAYSVC_E_RATE_LIMITED, PAYSVC_OUTCOME_REJECTED, 0, 1);
    }
    if (r.other_request) {
        return unknown("read 16", PAYSVC_E_RESPONSE, 0);
    }
    if (http >= 400) {
        /* "4xx REJECTED, after rows 6, 7 and 16": row 10 is not named, so S alone does not weaken it. */
        if (r.success_exact && (r.failure_any || r.weak_any)) {
            return unknown("read 7", PAYSVC_E_RESPONSE, 0);
        }
        return verdict("read 4xx", refusal(http), PAYSVC_OUTCOME_REJECTED, 0, 0);
    }
    if (r.subject) {
        /* The sentence names F alone; weak F contradicts success elsewhere, and no state is the safer answer here. */
        int failed = (r.failure_any || r.weak_any) && !row->word_is_state;
        int state = r.contradiction || (r.state == PAYSVC_STATE_SUCCESSFUL && failed) ? 0 : r.state;
        return verdict(state == 0 ? "read subject, no state" : "read subject", PAYSVC_OK, PAYSVC_OUTCOME_CONFIRMED,
                       state, 0);
    }
    if (r.success_exact && (r.failure_any || r.weak_any)) {
        return unknown("read 7", PAYSVC_E_RESPONSE, 0);
    }
    if (r.failure_any) {
        return verdict("read F", PAYSVC_E_REJECTED, PAYSVC_OUTCOME_REJECTED, 0, 0);
    }
    if (r.success_exact) {
        return verdict("read S", PAYSVC_OK, PAYSVC_OUTCOME_CONFIRMED, 0, 0);
    }
    if (r.own_member) {
        return verdict("read bare", PAYSVC_OK, PAYSVC_OUTCOME_CONFIRMED, 0, 0);
    }
    return unknown("read nothing", PAYSVC_E_RESPONSE, 0);
}

struct oracle_verdict oracle_judge(const struct oracle_row *row, const char *request,
                                   const struct oracle_answer *answer, int after_429)
{
    return row->kind == ORACLE_READS ? read_only(row, request, answer) : money(row, request, answer, after_429);
}
