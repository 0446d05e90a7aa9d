-- A few rows of most tables, with values that are hard to carry, for tests of whole databases.

insert into accounts (id, name, tier, payg_monthly_cap, created_at, deleted_at) values
  ('a0000000-0000-4000-8000-000000000001', 'default', 'pro', 500, '2026-10-30T09:00:00.123Z', null),
  ('a0000000-0000-4000-8000-000000000002', 'A small team ✓', 'free', null, '2026-11-01T09:00:00Z', null),
  ('a0000000-0000-4000-8000-000000000003', '', 'free', null, '2026-11-02T09:00:00Z', '2026-11-03T09:00:00Z');

insert into api_keys (id, account_id, name, hash, hint, created_at, revoked_at, last_used_at) values
  ('b0000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000001', 'first', repeat('1a', 32), 'ww_live_abcd', '2026-10-30T09:00:00.123Z', null, '2026-11-20T10:00:00Z'),
  ('b0000000-0000-4000-8000-000000000002', 'a0000000-0000-4000-8000-000000000002', 'laptop', repeat('2b', 32), 'ww_live_efgh', '2026-11-01T09:00:00Z', '2026-11-05T09:00:00Z', null);

insert into sessions (id, token_hash, account_id, api_key_id, admin_key_hash, created_at, expires_at, last_used_at) values
  ('c0000000-0000-4000-8000-000000000001', repeat('3c', 32), 'a0000000-0000-4000-8000-000000000001', 'b0000000-0000-4000-8000-000000000001', null, '2026-11-20T10:00:00Z', '2126-11-20T10:00:00Z', '2126-11-19T10:00:00Z'),
  ('c0000000-0000-4000-8000-000000000002', repeat('4d', 32), null, null, repeat('5e', 32), '2026-11-20T10:00:00Z', '2126-11-20T10:00:00Z', '2126-11-19T10:00:00Z');

insert into sign_in_links (id, token_hash, account_id, admin_key_hash, created_at, expires_at) values
  ('d0000000-0000-4000-8000-000000000001', repeat('6f', 32), 'a0000000-0000-4000-8000-000000000002', repeat('5e', 32), '2026-11-20T10:00:00Z', '2126-11-20T10:30:00Z');

insert into platform_quotas (platform, name, used, resets_at) values ('youtube', 'searches', 37, '2126-11-21T08:00:00Z');

insert into platform_hosts (platform, name, failures, paused_until, cooldown_until, last_success_at, last_error_code, last_error_message, last_error_at, remaining, remaining_limit, remaining_resets_at) values
  ('github', 'api.github.com', 2, null, '2126-11-20T10:05:00Z', '2026-11-20T09:59:00Z', 'rate_limited', 'api.github.com answered 403.', '2026-11-20T10:00:00Z', 0, 10, '2026-11-20T10:05:00Z');

insert into adapter_cache (platform, key, value, expires_at) values
  ('discourse', 'categories of meta.example.org', '{"features": 2, "names": ["Feature", null]}', '2126-11-21T10:00:00Z');

insert into requests (confidence, id, platform, source_id, title, description, votes, tags, comment_count, source_url, author_name, author_handle, author_profile_url, license, topic, original_created_at, created_at, updated_at, seen_at) values
  (0.9, 'e0000000-0000-4000-8000-000000000001', 'github', 'example/app#1', 'Dark mode for the editor', 'The white page hurts at night.' || chr(10) || 'Please add a dark theme.', 42, '{"enhancement","good first issue"}', 7, 'https://github.com/example/app/issues/1', 'Ada', 'ada', 'https://github.com/ada', null, 'Dark Mode', '2025-03-01T12:00:00Z', '2026-11-10T10:00:00Z', '2026-11-10T10:00:00Z', '2026-11-18T10:00:00Z'),
  (0.9, 'e0000000-0000-4000-8000-000000000002', 'stackexchange', 'ux-77', 'ダークモードが欲しい', '', -1, '{}', null, 'https://ux.stackexchange.com/q/77', null, null, null, 'CC BY-SA 4.0', 'dark mode', null, '2026-11-11T10:00:00Z', '2026-11-12T10:00:00Z', null),
  (0.9, 'e0000000-0000-4000-8000-000000000003', 'hackernews', '4711', 'Offline sync', 'Sync without a connection, and an export as CSV.', 0, '{"enhancement"}', 0, 'https://news.ycombinator.com/item?id=4711', 'bob', 'bob', null, null, 'offline sync', '2026-11-12T00:00:00Z', '2026-11-12T10:00:00Z', '2026-11-12T10:00:00Z', null);

insert into request_texts (request_id, text) values
  ('e0000000-0000-4000-8000-000000000001', 'dark mode for the editor the white page hurts at night please add a dark theme enhancement good first issue ada'),
  ('e0000000-0000-4000-8000-000000000002', 'ダー ーク クモ モー ード'),
  ('e0000000-0000-4000-8000-000000000003', 'offline sync sync without a connection and an export as csv enhancement bob');

insert into search_words (word, requests) values ('dark', 1), ('enhancement', 2), ('sync', 1), ('theme', 16);

insert into suppressions (hash, purge_id, kind, named, created_at) values
  (repeat('7a', 32), 'f0000000-0000-4000-8000-000000000001', 'handle', true, '2026-11-15T10:00:00Z'),
  (repeat('8b', 32), 'f0000000-0000-4000-8000-000000000001', 'id', false, '2026-11-15T10:00:00Z');

insert into topics (key, name, created_at, collected_at) values
  ('dark mode', 'Dark Mode', '2026-11-10T10:00:00Z', '2026-11-10T10:00:00Z'),
  ('offline sync', 'offline sync', '2026-11-12T10:00:00Z', '2026-11-12T10:00:00Z'),
  ('nothing found', 'nothing found', '2026-11-13T10:00:00Z', '2026-11-13T10:00:00Z');

insert into request_topics (request_id, topic_key, found_at, platform, posted_at, votes, tags, standing)
  select id, key, requests.created_at, platform, posted_at, requests.votes, tags, standing from requests join topics on key = lower(topic);

insert into platform_topics (platform, topic_key, pages, collected_at) values
  ('github', 'dark mode', 3, '2026-11-18T10:00:00Z'), ('hackernews', 'offline sync', 1, '2026-11-12T10:00:00Z');

insert into scrape_jobs (id, account_id, topic, depth, created_at, expires_at, begun_at, ended_at, topic_key) values
  ('10000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000001', 'Dark Mode', 3, '2026-11-10T09:59:00Z', '2026-11-10T15:59:00Z', '2026-11-10T09:59:01Z', '2026-11-10T10:00:00Z', null),
  ('10000000-0000-4000-8000-000000000002', 'a0000000-0000-4000-8000-000000000001', 'offline sync', 2, '2026-11-20T10:00:00Z', '2126-11-20T16:00:00Z', '2026-11-20T10:00:01Z', null, null),
  ('10000000-0000-4000-8000-000000000003', null, 'offline sync', 1, '2026-11-20T10:00:00Z', '2126-11-20T10:01:00Z', '2026-11-20T10:00:00Z', null, 'offline sync');

insert into scrape_tasks (id, job_id, platform, position, state, fencing_token, cursor, pages, requests_found, requests_created, tries, takeovers, page_due_since, waiting_until, queue_message_id, error_code, error_message, started_at, completed_at, revision) values
  ('20000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001', 'github', 0, 'done', 1, null, 2, 2, 2, 0, 0, '2026-11-10T10:00:00Z', null, '30000000-0000-4000-8000-000000000001', null, null, '2026-11-10T09:59:01Z', '2026-11-10T10:00:00Z', 3),
  ('20000000-0000-4000-8000-000000000002', '10000000-0000-4000-8000-000000000001', 'youtube', 1, 'skipped', 0, null, 0, 0, 0, 0, 0, null, null, null, 'not_configured', 'youtube is off: set YOUTUBE_API_KEY.', null, '2026-11-10T09:59:00Z', 0),
  ('20000000-0000-4000-8000-000000000003', '10000000-0000-4000-8000-000000000002', 'hackernews', 0, 'running', 2, '{"page": 2, "phrase": "feature request"}', 1, 1, 1, 1, 0, '2026-11-20T10:00:05Z', '2126-11-20T10:00:00Z', '30000000-0000-4000-8000-000000000002', null, null, '2026-11-20T10:00:01Z', null, 4),
  ('20000000-0000-4000-8000-000000000004', '10000000-0000-4000-8000-000000000003', 'hackernews', 0, 'pending', 0, null, 0, 0, 0, 0, 0, null, null, null, null, null, null, null, 0);

insert into scrape_job_requests (job_id, request_id) values
  ('10000000-0000-4000-8000-000000000001', 'e0000000-0000-4000-8000-000000000001'),
  ('10000000-0000-4000-8000-000000000001', 'e0000000-0000-4000-8000-000000000002');

insert into account_schedule (account_id, last_served) values
  ('a0000000-0000-4000-8000-000000000001', nextval('account_schedule_last_served_seq'));

insert into live_calls (id, account_id, operation, idempotency_id, created_at, expires_at, plan) values
  ('40000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000001', 'expand', repeat('9c', 32), '2026-11-20T10:00:00Z', '2126-11-20T10:01:00Z',
    '{"topics": ["offline sync"], "off": [], "collections": [{"topic": "offline sync", "platform": "hackernews", "taskId": "20000000-0000-4000-8000-000000000004", "isRefused": false}]}');

insert into credit_balances (account_id, month, pool_held, pool_settled, payg_balance, payg_held, payg_month_used, latest_pool_part, latest_month) values
  ('a0000000-0000-4000-8000-000000000001', '2026-11', 3, 2, 1300, 0, 0, 1, '2026-11'),
  ('a0000000-0000-4000-8000-000000000002', '2026-11', 0, 0, 0, 0, 0, 0, '2026-11'),
  ('a0000000-0000-4000-8000-000000000003', '2026-11', 0, 0, 0, 0, 0, 0, '2026-11');

insert into credit_reservations (id, account_id, month, operation, job_id, call_id, pool_part, payg_part, pool_limit, state, settled, created_at, closed_at) values
  ('50000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000001', '2026-11', 'scrape', '10000000-0000-4000-8000-000000000001', null, 3, 0, 15000, 'closed', 2, '2026-11-10T09:59:00Z', '2026-11-10T10:00:00Z'),
  ('50000000-0000-4000-8000-000000000002', 'a0000000-0000-4000-8000-000000000001', '2026-11', 'scrape', '10000000-0000-4000-8000-000000000002', null, 2, 0, 15000, 'open', 0, '2026-11-20T10:00:00Z', null),
  ('50000000-0000-4000-8000-000000000003', 'a0000000-0000-4000-8000-000000000001', '2026-11', 'expand', null, '40000000-0000-4000-8000-000000000001', 1, 0, 15000, 'open', 0, '2026-11-20T10:00:00Z', null);

insert into credit_entries (account_id, month, kind, operation, cause, pack, reservation_id, pool_held_change, pool_settled_change, payg_held_change, payg_settled_change, payg_granted_change, created_at) values
  ('a0000000-0000-4000-8000-000000000001', '2026-11', 'grant', 'pack', 'starter', 'starter', null, 0, 0, 0, 0, 1300, '2026-11-09T10:00:00Z'),
  ('a0000000-0000-4000-8000-000000000001', '2026-11', 'reserve', 'scrape', '10000000-0000-4000-8000-000000000001', null, '50000000-0000-4000-8000-000000000001', 3, 0, 0, 0, 0, '2026-11-10T09:59:00Z'),
  ('a0000000-0000-4000-8000-000000000001', '2026-11', 'settle', 'scrape', '10000000-0000-4000-8000-000000000001', null, '50000000-0000-4000-8000-000000000001', -2, 2, 0, 0, 0, '2026-11-10T10:00:00Z'),
  ('a0000000-0000-4000-8000-000000000001', '2026-11', 'release', 'scrape', '10000000-0000-4000-8000-000000000001', null, '50000000-0000-4000-8000-000000000001', -1, 0, 0, 0, 0, '2026-11-10T10:00:00Z'),
  ('a0000000-0000-4000-8000-000000000001', '2026-11', 'reserve', 'scrape', '10000000-0000-4000-8000-000000000002', null, '50000000-0000-4000-8000-000000000002', 2, 0, 0, 0, 0, '2026-11-20T10:00:00Z'),
  ('a0000000-0000-4000-8000-000000000001', '2026-11', 'reserve', 'expand', '40000000-0000-4000-8000-000000000001', null, '50000000-0000-4000-8000-000000000003', 1, 0, 0, 0, 0, '2026-11-20T10:00:00Z');

insert into idempotency_keys (id, fingerprint, status, body, expires_at, effect) values
  (repeat('0d', 32), repeat('0e', 32), 202, '{"data":{"jobId":"10000000-0000-4000-8000-000000000001"}}', '2126-11-21T10:00:00Z', null),
  (repeat('9c', 32), repeat('0f', 32), null, null, '2126-11-21T10:00:00Z', '{"newResultsFound":0}');

insert into rate_limit_windows (key, hits, accepted, counted_at) values
  ('search a0000000-0000-4000-8000-000000000001', '{2026-11-20T09:59:30Z,2026-11-20T09:59:31Z}', true, '2026-11-20T09:59:31Z');
