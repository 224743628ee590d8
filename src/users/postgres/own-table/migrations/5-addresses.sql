-- Finds viewers by a mail address in any attribute. No name of an attribute contains "=".
CREATE FUNCTION viewer_auth.addresses_of(attributes jsonb) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT ARRAY(SELECT key || '=' || lower(value COLLATE "C") FROM jsonb_each_text(attributes)
               WHERE strpos(value, '@') > 0)
$$;
CREATE INDEX viewers_by_address ON viewer_auth.viewers USING gin (viewer_auth.addresses_of(attributes))
  WITH (fastupdate = off);
