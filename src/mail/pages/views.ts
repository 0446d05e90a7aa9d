export const examples = () => ({})
