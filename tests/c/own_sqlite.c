/* A program with SQLite of its own, and with the library's journal: each uses its own copy. argv: the configuration,
 * with a journal; the request of order_pay; the path of the journal; the path of a new database of the program's own;
 * "paid" if an earlier run has paid the order. */
#include "check.h"

typedef struct sqlite3 sqlite3;
extern const char *sqlite3_libversion(void);
extern int sqlite3_auto_extension(void (*)(void));
extern int sqlite3_open(const char *, sqlite3 **);
extern int sqlite3_exec(sqlite3 *, const char *, int (*)(void *, int, char **, char **), void *, char **);
extern int sqlite3_close(sqlite3 *);

static int opened, rows;

/* SQLite calls it for each connection that is opened, and the library's copy does not. */
static int count_opened(void)
{
    opened++;
    return 0;
}

static int read_count(void *unused, int columns, char **values, char **names)
{
    (void)unused;
    (void)names;
    rows = columns == 1 && values[0] != NULL ? atoi(values[0]) : -1;
    return 0;
}

static void pay(const paysvc_client *client, const char *request, int replayed)
{
    paysvc_reply *reply = NULL;
    EXPECT(paysvc_order_pay(client, request, NULL, &reply), reply, PAYSVC_OK, PAYSVC_OUTCOME_CONFIRMED);
    CHECK(paysvc_reply_replayed(reply) == replayed);
    paysvc_reply_free(reply);
}

int main(int argc, char **argv)
{
    paysvc_client *client = NULL;
    paysvc_reply *reply = NULL;
    sqlite3 *own = NULL, *journal = NULL;
    if (argc != 6) {
        return 2;
    }
    CHECK(sqlite3_auto_extension((void (*)(void))count_opened) == 0);
    CHECK(sqlite3_open(argv[4], &own) == 0);
    CHECK(sqlite3_exec(own, "CREATE TABLE sale (id); BEGIN; INSERT INTO sale VALUES (1)", NULL, NULL, NULL) == 0);
    CHECK(opened == 1);
    EXPECT(paysvc_client_new(argv[1], &client, &reply), reply, PAYSVC_OK, PAYSVC_OUTCOME_NOT_SENT);
    paysvc_reply_free(reply);
    pay(client, argv[2], strcmp(argv[5], "paid") == 0);
    pay(client, argv[2], 1);
    paysvc_client_free(client);
    CHECK(opened == 1);
    CHECK(sqlite3_exec(own, "INSERT INTO sale VALUES (2); COMMIT", NULL, NULL, NULL) == 0);
    CHECK(sqlite3_exec(own, "SELECT count(*) FROM sale", read_count, NULL, NULL) == 0 && rows == 2);
    CHECK(sqlite3_close(own) == 0);
    /* Its rows are for other copies of SQLite, too. */
    CHECK(sqlite3_open(argv[3], &journal) == 0);
    CHECK(sqlite3_exec(journal, "SELECT count(*) FROM journal_row", read_count, NULL, NULL) == 0 && rows >= 2);
    CHECK(sqlite3_close(journal) == 0 && opened == 2);
    printf("SQLite %s\n", sqlite3_libversion());
    return finished("own_sqlite");
}
