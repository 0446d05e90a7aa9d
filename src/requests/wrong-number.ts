/** A derived number or copy that differs from what it is derived from. */
export interface WrongNumber {
  /** The topic, wish, request or word. */
  subject: string
  /** What is wrong of it, such as `votes`. */
  check: string
  stored: string | null
  /** Derived anew. */
  expected: string | null
}

/** What a verification found. */
export interface Verified {
  /** At most `limit` of the options. */
  wrong: WrongNumber[]
  /** Numbers that changed on every read, so that nothing can be said about them. */
  unchecked: number
}

export interface VerifyOptions {
  /** The verification ends with so many differences. */
  limit: number
  /** Ends the verification with its reason. */
  signal?: AbortSignal
}
