import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { startChildService } from '../child-service.ts'
import { createMemoryGroup } from '../memory-group.ts'
import { openCampaign, readState } from './campaign.ts'

// Holds (Jobs): a process killed for memory at its start or while collecting loses and duplicates nothing

const limited = [fileURLToPath(new URL('limited-service.ts', import.meta.url))]
/** From what a start needs to what it needs while it collects. */
const limitsMb = [240, 300, 330, 350, 370, 390, 410, 430]

it('loses and doubles nothing when the kernel kills it at its limit of memory', { timeout: 600_000 }, async ({
  skip,
}) => {
  const group = createMemoryGroup(2 ** 30)
  if (group === null) return skip('this user may make no control group')
  onTestFinished(() => group.remove())
  const campaign = await openCampaign()
  onTestFinished(() => campaign.close())
  const expected = await campaign.undisturbedRun(readState)
  const copy = await campaign.newCopy()
  const environment = { ...campaign.environmentOf(copy), MEMORY_GROUP: group.entry }
  const ends = { 'in the start': 0, 'while it collected': 0, 'not at all': 0 }
  for (const limit of limitsMb) {
    group.setLimit(limit * 2 ** 20)
    const service = await startChildService(environment, limited).catch(() => null)
    if (service === null) {
      ends['in the start']++
      continue
    }
    const client = campaign.clientOf(() => service)
    // Calls of a service that is being killed fail.
    await campaign.startJobs(client).catch(() => {})
    const ended = new Promise((resolve) => service.process.once('exit', resolve))
    await Promise.race([ended, sleep(8_000)])
    ends[service.process.signalCode === 'SIGKILL' ? 'while it collected' : 'not at all']++
    await service.end('SIGKILL')
  }
  console.log(JSON.stringify(ends))
  expect(ends['while it collected'] + ends['in the start']).toBeGreaterThan(0)

  const service = await campaign.start(copy)
  const client = campaign.clientOf(() => service)
  const jobIds = await campaign.startJobs(client)
  const earlier = (await client.get('/api/v1/scrape?limit=100')).body.data.results as { jobId: string }[]
  for (const { jobId } of [...earlier, ...jobIds.map((id) => ({ jobId: id }))]) await client.waitForJob(jobId, 300_000)
  expect(await service.end('SIGTERM')).toBe(0)
  const { requests, texts, differences } = await readState(copy)
  expect({ requests, texts, differences }).toEqual({
    requests: expected.requests,
    texts: expected.texts,
    differences: [],
  })
})
