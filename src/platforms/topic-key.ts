/** What makes two topics the same: compatibility forms, case and the amount of white space do not count. */
export const topicKey = (topic: string): string => topic.normalize('NFKC').trim().replace(/\s+/gu, ' ').toLowerCase()
