-- Null for a viewer of the user store.
ALTER TABLE sessions ADD COLUMN issuer TEXT;
ALTER TABLE sessions ADD COLUMN subject TEXT;
ALTER TABLE sessions ADD COLUMN provider_session TEXT;
UPDATE sessions SET
  issuer = json_extract(data, '$.viewer.sso.issuer'),
  subject = json_extract(data, '$.viewer.sso.subject'),
  provider_session = json_extract(data, '$.viewer.sso.providerSession')
WHERE json_valid(data);
DROP INDEX IF EXISTS sessions_by_viewer;
CREATE INDEX sessions_by_viewer ON sessions (username, number) WHERE issuer IS NULL;
CREATE INDEX sessions_by_subject ON sessions (issuer, subject, number) WHERE issuer IS NOT NULL;
CREATE INDEX sessions_by_provider_session ON sessions (issuer, provider_session) WHERE provider_session IS NOT NULL;
