-- Version 1: seven tables of one owner. Nothing in them is ever deleted by the program.

CREATE TABLE {schema}.store_metadata (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    store_id uuid NOT NULL UNIQUE,
    schema_version integer NOT NULL CHECK (schema_version >= 1),
    initialized_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE {schema}.schema_migrations (
    schema_version integer PRIMARY KEY CHECK (schema_version >= 1),
    migration_name text NOT NULL UNIQUE,
    migration_checksum text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE {schema}.state_addresses (
    namespace text NOT NULL CHECK (namespace <> ''),
    project text NOT NULL CHECK (project <> ''),
    environment text NOT NULL CHECK (environment <> ''),
    address_uri text NOT NULL UNIQUE,
    advisory_lock_key bigint NOT NULL UNIQUE,
    registered_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (namespace, project, environment)
);

CREATE TABLE {schema}.current_state (
    namespace text NOT NULL,
    project text NOT NULL,
    environment text NOT NULL,
    revision bigint NOT NULL CHECK (revision >= 1),
    state_serial bigint NOT NULL CHECK (state_serial >= 1),
    state_checksum text NOT NULL,
    state_json text NOT NULL CHECK (octet_length(state_json) <= 10485760),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (namespace, project, environment),
    FOREIGN KEY (namespace, project, environment) REFERENCES {schema}.state_addresses
);

CREATE TABLE {schema}.operation_control (
    namespace text NOT NULL,
    project text NOT NULL,
    environment text NOT NULL,
    revision bigint NOT NULL CHECK (revision >= 0),
    status text NOT NULL CHECK (status IN ('clear', 'in_progress', 'recovery_required')),
    control_json text NOT NULL CHECK (octet_length(control_json) <= 10485760),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (namespace, project, environment),
    FOREIGN KEY (namespace, project, environment) REFERENCES {schema}.state_addresses
);

CREATE TABLE {schema}.state_history (
    namespace text NOT NULL,
    project text NOT NULL,
    environment text NOT NULL,
    revision bigint NOT NULL CHECK (revision >= 1),
    state_serial bigint NOT NULL CHECK (state_serial >= 1),
    state_checksum text NOT NULL,
    state_json text NOT NULL CHECK (octet_length(state_json) <= 10485760),
    operation_id uuid,
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (namespace, project, environment, revision),
    FOREIGN KEY (namespace, project, environment) REFERENCES {schema}.state_addresses
);

CREATE TABLE {schema}.operation_history (
    namespace text NOT NULL,
    project text NOT NULL,
    environment text NOT NULL,
    operation_id uuid NOT NULL,
    event_index integer NOT NULL CHECK (event_index >= 0),
    event_kind text NOT NULL CHECK (event_kind IN (
        'intent', 'progress_started', 'progress_completed', 'recovery_required', 'cleared_before_mutation',
        'succeeded', 'recovery_intended', 'recovery_resolved'
    )),
    control_json text NOT NULL CHECK (octet_length(control_json) <= 10485760),
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (namespace, project, environment, operation_id, event_index),
    FOREIGN KEY (namespace, project, environment) REFERENCES {schema}.state_addresses
);
