/** What a key may do, until when, and for how many credits a month. */
export const keys: readonly string[] = [
  // Keys of before could do everything.
  `alter table api_keys
    add column scope text not null default 'manage' check (scope in ('read', 'collect', 'manage')),
    add column expires_at timestamptz,
    add column monthly_credits integer check (monthly_credits >= 0),
    -- The keys with a budget that made it, and that made those: what it spends counts in their budgets, too.
    add column bearers uuid[] not null default '{}'`,
]
