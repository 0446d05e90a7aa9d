/** `1 page`, `14,991 credits`. @param many the plural of a noun that has no `s` */
export const count = (amount: number, noun: string, many = `${noun}s`): string =>
  `${amount.toLocaleString('en-US')} ${amount === 1 ? noun : many}`
