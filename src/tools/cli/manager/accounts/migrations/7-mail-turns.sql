-- The order in which mails are sent. Without it, each of many mails reads all that wait.
CREATE INDEX mail_turns ON mails (batch > 0, due_at, id) WHERE state = 'waiting';
