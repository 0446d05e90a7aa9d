const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether a text is formed like an id. Others are answered like unknown ids. */
export const isId = (text: string): boolean => uuid.test(text)
