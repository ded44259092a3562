-- Version 2: a role that writes operations and may do nothing else. What was written it cannot change or delete.

ALTER TABLE {schema}.store_metadata ADD COLUMN writer_role text;
UPDATE {schema}.store_metadata SET writer_role = {writer_text};
ALTER TABLE {schema}.store_metadata ALTER COLUMN writer_role SET NOT NULL;

GRANT USAGE ON SCHEMA {schema} TO {writer};
GRANT SELECT ON
    {schema}.store_metadata, {schema}.schema_migrations, {schema}.state_addresses, {schema}.current_state,
    {schema}.operation_control, {schema}.state_history, {schema}.operation_history
TO {writer};
GRANT
    INSERT (namespace, project, environment, revision, state_serial, state_checksum, state_json),
    UPDATE (revision, state_serial, state_checksum, state_json, updated_at)
ON {schema}.current_state TO {writer};
GRANT UPDATE (revision, status, control_json, updated_at) ON {schema}.operation_control TO {writer};
GRANT
    INSERT (namespace, project, environment, revision, state_serial, state_checksum, state_json, operation_id)
ON {schema}.state_history TO {writer};
GRANT INSERT (namespace, project, environment, operation_id, event_index, event_kind, control_json)
ON {schema}.operation_history TO {writer};
