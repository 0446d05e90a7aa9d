/** Network faults towards Postgres, as named by Node and node-postgres. */
const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
])

/**
 * Connection lost (08), out of resources (53), shutdown (57P), statement timeout (57014), stalled in a transaction
 * (25P03), disk failure (58030), standby (25006).
 */
const unavailableStates = /^(08...|53...|57P..|57014|25P03|58030|25006)$/

/** A lost connection has no code in node-postgres and the embedded database. */
const lostConnection =
  /^(Connection terminated|timeout exceeded when trying to connect|Client (has encountered a connection error|was closed) and is not queryable|The embedded database is closed)/

/** Whether the database is briefly unreachable or unavailable: the same call may succeed later. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as { code?: unknown }
  if (typeof code === 'string' && (networkCodes.has(code) || unavailableStates.test(code))) return true
  return lostConnection.test(error.message)
}
