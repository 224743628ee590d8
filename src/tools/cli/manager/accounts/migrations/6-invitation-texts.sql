-- The texts that managers add to the invitations of an event.
CREATE TABLE invitation_texts (
  entry_point TEXT PRIMARY KEY,
  text TEXT NOT NULL
) STRICT, WITHOUT ROWID;
