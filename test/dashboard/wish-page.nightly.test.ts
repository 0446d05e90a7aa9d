import { expect, it } from 'vitest'
import { makeWish } from '../stored-wish.ts'
import { describePage, patient, usePage } from './page-test.ts'

// Holds (Dashboard): records, similar requests, topics, grouped searches and the page agree on a wish's numbers, for every account

describePage('a wish', () => {
  const test = usePage()

  async function collectWish(): Promise<{ wishId: string; title: string; votes: string }> {
    await test.collect('dark mode')
    const { body } = await test.service.client.get('/api/v1/requests?sortBy=votes&limit=30')
    const members: { _id: string; title: string; votes: number }[] = body.data.results
    const wishId = await makeWish(
      test.service.database,
      members.map(({ _id }) => _id),
    )
    const votes = members.reduce((sum, one) => sum + one.votes, 0)
    return { wishId, title: members[0]!.title, votes: votes.toLocaleString('en') }
  }

  it('has the same numbers in its topic, in a search, beside the list and on its page, where all its requests are', async () => {
    const { wishId, title, votes } = await collectWish()
    const page = await test.open('about:blank')
    for (const path of ['/wishes?topic=dark+mode', `/wishes?q=${encodeURIComponent(title)}`]) {
      await page.goto(path)
      const row = page.locator('.wish-row', { has: page.locator(`[data-row="${wishId}"]`) })
      await row.getByText('30 requests', { exact: true }).waitFor()
      expect(await row.locator('.row-votes strong').innerText()).toBe(votes)
      await row.locator('.row-title a').click()
      const panel = page.getByRole('region', { name: 'Wish', exact: true })
      await panel.getByRole('heading', { level: 2, name: title }).waitFor()
      expect(await panel.locator('.wish-figures').innerText()).toMatch(new RegExp(`^${votes} votes\\s+30 requests`))
    }
    await page.getByRole('link', { name: 'Open as a page' }).click()
    await page.getByRole('heading', { level: 1, name: title }).waitFor()
    expect(await page.locator('.wish-figures').innerText()).toMatch(new RegExp(`^${votes} votes\\s+30 requests`))
    const members = page.locator('.member')
    await expect.poll(() => members.count(), patient).toBe(20)
    await page.getByRole('button', { name: 'Load more' }).click()
    await expect.poll(() => members.count(), patient).toBe(30)
  })

  it('says how it was corrected, but not a merge whose request was split off since', async () => {
    await test.collect('offline maps')
    const { client } = test.service
    const found = (await client.get('/api/v1/wishes?topic=offline+maps&limit=2')).body.data.results
    const [{ wishId, title }, other] = found
    const correct = (body: object) => client.post('/api/v1/corrections/wishes', body)
    expect((await correct({ kind: 'merge', wishId, otherWishId: other.wishId })).status).toBe(200)
    const page = await test.open(`/wishes/${wishId}`)
    const said = page.getByRole('list', { name: 'What was corrected' }).getByRole('listitem')
    await page.getByRole('heading', { level: 1, name: title }).waitFor()
    await said.getByText(`Merged with “${other.title}” by you.`).waitFor()
    const { members } = (await client.get(`/api/v1/wishes/${wishId}`)).body.data
    const moved = members.results.find((member: { title: string }) => member.title === other.title)
    expect((await correct({ kind: 'split', wishId, requestIds: [moved._id] })).status).toBe(200)
    await page.reload()
    await said.getByText('was split off by you.').waitFor()
    expect(await said.count()).toBe(1)
  })

  it('that is not there says so', async () => {
    const page = await test.open(`/wishes/${crypto.randomUUID()}`)
    await page.getByRole('alert').waitFor()
  })
})
