import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { createRandom } from '../../simulator/random.ts'
import { campaignSize, crashSeed } from '../campaign-size.ts'
import type { DatabaseCopy } from '../database.ts'
import { openCampaign, readState } from './campaign.ts'

// A disk that is filled while jobs store what they find, and a process that is killed, or ends by itself because its log has no room; then the disk is
// freed. TEST_SEED repeats it as far as moments repeat.

const kills = campaignSize('FULL_DISK_KILLS', { quick: 3, nightly: 50 })
const seed = crashSeed()
/** What is left free, in MB: nothing, less than a file of the log, one file, nearly two. */
const leftovers = [0, 5, 11, 18, 30]

it(`loses and doubles nothing when a disk is filled and freed beside ${kills} kills`, {
  timeout: 240_000 + kills * 30_000,
}, async ({ skip }) => {
  console.log(`full disk: ${kills} kills, seed ${seed} (set TEST_SEED to repeat it)`)
  const random = createRandom(seed)
  const disk = mkdtempSync(join(tmpdir(), 'wishwell-full-'))
  onTestFinished(() => rmSync(disk, { recursive: true, force: true }))
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=250m,mode=755', 'tmpfs', disk])
  skip(status !== 0, 'this user may not mount a small disk')
  onTestFinished(() => void execFileSync('umount', ['--lazy', disk]))
  const campaign = await openCampaign()
  onTestFinished(() => campaign.close())
  const expected = await campaign.undisturbedRun(readState)
  const original = await campaign.newCopy()
  const dataDir = join(disk, 'data')
  cpSync(original.options.dataDir, dataDir, { recursive: true })
  const copy: DatabaseCopy = { ...original, options: { ...original.options, dataDir } }
  const filling = join(disk, 'filling')
  const fill = (freeMegabytes: number) => {
    const { bavail, bsize } = statfsSync(disk)
    try {
      writeFileSync(filling, Buffer.alloc(Math.max(0, bavail * bsize - freeMegabytes * 1_000_000)))
    } catch (error) {
      // The service has taken the room meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    }
  }

  const ends = { killed: 0, 'ended by itself': 0 }
  let accepted = 0
  for (let kill = 0; kill < kills; kill++) {
    const service = await campaign.start(copy)
    const client = campaign.clientOf(() => service)
    const topic = ['dark mode', 'offline sync', 'csv export', 'keyboard shortcuts'][kill % 4]!
    const started = await client.scrape({ topic, depth: 3 })
    if (started.status === 200) accepted++
    await sleep(random.next() * 600)
    fill(leftovers[kill % leftovers.length]!)
    await sleep(random.next() * 1_500)
    const { exitCode } = service.process
    if (exitCode !== null) expect(exitCode).toBe(1)
    ends[exitCode === null ? 'killed' : 'ended by itself']++
    await service.end('SIGKILL')
    rmSync(filling)
  }
  console.log(`${accepted} jobs accepted; ${JSON.stringify(ends)}`)

  const service = await campaign.start(copy)
  const client = campaign.clientOf(() => service)
  const jobIds = await campaign.startJobs(client)
  const earlier = (await client.get('/api/v1/scrape?limit=100')).body.data.results as { jobId: string }[]
  expect(earlier.length).toBeGreaterThanOrEqual(Math.min(100, accepted + jobIds.length))
  for (const { jobId } of earlier) await client.waitForJob(jobId, 300_000)
  expect(await service.end('SIGTERM')).toBe(0)
  const { requests, texts, created, credits, differences } = await readState(copy)
  expect({ requests, texts, differences }).toEqual({
    requests: expected.requests,
    texts: expected.texts,
    differences: [],
  })
  expect(created).toEqual(expected.created)
  const { pages } = credits[0]!
  expect(credits).toEqual([{ pool_held: 0, open: 0, pages, pool_settled: pages }])
})
