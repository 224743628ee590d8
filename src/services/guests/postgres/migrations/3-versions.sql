CREATE SEQUENCE viewer_guests.versions;
