CREATE TABLE journal_row (
    key TEXT NOT NULL,
    seq INTEGER NOT NULL CHECK (seq > 0),
    order_ref TEXT,
    -- 1: the last row of its key, which is open.
    open INTEGER NOT NULL CHECK (open IN (0, 1)),
    time_ms INTEGER NOT NULL,
    account TEXT NOT NULL,
    row TEXT NOT NULL,
    PRIMARY KEY (key, seq)
) STRICT;
-- Whose rows there are.
CREATE TABLE journal_account (account TEXT NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TABLE journal_about (
    id TEXT NOT NULL,
    -- Where it was made: a digest of the numbers of the machine and the file.
    home TEXT NOT NULL,
    -- The last key of which it was looked whether its details are too old to be kept.
    swept TEXT NOT NULL,
    -- The number of the first change in the -wal file: before it is made, and with it. They differ in the journal itself as
    -- long as the change is in that file alone.
    expected INTEGER NOT NULL DEFAULT 0,
    present INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX journal_row_of_order ON journal_row (order_ref) WHERE order_ref IS NOT NULL;
CREATE INDEX journal_row_open ON journal_row (key) WHERE open = 1;
-- For people, with a shell of SQLite: SELECT * FROM journal;
CREATE VIEW journal AS
SELECT
    strftime('%Y-%m-%d %H:%M:%f', time_ms / 1000.0, 'unixepoch') AS time_utc,
    coalesce(json_extract(row, '$.key_as_given'), key) AS key,
    seq,
    json_extract(row, '$.kind') AS kind,
    json_extract(row, '$.step') AS step,
    json_extract(row, '$.outcome') AS outcome,
    json_extract(row, '$.state') AS state,
    json_extract(row, '$.amount') AS amount,
    json_extract(row, '$.currency') AS currency,
    json_extract(row, '$.who') AS who,
    coalesce(json_extract(row, '$.order_as_given'), order_ref) AS order_ref,
    account,
    open
FROM journal_row;
