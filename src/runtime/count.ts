/** `1 page`, `14,991 credits`. @param many plural, if not with `s` */
export const count = (amount: number, noun: string, many = `${noun}s`): string =>
  `${amount.toLocaleString('en-US')} ${amount === 1 ? noun : many}`
