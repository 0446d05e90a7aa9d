// The addresses of the page, as dashboard/src/shell/addresses.ts has them.

export const wishLink = (publicUrl: string, wishId: string): string =>
  `${publicUrl}/wishes/${encodeURIComponent(wishId)}`
export const jobLink = (publicUrl: string, jobId: string): string => `${publicUrl}/collect/${encodeURIComponent(jobId)}`
export const watchLink = (publicUrl: string, watchId: string): string =>
  `${publicUrl}/watches/${encodeURIComponent(watchId)}`
export const accountLink = (publicUrl: string): string => `${publicUrl}/account`
