-- How far a dump is imported into this database.

-- One row at most, written in the transaction that stores what it says.
create table data_import (
  is_only boolean primary key default true check (is_only),
  -- How many chunks of the dump are stored, and the digest of the last one.
  chunks integer not null,
  digest text not null,
  begun_at timestamptz not null,
  -- Null until all rows were compared with the dump. The service does not start before that.
  ended_at timestamptz
);
