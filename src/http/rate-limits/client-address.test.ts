import { expect, it } from 'vitest'
import { clientOf } from './rate-limits.ts'

it.each([
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:0001:2::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['1:2:3:4:5:6:7::', '1:2:3:4::/64'],
  ['', 'unknown'],
  ['x'.repeat(9_000), 'unknown'],
  ['1.2.3.4, 5.6.7.8', 'unknown'],
])('the client at %j is %s', (address, client) => {
  expect(clientOf(address)).toBe(client)
})
