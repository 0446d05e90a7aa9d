/** Where an issue can be opened by an address alone. */
export const issueTrackers = ['github', 'gitlab', 'linear'] as const
export type IssueTracker = (typeof issueTrackers)[number]
