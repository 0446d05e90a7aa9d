-- Who may get mails, and how many. Addresses are in the sealed channels alone: here they are hashes.

create table mail_consents (
  account_id uuid not null references accounts,
  address_hash text not null,
  -- One for all names of a mailbox, such as name+tag@.
  mailbox_hash text not null,
  -- 'refused': unsubscribed without ever having confirmed.
  state text not null check (state in ('asked', 'confirmed', 'unsubscribed', 'refused')),
  -- Whether a confirmation is to be sent, and not before when.
  is_due boolean not null,
  next_confirmation_at timestamptz not null,
  -- How many were sent, or may have been, since it was last asked for.
  confirmations integer not null default 0,
  changed_at timestamptz not null,
  constraint mail_consents_check check (state <> 'confirmed' or (not is_due)),
  primary key (account_id, address_hash)
);
create index mail_consents_due on mail_consents (next_confirmation_at) where is_due;
create index mail_consents_mailbox on mail_consents (mailbox_hash);

-- What a mailbox said to confirmations, to all accounts and under all of its names. Without a row it was not asked, or its last answer was yes.
create table mailboxes (
  mailbox_hash text primary key,
  -- Confirmations that were sent since its last yes, or may have been.
  unanswered integer not null default 0 check (unanswered >= 0),
  -- No confirmation before that.
  rests_until timestamptz,
  -- "Do not ask me again."
  refused_at timestamptz
);

-- No foreign key to channels: the links in mails of a deleted channel still unsubscribe for some time.
create table mail_channels (
  channel_id uuid primary key,
  account_id uuid not null,
  address_hash text not null,
  -- It is in every mail, and all that it can do is to unsubscribe.
  unsubscribe_token text not null unique,
  created_at timestamptz not null,
  deleted_at timestamptz,
  constraint mail_channels_account_id_address_hash_fkey foreign key (account_id, address_hash) references mail_consents(account_id, address_hash) on delete cascade
);
create index mail_channels_consent on mail_channels (account_id, address_hash);
create index mail_channels_deleted on mail_channels (deleted_at) where deleted_at is not null;

create table mail_confirmations (
  token_hash text primary key,
  account_id uuid not null,
  address_hash text not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  constraint mail_confirmations_account_id_address_hash_fkey foreign key (account_id, address_hash) references mail_consents(account_id, address_hash) on delete cascade
);
create index mail_confirmations_consent on mail_confirmations (account_id, address_hash);
create index mail_confirmations_expiry on mail_confirmations (expires_at);

create table mail_limits (
  key text primary key,
  -- How many were counted in the window that ends then.
  count integer not null,
  ends_at timestamptz not null
);
create index mail_limits_end on mail_limits (ends_at);
