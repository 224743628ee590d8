CREATE INDEX records_by_end ON viewer_guests.records (ends_at) WHERE ends_at IS NOT NULL;
