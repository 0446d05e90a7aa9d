/** What must make the test of a guarantee fail. */
export interface Mutation {
  /** The line `// Holds (area): …` of the test, without its area. */
  guarantee: string
  test: string
  /** The file that is broken. */
  file: string
  /** What stands once in it. */
  from: string
  to: string
}

/** The guarantees whose loss would do the most damage, each with the smallest change that breaks it. */
export const mutations: readonly Mutation[] = [
  {
    guarantee: 'balances equal the ledger after every step, in any order of steps',
    test: 'src/credits/ledger.property.service.test.ts',
    file: 'src/credits/ledger.ts',
    from: 'least(payg_balance - payg_held, ',
    to: 'least(2147483647, ',
  },
  {
    guarantee: 'a call with an `Idempotency-Key` has one effect and one response',
    test: 'src/http/idempotency/waiting.postgres.test.ts',
    file: 'src/http/idempotency/idempotency.ts',
    from: '      if (first) return { stored: first.answer, fresh: null }\n',
    to: '',
  },
  {
    guarantee: 'what was purged for a person is never stored again, even by a page in progress',
    test: 'src/requests/purge/purge.service.test.ts',
    file: 'src/requests/store/store.ts',
    from: 'found.requests.filter(({ request }) => !suppressed.has(request.sourceId))',
    to: 'found.requests.filter(() => suppressed !== null)',
  },
  {
    guarantee: 'no connection reaches a private address, even after a redirect or DNS change',
    test: 'src/http/outbound/outbound.test.ts',
    file: 'src/http/outbound/public-address.ts',
    from: "  if (address.range() !== 'unicast') return false\n",
    to: '',
  },
  {
    guarantee: "no channel's secret is stored open, shown again, or in a backup or dump",
    test: 'src/http/secrets/secrets.test.ts',
    file: 'src/http/secrets/secrets.ts',
    from: 'const nonce = randomBytes(nonceBytes)',
    to: 'const nonce = Buffer.alloc(nonceBytes)',
  },
  {
    guarantee: 'a sign-in link works once, even under simultaneous use',
    test: 'src/accounts/sessions/sessions.service.test.ts',
    file: 'src/accounts/sessions/links.ts',
    from: "      .deleteFrom('sign_in_links')\n      .where('token_hash', '=', hashToken(token))",
    to: "      .updateTable('sign_in_links')\n      .set((eb) => ({ person_name: eb.ref('person_name') }))\n      .where('token_hash', '=', hashToken(token))",
  },
  {
    guarantee: 'no other site can act for a signed-in user',
    test: 'src/accounts/sessions/sessions.service.test.ts',
    file: 'src/accounts/sessions/cookie.ts',
    from: "return site !== 'same-origin' && site !== 'none'",
    to: 'return false',
  },
  {
    guarantee: 'keys never make a stronger key, alone or together',
    test: 'src/accounts/key-scopes.service.test.ts',
    file: 'src/accounts/account-keys.ts',
    from: 'own.monthlyCredits === null ? own.bearers : [...own.bearers, maker]',
    to: 'own.bearers',
  },
  {
    guarantee: 'what a key made ends when it expires or is revoked with its creations, and it makes nothing more',
    test: 'test/made-by-key.service.test.ts',
    file: 'src/accounts/made-by-key.ts',
    from: 'if (key.revoked_at !== null || (key.expires_at',
    to: 'if ((key.expires_at',
  },
  {
    guarantee: 'a settings file with secrets that every user can read stops the start',
    test: 'src/app/config-file.test.ts',
    file: 'src/app/config-file.ts',
    from: '(statSync(path).mode & 0o004) !== 0',
    to: '(statSync(path).mode & 0o002) !== 0',
  },
  {
    guarantee: "a share's address is in no table or log, and every invalid one gives the same 404",
    test: 'src/sharing/shares/shares.service.test.ts',
    file: 'src/sharing/shares/shares.ts',
    from: "        .where('expires_at', '>', now)\n        .executeTakeFirst()\n    : undefined",
    to: '        .executeTakeFirst()\n    : undefined',
  },
  {
    guarantee: 'a worker that lost its task writes nothing',
    test: 'src/collecting/scraping/scraping.service.test.ts',
    file: 'src/collecting/scraping/tasks.ts',
    from: "    .where('fencing_token', '=', task.fencingToken)\n",
    to: '',
  },
  {
    guarantee: 'a pushed issue mentions nobody, links no other issue and has no foreign markup',
    test: 'src/notifications/trackers/issue-text.test.ts',
    file: 'src/notifications/trackers/issue-text.ts',
    from: 'title: titleForTracker(title),',
    to: 'title: title as never,',
  },
  {
    guarantee: 'an agent that obeys every instruction outside the fence gets none from posts, even with forged marks',
    test: 'src/mcp/fence.service.test.ts',
    file: 'src/mcp/answer.ts',
    from: '[notice, begin, ...lines, end]',
    to: '[notice, begin, end, ...lines]',
  },
  {
    guarantee: 'no id leads to another path, and no answer reveals what happened inside',
    test: 'src/mcp/tools.service.test.ts',
    file: 'client/path.ts',
    from: 'id.test(text)',
    to: "text !== ''",
  },
  {
    guarantee:
      'an access token opens /mcp only if signed by the provider for this address, unexpired, for an existing account',
    test: 'src/mcp/oauth.service.test.ts',
    file: 'src/accounts/oidc/access-tokens.ts',
    from: 'audience: resource, ',
    to: '',
  },
  {
    guarantee: 'no exported text becomes a formula in a spreadsheet',
    test: 'src/search/export/csv.test.ts',
    file: 'src/search/export/csv.ts',
    from: '＝＋－＠',
    to: '',
  },
  {
    guarantee: "any change to a brief's file is detected",
    test: 'src/sharing/briefs/briefs.service.test.ts',
    file: 'src/sharing/briefs/files.ts',
    from: 'lines.push({ text, number: at + 1 })',
    to: 'lines.push({ text: text.trimEnd(), number: at + 1 })',
  },
]
