import { expect, it } from 'vitest'
import { makeWish } from '../stored-wish.ts'
import { describePage, patient, usePage } from './page-test.ts'

// Holds (Dashboard): records, similar requests, topics, grouped searches and the page say the same numbers of a wish, for every account

describePage('a wish', () => {
  const test = usePage()

  async function collectWish(): Promise<{ wishId: string; title: string; votes: number; topic: string }> {
    const topic = 'dark mode'
    await test.collect(topic)
    const { body } = await test.service.client.get('/api/v1/requests?sortBy=votes&limit=30')
    const members: { _id: string; title: string; votes: number; sourcePlatform: string }[] = body.data.results
    const wishId = await makeWish(
      test.service.database,
      members.map(({ _id }) => _id),
    )
    return { wishId, title: members[0]!.title, votes: members.reduce((sum, { votes }) => sum + votes, 0), topic }
  }

  it('opens from its topic, from a result and from its address, with the same numbers everywhere', async () => {
    const { wishId, title, votes, topic } = await collectWish()
    const shown = votes.toLocaleString('en')
    const page = await test.open(`/topics/one?topic=${encodeURIComponent(topic)}`)
    const card = page.locator('.wishes > li').first()
    await card.getByText('30 requests together').waitFor()
    expect(await card.locator('.votes').textContent()).toBe(`${shown}votes`)
    await card.getByRole('link').click()
    await page.getByRole('heading', { level: 1, name: title }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`/wishes/${wishId}`)
    const figures = page.locator('.figures')
    expect(await figures.locator('dd').nth(0).textContent()).toBe('30')
    expect(await figures.locator('dd').nth(1).textContent()).toBe(shown)
    const members = page.locator('section[aria-labelledby=members] li')
    expect(await members.count()).toBe(20)
    await page.getByRole('button', { name: 'more' }).click()
    await expect.poll(() => members.count(), patient).toBe(30)

    await page.goto('/?sort=votes')
    await page
      .getByRole('button', { name: `30 requests · ${shown} votes` })
      .first()
      .click()
    await page.getByText(`Together with this one: 30 requests, ${shown} votes`).waitFor()
    await page.getByRole('link', { name: 'Open them all' }).click()
    await page.getByRole('heading', { level: 1, name: title }).waitFor()
  })

  it('that is not there says so', async () => {
    const page = await test.open(`/wishes/${crypto.randomUUID()}`)
    await page.getByRole('alert').waitFor()
  })
})
