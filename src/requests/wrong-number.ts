/** A derived number or copy that differs from its source. */
export interface WrongNumber {
  subject: string
  /** What is wrong, such as `votes`. */
  check: string
  stored: string | null
  /** Derived anew. */
  expected: string | null
}

export interface Verified {
  wrong: WrongNumber[]
  /** Numbers that changed on every read, so that nothing can be said about them. */
  unchecked: number
}

export interface VerifyOptions {
  limit: number
  signal?: AbortSignal
}
