def sub(path, pairs):
    s=open(path).read()
    for a,b in pairs:
        assert a in s, (path, a[:90])
        s=s.replace(a,b)
    open(path,'w').write(s)
sub('src/requests/store/request-locks.ts',[("where id in (${ids}) order","where id = any(array(${ids})) order")])
lock='''    const ofRequest = sql`platform = ${platform} and source_id = ${sourceId}`
    const stored = await sql`select from requests where ${ofRequest}`.execute(transaction)
    // The routes correct stored requests only. Where there is none, no page may store it meanwhile.
    if (stored.rows.length === 0) await takeLock(transaction, 'suppressions')
    const { rows } = await sql<{ id: string }>`
      select id from requests where ${ofRequest} for no key update`.execute(transaction)
    if (rows.length < stored.rows.length) return
'''
sub('src/topics/counts.property.test.ts',[
("    await takeLock(transaction, 'topics')\n",lock),
("""    const { rows } = await sql<{ id: string }>`
      select id from requests where platform = ${platform} and source_id = ${sourceId}`.execute(transaction)
    await recomputeStandings(""","""    await recomputeStandings("""),
("/** A correction, as the routes of corrections write it. */","/** A correction, as the routes of corrections write it: under the lock of the request. */"),
])
s=open('src/requests/wishes/numbers.property.test.ts').read()
s=s.replace("    await takeLock(transaction, 'topics')\n    await sql`\n      insert into request_corrections",lock+"    await sql`\n      insert into request_corrections",1)
s=s.replace("""    await sql`update accounts set corrections = (select count(*) from request_corrections where account_id = accounts.id)`.execute(
      transaction,
    )
    const { rows } = await sql<{ id: string }>`
      select id from requests where platform = ${platform} and source_id = ${sourceId}`.execute(transaction)
""","""    await sql`
      update accounts set corrections = (select count(*) from request_corrections where account_id = accounts.id)
      where id = ${by === null ? null : accounts[by]}`.execute(transaction)
""",1)
s=s.replace("""  await takeLock(transaction, 'topics')
  const { requests, wishes } = await readIds(transaction)
""","""  // As all that change memberships do: one at a time, and no page changes the requests meanwhile.
  await takeLock(transaction, 'memberships')
  const before = await readIds(transaction)
  await lockRequests(transaction, before.requests)
  const now = await readIds(transaction)
  const requests = now.requests.filter((id) => before.requests.includes(id))
  const wishes = now.wishes.filter((id) => !now.requests.includes(id) || requests.includes(id))
""",1)
s=s.replace("import { storePage } from '../store/store.ts'","import { lockRequests } from '../store/request-locks.ts'\nimport { storePage } from '../store/store.ts'",1)
open('src/requests/wishes/numbers.property.test.ts','w').write(s)
