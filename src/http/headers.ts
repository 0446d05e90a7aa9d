/** What every answer carries, whoever writes it. */
export const commonHeaders = (requestId: string): Record<string, string> => ({
  'x-request-id': requestId,
  'x-content-type-options': 'nosniff',
})
