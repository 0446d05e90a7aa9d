def sub(path, pairs):
    s=open(path).read()
    for a,b in pairs:
        assert a in s, (path, a[:90])
        s=s.replace(a,b)
    open(path,'w').write(s)
s=open('src/requests/views/standings.ts').read()
i=s.index("  const accounts = [...new Set(views.map(")
j=s.index("}\n",i)
block=s[i:j]
s=s[:i]+s[j:]
k=s.index("  // The deletion of an account deletes its rows of all requests")
s=s[:k]+"""  // Accounts before their rows: the deletion of an account has its row, and deletes those of all requests without the locks of these.
  await setOwnView(transaction, [...new Set(views.map(({ account_id }) => account_id))])
"""+s[k:]
s=s.replace("  // The deletion of an account deletes its rows of all requests, without the locks of these: in the same order.\n","")
m=s.index("/** Replaces the rows of `account_requests` of these requests")
s=s[:m]+'''/** Notes that accounts have a view of their own. */
async function setOwnView(transaction: Transaction, accounts: readonly string[]): Promise<void> {
  if (accounts.length === 0) return
'''+block.split('\n',1)[1].rstrip()+'''
}

'''+s[m:]
open('src/requests/views/standings.ts','w').write(s)
sub('src/corrections/corrections.ts',[("""  // Before the row of the account, as everywhere: two transactions never wait for each other.
  await takeLock(transaction, 'memberships')
  await sql`delete from request_corrections where account_id = ${accountId}`.execute(transaction)
""","""  await takeLock(transaction, 'memberships')
  // In the order of all writers: corrections, the account, how it sees requests.
  await sql`delete from request_corrections where account_id = ${accountId}`.execute(transaction)
  await sql`select from accounts where id = ${accountId} for no key update`.execute(transaction)
""")])
