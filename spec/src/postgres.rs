//! The journal in PostgreSQL 12 or later: the table, and the packages' statements. A parameter is `{1}`, each once and in
//! this order; `{table}` is the name of the table.

/// Keys are in the order of their bytes, so that all databases agree.
pub const TABLE: &str = r#"CREATE TABLE paysvc_journal (
    key text COLLATE "C" NOT NULL,
    seq integer NOT NULL,
    "order" text COLLATE "C",
    open boolean NOT NULL,
    row text NOT NULL,
    PRIMARY KEY (key, seq)
);
CREATE INDEX paysvc_journal_order ON paysvc_journal ("order");
CREATE INDEX paysvc_journal_open ON paysvc_journal (key) WHERE open"#;

/// A statement: its name, what it is for, its text.
pub type Statement = (&'static str, &'static str, &'static str);

pub const STATEMENTS: &[Statement] = &[
    (
        "probe",
        "A setting that lasts as long as the transaction: in the next statement it is gone, unless that is in the same one.",
        "SELECT set_config('paysvc.probe', {1}, true)",
    ),
    (
        "probed",
        "Whether it is there, and whether the server is a replica.",
        "SELECT coalesce(current_setting('paysvc.probe', true) = {1}, false), pg_is_in_recovery()",
    ),
    (
        "insert",
        "The setting is for this one statement: the row is on the disk when it returns. An order \"\" is none.",
        r#"WITH durable AS (SELECT set_config('synchronous_commit', 'on', true))
INSERT INTO {table} (key, seq, "order", open, row)
SELECT {1}::text, {2}::integer, nullif({3}::text, ''), {4}::boolean, {5}::text FROM durable
ON CONFLICT (key, seq) DO NOTHING"#,
    ),
    ("keyed", "All rows of a key.", "SELECT row FROM {table} WHERE key = {1} ORDER BY seq"),
    ("ordered", "All rows of an order.", r#"SELECT row FROM {table} WHERE "order" = {1} ORDER BY key, seq"#),
    (
        "open",
        "The last rows of the keys after one that are open.",
        "SELECT row FROM {table} AS last WHERE open AND key > {1}
AND NOT EXISTS (SELECT 1 FROM {table} AS later WHERE later.key = last.key AND later.seq > last.seq)
ORDER BY key LIMIT {2}",
    ),
];
