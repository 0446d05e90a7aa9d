/** What is stored of platforms: quotas, hosts and what adapters cache. */
export const platforms: readonly string[] = [
  // What was used of the quotas that outlive a restart.
  `create table platform_quotas (
    platform text not null,
    name text not null,
    used integer not null,
    resets_at timestamptz not null,
    primary key (platform, name)
  )`,

  // What is known of each host, for the next start and for other processes to show.
  `create table platform_hosts (
    platform text not null,
    name text not null,
    failures integer not null,
    paused_until timestamptz,
    rest_until timestamptz,
    last_success_at timestamptz,
    last_error_code text,
    last_error_message text,
    last_error_at timestamptz,
    remaining integer not null,
    remaining_limit integer not null,
    remaining_resets_at timestamptz not null,
    primary key (platform, name)
  )`,

  // What an adapter keeps because finding it again is dear.
  `create table platform_finds (
    platform text not null,
    key text not null,
    value jsonb not null,
    expires_at timestamptz not null,
    primary key (platform, key)
  )`,
  'create index platform_finds_expiry on platform_finds (expires_at)',
]
