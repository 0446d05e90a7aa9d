-- Platforms: used quotas, the state of hosts, the cache of adapters, and the sources that accounts name.

-- The used part of quotas that outlive a restart.
create table platform_quotas (
  platform text not null,
  name text not null,
  used integer not null,
  resets_at timestamptz not null,
  primary key (platform, name)
);

-- The state of each host, for the next start and for other processes to report.
create table platform_hosts (
  platform text not null,
  name text not null,
  failures integer not null,
  paused_until timestamptz,
  cooldown_until timestamptz,
  last_success_at timestamptz,
  last_error_code text,
  last_error_message text,
  last_error_at timestamptz,
  remaining integer not null,
  remaining_limit integer not null,
  remaining_resets_at timestamptz not null,
  primary key (platform, name)
);

-- Values that an adapter would need further calls to look up again.
create table adapter_cache (
  platform text not null,
  key text not null,
  value jsonb not null,
  expires_at timestamptz not null,
  primary key (platform, key)
);
create index adapter_cache_expiry on adapter_cache (expires_at);

-- How many pages of a topic a platform has delivered, and when: adapters with several sources alternate by it.
create table platform_topics (
  platform text not null,
  topic_key text not null,
  pages integer not null,
  collected_at timestamptz not null,
  primary key (platform, topic_key)
);
