/** Platforms: used quotas, the state of hosts, and the adapter cache. */
export const platforms: readonly string[] = [
  // The used part of quotas that outlive a restart.
  `create table platform_quotas (
    platform text not null,
    name text not null,
    used integer not null,
    resets_at timestamptz not null,
    primary key (platform, name)
  )`,

  // The state of each host, for the next start and for other processes to report.
  `create table platform_hosts (
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
  )`,

  // Values that an adapter would need further calls to look up again.
  `create table adapter_cache (
    platform text not null,
    key text not null,
    value jsonb not null,
    expires_at timestamptz not null,
    primary key (platform, key)
  )`,
  'create index adapter_cache_expiry on adapter_cache (expires_at)',
]
