export const topicOrders = ['new', 'votes', 'name'] as const

export type TopicOrder = (typeof topicOrders)[number]
