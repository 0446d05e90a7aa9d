const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether a text from outside can be an id of ours. One that cannot is answered as one that does not exist. */
export const isId = (text: string): boolean => uuid.test(text)
