const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether a text has the form of an id. Another text gets the same answer as an unknown id. */
export const isId = (text: string): boolean => uuid.test(text)
