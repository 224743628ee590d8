CREATE TABLE viewer_guests.records (
  kind text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  text text NOT NULL,
  version bigint NOT NULL,
  ends_at double precision,
  PRIMARY KEY (kind, key)
);
