/** Equal for topics that differ only in compatibility forms, case and the amount of white space. */
export const topicKey = (topic: string): string => topic.normalize('NFKC').trim().replace(/\s+/gu, ' ').toLowerCase()
