-- Finds viewers by a mail address in any attribute. Triggers keep it, for each statement that changes attributes.
CREATE TABLE viewer_addresses (
  attribute TEXT NOT NULL,
  address TEXT NOT NULL,
  key TEXT NOT NULL REFERENCES viewers (key) ON DELETE CASCADE,
  PRIMARY KEY (attribute, address, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX viewer_addresses_by_key ON viewer_addresses (key);
INSERT INTO viewer_addresses
  SELECT a.key, lower(a.value), viewers.key FROM viewers, json_each(attributes) AS a WHERE instr(a.value, '@') > 0;
CREATE TRIGGER viewer_added AFTER INSERT ON viewers BEGIN
  INSERT INTO viewer_addresses
    SELECT a.key, lower(a.value), new.key FROM json_each(new.attributes) AS a WHERE instr(a.value, '@') > 0;
END;
CREATE TRIGGER viewer_changed AFTER UPDATE OF attributes ON viewers WHEN new.attributes <> old.attributes BEGIN
  DELETE FROM viewer_addresses WHERE key = old.key;
  INSERT INTO viewer_addresses
    SELECT a.key, lower(a.value), new.key FROM json_each(new.attributes) AS a WHERE instr(a.value, '@') > 0;
END;
